/* Demangling with the C++ runtime's __cxa_demangle(), without the parameter list. */
#include "base/demangle.h"

#include <stddef.h>
#include <string.h>

/* Itanium C++ ABI, section 3.4. libstdc++ exports it, but no C header declares it. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* Turns "f(int) const" into "f", and "operator()(int)" into "operator()". */
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
