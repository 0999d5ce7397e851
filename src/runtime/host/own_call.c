/*
 * A program may have a function `mkdir` of its own, and by name its functions come before the C
 * library's and before ours. The linker turns what the runtime calls by such a name into `__wrap_…`
 * (Makefile), from where it comes to the one that is meant.
 *
 * It comes there by an exported name that no program has: test/survive/inject.c stands in front of
 * it. All of it are jumps, which leave the caller's address where inject.c looks for it.
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

/* `__real_…` is the linker's word for what would have been called. */
#define INTERPOSED(type, name, parameters, arguments)                                              \
	type __real_##name parameters;                                                             \
	BOTH(type, name, parameters, arguments, __real_##name)
#define LIBRARY(type, name, parameters, arguments)                                                 \
	BOTH(type, name, parameters, arguments, real()->name)
/* Also where vector registers are live, and nothing may be called. */
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
