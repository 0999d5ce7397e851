/* Prints messages that begin with the name of the subcommand. */
#include "pipeline/complain.h"

#include <stdio.h>

bool complain_list(const char *command, const char *format, va_list list)
{
	fprintf(stderr, "sooth %s: ", command);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	return false;
}

bool complain(const char *command, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	complain_list(command, format, list);
	va_end(list);
	return false;
}
