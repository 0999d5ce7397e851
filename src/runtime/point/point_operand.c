/* Parses an operand in AT&T or Intel syntax, as the assembler prints it. */
#include "runtime/point/point_operand.h"

#include <string.h>

struct operand_text {
	const char *p, *end;
};

static void skip_blanks(struct operand_text *w)
{
	while (w->p < w->end && (*w->p == ' ' || *w->p == '\t'))
		w->p++;
}

static bool skip_char(struct operand_text *w, char c)
{
	skip_blanks(w);
	if (w->p == w->end || *w->p != c)
		return false;
	w->p++;
	return true;
}

static bool at_digit(const struct operand_text *w)
{
	return w->p < w->end && *w->p >= '0' && *w->p <= '9';
}

/* Reads a number, decimal or 0x..., with an optional sign. Returns false if there is none. */
static bool read_number(struct operand_text *w, int64_t *number)
{
	uint64_t value = 0;
	bool minus;

	skip_blanks(w);
	struct operand_text start = *w;
	minus = skip_char(w, '-');
	if (!minus)
		skip_char(w, '+');
	if (!at_digit(w)) {
		*w = start;
		return false;
	}
	bool hex = w->end - w->p > 2 && w->p[0] == '0' && w->p[1] == 'x';
	for (w->p += hex ? 2 : 0; w->p < w->end; w->p++) {
		char c = (char)(*w->p | 32);
		if (*w->p >= '0' && *w->p <= '9')
			value = value * (hex ? 16 : 10) + (uint64_t)(*w->p - '0');
		else if (hex && c >= 'a' && c <= 'f')
			value = value * 16 + (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*number = (int64_t)(minus ? -value : value);
	return true;
}

/* Reads the name of a 64-bit general register. */
static bool read_register(struct operand_text *w, uint8_t *reg)
{
	static const char names[16][4] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
	};

	skip_char(w, '%');
	for (unsigned i = 16; i-- > 0;) { /* r15 to r10 first, because their names begin with r1 */
		size_t length = strnlen(names[i], sizeof(names[i]));
		if ((size_t)(w->end - w->p) >= length && !memcmp(w->p, names[i], length)) {
			w->p += length;
			*reg = (uint8_t)i;
			return true;
		}
	}
	return false;
}

static bool read_vector(struct operand_text *w, uint8_t *reg)
{
	int64_t number;

	skip_char(w, '%');
	if (w->end - w->p < 4 || memcmp(w->p, "xmm", 3))
		return false;
	w->p += 3;
	if (!at_digit(w) || !read_number(w, &number) || number > 15)
		return false;
	*reg = (uint8_t)number;
	return true;
}

static bool read_scale(struct operand_text *w, struct point_operand *o)
{
	int64_t scale;

	if (!read_number(w, &scale) || scale < 1 || scale > 8)
		return false;
	o->scale = (uint8_t)scale;
	return true;
}

/* Reads base[,index[,scale]]) as in AT&T syntax. */
static bool read_att(struct operand_text *w, struct point_operand *o)
{
	if (!skip_char(w, ',') && !read_register(w, &o->reg))
		return false;
	if (skip_char(w, ',') &&
	    (!read_register(w, &o->index) || (skip_char(w, ',') && !read_scale(w, o))))
		return false;
	return skip_char(w, ')');
}

/* Reads base+index*scale+number] as in Intel syntax, in any order. */
static bool read_intel(struct operand_text *w, struct point_operand *o)
{
	do {
		int64_t number;
		uint8_t reg;

		if (read_number(w, &number)) {
			o->value += number;
			continue;
		}
		skip_char(w, '+');
		if (!read_register(w, &reg))
			return false;
		if (o->reg == POINT_NO_REGISTER && !(w->p < w->end && *w->p == '*')) {
			o->reg = reg;
			continue;
		}
		o->index = reg;
		if (skip_char(w, '*') && !read_scale(w, o))
			return false;
	} while (!skip_char(w, ']') && w->p < w->end);
	return o->reg != POINT_NO_REGISTER;
}

/* Skips "QWORD PTR " and the like before an operand; it carries no information. */
static void skip_size(struct operand_text *w)
{
	const char *found = memmem(w->p, (size_t)(w->end - w->p), " PTR ", 5);

	if (found)
		w->p = found + 5;
}

static bool parse_operand(struct operand_text *w, struct point_operand *o)
{
	struct operand_text start;

	skip_size(w);
	start = *w;
	if (read_vector(w, &o->reg)) {
		o->how = POINT_VECTOR;
	} else if ((*w = start, read_register(w, &o->reg))) {
		o->how = POINT_REGISTER;
	} else {
		*w = start;
		o->reg = POINT_NO_REGISTER;
		o->how = POINT_CONSTANT;
		bool any = skip_char(w, '$');
		any |= read_number(w, &o->value);
		if (skip_char(w, '(')) {
			o->how = POINT_MEMORY;
			return read_att(w, o);
		}
		if (skip_char(w, '[')) {
			o->how = POINT_MEMORY;
			return read_intel(w, o);
		}
		if (!any)
			return false;
	}
	skip_blanks(w);
	return w->p == w->end;
}

void point_parse_operand(const char *text, size_t length, struct point_operand *o)
{
	struct operand_text w = { text, text + length };

	*o = (struct point_operand){ .index = POINT_NO_REGISTER, .scale = 1 };
	if (!parse_operand(&w, o) || w.p != w.end)
		o->how = POINT_NOWHERE;
}
