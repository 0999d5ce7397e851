/* Formatting error messages. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool err_set(struct err *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	return false;
}

bool err_set_system(struct err *err, int errnum, const char *format, ...)
{
	va_list args;
	size_t used;

	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(errnum));
	return false;
}
