/* Messages of a subcommand about itself: "sooth COMMAND: TEXT" on standard error. */
#ifndef PIPELINE_COMPLAIN_H
#define PIPELINE_COMPLAIN_H

#include <stdarg.h>
#include <stdbool.h>

/* False, for the caller to return. */
bool cli_complain(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool cli_complain_list(const char *command, const char *format, va_list list);

#endif
