/* What the C library reads and writes when it follows a format. */
#ifndef RUNTIME_MEMORY_PRINTF_SCANF_H
#define RUNTIME_MEMORY_PRINTF_SCANF_H

#include <stdarg.h>
#include <stdint.h>

/*
 * Called after a call of the scanf family that returned `result`: records WRITEs of what it stored.
 * `values` is a copy of the list that the call was given. A format with numbered arguments is
 * ignored.
 */
void printf_scanf_scanned(const char *format, va_list values, int result, uintptr_t pc);

#endif
