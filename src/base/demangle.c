#include "base/demangle.h"

#include <stddef.h>
#include <string.h>

/* Of the C++ run-time library (Itanium C++ ABI, 3.4): libstdc++ has it, and no header for C. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* "f(int) const" to "f"; "operator()(int)" to "operator()". */
static void cut_parameters(char *text)
{
	char *end = strrchr(text, ')');
	int depth = 0;

	for (char *p = end; p && p > text; p--) {
		depth += *p == ')';
		depth -= *p == '(';
		if (depth)
			continue;
		if (p - text < 8 || memcmp(p - 8, "operator", 8) != 0)
			*p = 0;
		return;
	}
}

char *demangle_name(const char *name)
{
	int status = 0;
	char *text = !strncmp(name, "_Z", 2) ? __cxa_demangle(name, NULL, NULL, &status) : NULL;

	if (text)
		cut_parameters(text);
	return text;
}
