/* Messages of a subcommand to its user: "sooth COMMAND: TEXT" on standard error. */
#ifndef PIPELINE_COMPLAIN_H
#define PIPELINE_COMPLAIN_H

#include <stdarg.h>
#include <stdbool.h>

/* Both return false, so that the caller can write `return complain(...)`. */
bool complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool complain_list(const char *command, const char *format, va_list list);

#endif
