/* Records what scanf functions store. */
#ifndef RUNTIME_MEMORY_PRINTF_SCANF_H
#define RUNTIME_MEMORY_PRINTF_SCANF_H

#include <stdarg.h>
#include <stdint.h>

/*
 * Called after a call of the scanf family that returned `result`: records a WRITE of each value
 * that it stored. `values` is a copy of the argument list of that call. Nothing is recorded for a
 * format with numbered arguments.
 */
void printf_scanf_scanned(const char *format, va_list values, int result, uintptr_t pc);

#endif
