#include "compiler/gcc/gcc.h"

#include "compiler/gcc/point_name.h"

#include <cxxabi.h>

std::string point_linker_name(tree function)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
	return name + (name[0] == '*');
}

/* Where the parameter list starts: the last group of parentheses that is in no other. */
static size_t find_parameters(const std::string &text)
{
	size_t at = text.rfind(')');
	int depth = 0;

	if (at == std::string::npos)
		return text.size();
	do {
		if (text[at] == ')')
			depth++;
		else if (text[at] == '(' && --depth == 0)
			return at;
	} while (at-- > 0);
	return text.size();
}

/*
 * Templates are demangled with their return type. The name starts behind the last blank that is in
 * no brackets; those behind `operator` belong to the name.
 */
static size_t find_name(const std::string &text)
{
	int depth = 0;
	size_t start = 0;

	for (size_t i = 0; i < text.size(); i++) {
		char c = text[i];
		if (!text.compare(i, 8, "operator") && depth == 0)
			return start;
		if (c == '<' || c == '(' || c == '[')
			depth++;
		else if (c == '>' || c == ')' || c == ']')
			depth--;
		else if (c == ' ' && depth == 0)
			start = i + 1;
	}
	return start;
}

std::string point_without_parameters(const std::string &demangled)
{
	std::string name = demangled.substr(0, find_parameters(demangled));
	return name.substr(find_name(name));
}

std::string point_full_name(tree function)
{
	std::string linker = point_linker_name(function), plain;
	int status = -1;

	if (!linker.compare(0, 2, "_Z")) {
		char *text = abi::__cxa_demangle(linker.c_str(), NULL, NULL, &status);
		if (status == 0)
			plain = point_without_parameters(text);
		free(text);
	} else if (DECL_NAME(function)) {
		plain = IDENTIFIER_POINTER(DECL_NAME(function));
		if (!plain.compare(0, 10, "__builtin_"))
			plain.clear();
	}
	return plain.empty() || plain == linker ? linker : linker + "\t" + plain;
}
