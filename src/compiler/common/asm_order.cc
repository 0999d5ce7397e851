/*
 * Decides by the table below whether an asm statement can order threads. It cannot if none of its
 * instructions can. Instructions are looked up by their name, without prefixes such as `lock`.
 * Where the table is not sure, the instruction orders: too much order hides bugs, too little
 * invents them.
 */
#include "compiler/common/asm_order.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

namespace
{

enum verdict {
	HARMLESS,
	ZERO, /* harmless if the first operand is the constant 0; otherwise another row decides */
	NO_CLOBBER, /* harmless if the statement does not say that it clobbers memory */
	NO_MEMORY,  /* harmless if no operand is memory that another thread can see */
	ORDERS,
	IMPLICIT, /* orders if there are no operands; otherwise another row decides */
};

struct row {
	const char *name; /* `*` at an end: any text there */
	verdict is;
	const char *reason;
};

const row table[] = {
	{ "nop*", HARMLESS, "does nothing; `rep nop` is a pause" },
	{ "pause", HARMLESS, "waits for no particular event" },
	{ "endbr*", HARMLESS, "marks a target of jumps" },
	{ "ud2", HARMLESS, "ends the program, or at least this thread's code" },
	{ "int3", HARMLESS, "stops in a debugger" },
	{ "mfence", HARMLESS, "a fence orders the accesses of its own thread" },
	{ "lfence", HARMLESS, "the same" },
	{ "sfence", HARMLESS, "the same" },
	{ "serialize", HARMLESS, "the same" },
	{ "add*", ZERO, "`lock addl $0, …` is a fence" },
	{ "or*", ZERO, "the same" },
	{ "sub*", ZERO, "the same" },
	{ "xor*", ZERO, "the same" },
	{ "rdtsc*", HARMLESS, "reads the clock" },
	{ "cpuid", HARMLESS, "reads what the processor can do" },
	{ "xgetbv", HARMLESS, "the same" },
	{ "rdpmc", HARMLESS, "reads a counter of the processor" },
	{ "rdpid", HARMLESS, "reads the number of the processor" },
	{ "rdrand*", HARMLESS, "reads a random number" },
	{ "rdseed*", HARMLESS, "the same" },
	{ "prefetch*", HARMLESS, "changes no memory, only caches" },
	{ "clflush*", HARMLESS, "the same" },
	{ "clwb", HARMLESS, "the same" },
	{ "cldemote", HARMLESS, "the same" },
	{ "lea*", HARMLESS, "computes the address of its operand, without using the memory" },
	{ "pushf*", HARMLESS, "the processor's flags, and the thread's stack" },
	{ "popf*", HARMLESS, "the same" },
	{ "fldcw", HARMLESS, "the mode of floating-point arithmetic, saved for this thread" },
	{ "fnstcw", HARMLESS, "the same" },
	{ "fstcw", HARMLESS, "the same" },
	{ "*ldmxcsr", HARMLESS, "the same" },
	{ "*stmxcsr", HARMLESS, "the same" },
	{ "fnstenv", HARMLESS, "the same" },
	{ "fldenv", HARMLESS, "the same" },

	{ "syscall", ORDERS, "the system call may wait" },
	{ "sysenter", ORDERS, "the same" },
	{ "int", ORDERS, "the same" },
	{ "call*", ORDERS, "the called code is not known" },
	{ "lcall*", ORDERS, "the same" },
	{ "ret*", ORDERS, "the same" },
	{ "iret*", ORDERS, "the same" },
	{ "xbegin", ORDERS, "transactions order threads" },
	{ "xend", ORDERS, "the same" },
	{ "mwait*", ORDERS, "waits for a store of another thread" },
	{ "umwait", ORDERS, "the same" },
	{ "monitor*", ORDERS, "the same" },
	{ "umonitor", ORDERS, "the same" },
	{ "movsb", IMPLICIT, "uses memory that no operand names" },
	{ "movsw", IMPLICIT, "the same" },
	{ "movsl", IMPLICIT, "the same" },
	{ "movsd", IMPLICIT, "the same" },
	{ "movsq", IMPLICIT, "the same" },
	{ "stos*", IMPLICIT, "the same" },
	{ "lods*", IMPLICIT, "the same" },
	{ "cmpsb", IMPLICIT, "the same" },
	{ "cmpsw", IMPLICIT, "the same" },
	{ "cmpsl", IMPLICIT, "the same" },
	{ "cmpsq", IMPLICIT, "the same" },
	{ "scas*", IMPLICIT, "the same" },
	{ "xlat*", IMPLICIT, "the same" },
	{ "*maskmov*", ORDERS, "the same" },

	{ ".macro", ORDERS, "what the macro expands to is not looked at" },
	{ ".include", ORDERS, "the same" },
	{ ".byte", NO_CLOBBER, "an instruction that the assembler does not know" },
	{ ".word", NO_CLOBBER, "the same" },
	{ ".short", NO_CLOBBER, "the same" },
	{ ".value", NO_CLOBBER, "the same" },
	{ ".long", NO_CLOBBER, "the same" },
	{ ".int", NO_CLOBBER, "the same" },
	{ ".quad", NO_CLOBBER, "the same" },
	{ ".ascii", NO_CLOBBER, "the same" },
	{ ".*", HARMLESS, "other directives make no code" },
	{ "*", NO_MEMORY, "another thread neither sees nor changes registers and this stack" },
};

/* ---- the text of an instruction -------------------------------------------------------------- */

struct instruction {
	std::string name;
	std::vector<std::string> operands;
};

std::string trimmed(const std::string &text)
{
	size_t from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");

	return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

bool is_prefix(const std::string &word)
{
	for (const char *prefix :
	     { "lock", "rep", "repe", "repz", "repne", "repnz", "data16", "notrack", "bnd", "cs",
	       "ds", "addr32", "rex64", "xacquire", "xrelease" })
		if (word == prefix)
			return true;
	return false;
}

/* Splits at commas outside of parentheses. */
std::vector<std::string> split_operands(const std::string &text)
{
	std::vector<std::string> operands;
	std::string one;
	int depth = 0;

	for (char c : text) {
		depth += (c == '(') - (c == ')');
		if (c == ',' && !depth) {
			operands.push_back(trimmed(one));
			one.clear();
		} else {
			one += c;
		}
	}
	if (!trimmed(one).empty())
		operands.push_back(trimmed(one));
	return operands;
}

/* The name is empty if there is only a label or a prefix. */
instruction parse_instruction(std::string text)
{
	for (;;) {
		text = trimmed(text);
		size_t end = text.find_first_of(" \t:");
		std::string word = text.substr(0, end);
		bool is_label = end != std::string::npos && text[end] == ':';
		if (!is_label && !is_prefix(word))
			return { word, end == std::string::npos
					       ? std::vector<std::string>{}
					       : split_operands(text.substr(end)) };
		if (end == std::string::npos)
			return {};
		text = text.substr(end + 1);
	}
}

std::string without_comments(const std::string &text)
{
	std::string out;

	for (size_t i = 0; i < text.size(); i++) {
		if (text[i] == '#')
			i = std::min(text.find('\n', i), text.size());
		else if (!text.compare(i, 2, "/*"))
			i = std::min(text.find("*/", i + 2), text.size() - 2) + 2;
		if (i < text.size())
			out += text[i];
	}
	return out;
}

/* Code in other sections is not executed here. The table need not know what is there. */
bool enters_section(const std::string &name)
{
	return name == ".pushsection" || name == ".section";
}

bool leaves_section(const std::string &name)
{
	return name == ".popsection" || name == ".previous" || name == ".text";
}

std::vector<instruction> parse(const std::string &text)
{
	std::vector<instruction> instructions;
	std::string plain = without_comments(text);
	bool elsewhere = false;

	for (size_t from = 0; from <= plain.size();) {
		size_t to = std::min(plain.find_first_of(";\n", from), plain.size());
		instruction i = parse_instruction(plain.substr(from, to - from));
		elsewhere = (elsewhere || enters_section(i.name)) && !leaves_section(i.name);
		if (!i.name.empty() && !elsewhere)
			instructions.push_back(i);
		from = to + 1;
	}
	return instructions;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/*
 * Is it memory other than this thread's stack and thread-local variables? Operands of the statement
 * are examined by the plugins.
 */
bool is_memory(const std::string &operand)
{
	bool is_number = !operand.empty();

	for (char c : operand.substr(0, operand.size() - is_number))
		is_number = is_number && isdigit((unsigned char)c);
	if (is_number && strchr("bf", operand.back()))
		return false; /* the target of a jump: 1b */
	if (operand.empty() || operand[0] == '$' || operand[0] == '@' || operand[0] == '%' ||
	    !operand.compare(0, 2, ".L"))
		return false;
	return operand.find("(%rsp") == std::string::npos &&
	       operand.find("(%esp") == std::string::npos;
}

bool is_zero(const std::string &operand)
{
	return operand == "$0" || operand == "$0x0";
}

bool has_name(const row &r, const std::string &name)
{
	std::string pattern = r.name;
	bool open_start = pattern.size() > 1 && pattern[0] == '*';
	bool open_end = pattern.back() == '*';

	pattern = pattern.substr(open_start, pattern.size() - open_start - open_end);
	size_t at = name.find(pattern);
	return at != std::string::npos && (open_start || at == 0) &&
	       (open_end || at + pattern.size() == name.size());
}

bool decides(const row &r, const instruction &i)
{
	return has_name(r, i.name) &&
	       (r.is != ZERO || (i.operands.size() == 2 && is_zero(i.operands[0]))) &&
	       (r.is != IMPLICIT || i.operands.empty());
}

bool uses_memory(const instruction &i, const asm_order_statement &statement)
{
	for (const std::string &operand : i.operands)
		if (is_memory(operand))
			return true;
	return statement.has_shared_operand;
}

bool orders(const instruction &i, const asm_order_statement &statement)
{
	const row *r = table;

	while (!decides(*r, i)) /* the last row decides about any instruction */
		r++;
	switch (r->is) {
	case NO_CLOBBER: return statement.clobbers_memory;
	case NO_MEMORY: return uses_memory(i, statement);
	default: return r->is >= ORDERS;
	}
}

/* ---- templates ------------------------------------------------------------------------------- */

/* An operand with the letter `a` is printed as the address of memory, `l` as a label. */
std::string operand_text(char letter)
{
	switch (letter) {
	case 'a': return "(@)";
	case 'c':
	case 'P':
	case 'p': return "symbol";
	case 'l': return ".L";
	case 'z': return "";
	default: return "@";
	}
}

} // namespace

std::string asm_order_text_of_gcc(const std::string &from)
{
	std::string text;
	bool second = false; /* in the Intel half of {att|intel} */

	for (size_t i = 0; i < from.size(); i++) {
		char c = from[i];
		if (c == '{' || c == '}' || (c == '|' && !second)) {
			second = c == '|';
			continue;
		}
		if (second)
			continue;
		if (c != '%' || i + 1 == from.size()) {
			text += c;
			continue;
		}
		c = from[++i];
		char letter = isalpha((unsigned char)c) && i + 1 < from.size() ? from[i++] : 0;
		c = from[i];
		if (!letter && c == '=') {
			text += '1';
		} else if (!letter && !isdigit((unsigned char)c) && c != '[') {
			text += c; /* %%, %{, %|, %} */
		} else {
			text += operand_text(letter);
			if (c == '[')
				i = std::min(from.find(']', i), from.size() - 1);
			while (i + 1 < from.size() && isdigit((unsigned char)c) &&
			       isdigit((unsigned char)from[i + 1]))
				i++;
		}
	}
	return text;
}

std::string asm_order_text_of_llvm(const std::string &from)
{
	std::string text;
	bool second = false; /* in the Intel half of $(att$|intel$) */

	for (size_t i = 0; i < from.size(); i++) {
		char c = from[i];
		if (c != '$' || i + 1 == from.size()) {
			if (!second)
				text += c;
			continue;
		}
		c = from[++i];
		if (strchr("(|)", c)) {
			second = c == '|';
		} else if (second) {
			continue;
		} else if (c == '{') {
			size_t end = std::min(from.find('}', i), from.size() - 1);
			size_t letter = from.find(':', i);
			text += operand_text(letter < end ? from[letter + 1] : 0);
			i = end;
		} else if (isdigit((unsigned char)c)) {
			text += operand_text(0);
			while (i + 1 < from.size() && isdigit((unsigned char)from[i + 1]))
				i++;
		} else {
			text += c; /* $$ */
		}
	}
	return text;
}

bool asm_order_is_possible(const asm_order_statement &statement)
{
	for (const instruction &i : parse(statement.text))
		if (orders(i, statement))
			return true;
	return false;
}
