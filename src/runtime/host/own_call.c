/*
 * Calls that the runtime makes by name. A program may define its own `mkdir`, which takes
 * precedence over the C library's and over this library's. So the linker turns such calls of the
 * runtime into `__wrap_...` (Makefile), which leads to the intended function.
 *
 * The way goes through an exported name that no program has, so that test/survive/inject.c can
 * interpose it. All steps are jumps, which keep the caller's address where inject.c looks for it.
 */
#include "runtime/buffer/thread_buffer.h"
#include "runtime/host/libc_next.h"

#include <sys/syscall.h>

#define BOTH(type, name, parameters, arguments, means)                                             \
	type __wrap_##name parameters;                                                             \
	SOOTH_API type __sooth_own_##name parameters;                                              \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return __sooth_own_##name arguments;                                               \
	}                                                                                          \
	SOOTH_API type __sooth_own_##name parameters                                               \
	{                                                                                          \
		return means arguments;                                                            \
	}

/* `__real_...` is the linker's name for the function that would have been called. */
#define INTERPOSED(type, name, parameters, arguments)                                              \
	type __real_##name parameters;                                                             \
	BOTH(type, name, parameters, arguments, __real_##name)
#define LIBRARY(type, name, parameters, arguments)                                                 \
	BOTH(type, name, parameters, arguments, real()->name)
/* Also used where vector registers are live and nothing may be called. */
#define KERNEL(type, name)                                                                         \
	type __wrap_##name(void);                                                                  \
	type __wrap_##name(void)                                                                   \
	{                                                                                          \
		long result;                                                                       \
		__asm__ volatile("syscall"                                                         \
				 : "=a"(result)                                                    \
				 : "a"(SYS_##name)                                                 \
				 : "rcx", "r11", "memory");                                        \
		return (type)result;                                                               \
	}
#include "runtime/host/own_call.def"
