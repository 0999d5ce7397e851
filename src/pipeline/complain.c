#include "pipeline/complain.h"

#include <stdio.h>

bool cli_complain_list(const char *command, const char *format, va_list list)
{
	fprintf(stderr, "sooth %s: ", command);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	return false;
}

bool cli_complain(const char *command, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	cli_complain_list(command, format, list);
	va_end(list);
	return false;
}
