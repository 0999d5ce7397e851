/*
 * Prints the row of a point (event/point.h) as assembler directives: its texts go to the section
 * sooth_pstr, the row itself to the section of the rows.
 */
#include "compiler/common/point_row.h"

#include "event/point.h"

#include <cstdio>
#include <cstring>

static const char nop[] = "990:\t.byte 0x0f,0x1f,0x44,0x00,0x00\n";

/*
 * Escapes a text twice: for the assembler's strings, where quotes and backslashes are special, and
 * for the asm template.
 */
static std::string quote(const std::string &text, const point_escape &escape)
{
	std::string out;
	char octal[8];

	for (unsigned char c : text) {
		if (c < ' ' || c >= 127 || c == '"' || c == '\\') {
			snprintf(octal, sizeof(octal), "\\%03o", c);
			out += octal;
			continue;
		}
		if (strchr(escape.special, c))
			out += escape.before;
		out += (char)c;
	}
	return out;
}

static std::string row_text(const point_row_text &row, const point_escape &escape, bool loose,
			    const char *pc, const char *group)
{
	auto string = [](const char *label, const std::string &quoted) {
		return std::string(label) + ":\t.asciz \"" + quoted + "\"\n";
	};
	std::string texts = string("991", quote(row.name, escape)) +
			    string("992", quote(row.where, escape)) +
			    string("993", quote(row.types, escape)) + string("994", row.operands);

	return "\t.pushsection sooth_pstr,\"MS\",@progbits,1\n" + texts +
	       "\t.popsection\n"
	       "\t.pushsection " +
	       (loose ? POINT_SECTION_LOOSE : POINT_SECTION) + ",\"" + group +
	       "\",@progbits\n"
	       "\t.balign 8\n"
	       "\t.quad " +
	       pc +
	       "\n"
	       "\t.long 991b,992b,993b,994b," +
	       std::to_string(row.line) +
	       "\n"
	       "\t.short " +
	       std::to_string(row.column < 0xffff ? row.column : 0) +
	       "\n"
	       "\t.byte " +
	       std::to_string(row.kind) + "," + std::to_string(row.flags) +
	       "\n"
	       "\t.popsection";
}

std::string point_row_nop(const point_row_text &row, const point_escape &escape, bool loose)
{
	return nop + row_text(row, escape, loose, "990b", "?");
}

std::string point_row_none(const point_row_text &row, bool loose)
{
	return row_text(row, { "", 0 }, loose, "0", "");
}

bool point_row_is_in(const char *asm_template)
{
	return strstr(asm_template, "\t.pushsection " POINT_SECTION ",") ||
	       strstr(asm_template, "\t.pushsection " POINT_SECTION_LOOSE ",");
}
