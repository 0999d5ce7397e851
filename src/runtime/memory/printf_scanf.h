/* What the C library reads and writes for a program that gives it a format. */
#ifndef RUNTIME_MEMORY_PRINTF_SCANF_H
#define RUNTIME_MEMORY_PRINTF_SCANF_H

#include <stdarg.h>
#include <stdint.h>

/*
 * Behind a call of the scanf family that came back with `result`: WRITEs of what it stored. `values` is
 * as the call was given it, a copy. A format with numbered arguments is not looked at.
 */
void printf_scanf_scanned(const char *format, va_list values, int result, uintptr_t pc);

#endif
