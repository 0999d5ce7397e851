/* Reduces a demangled C++ name to the qualified name of the function. */
#include "compiler/common/plain_name.h"

#include <cstdlib>
#include <cxxabi.h>

/*
 * Returns the start of the parameter list: the last group of parentheses that is not inside another
 * one.
 */
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
 * Returns the start of the name: after the last blank outside of brackets, because templates are
 * demangled with their return type. Blanks after `operator` belong to the name.
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

std::string plain_name_of(const std::string &demangled)
{
	std::string name = demangled.substr(0, find_parameters(demangled));
	return name.substr(find_name(name));
}

std::string plain_name_demangled(const std::string &linker_name)
{
	std::string plain;
	int status = -1;

	if (linker_name.compare(0, 2, "_Z"))
		return "";
	char *text = abi::__cxa_demangle(linker_name.c_str(), nullptr, nullptr, &status);
	if (status == 0)
		plain = plain_name_of(text);
	free(text);
	return plain;
}
