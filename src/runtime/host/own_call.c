/*
 * Functions that the runtime calls by name. A program may define its own `mkdir`, which takes
 * precedence over those of the C library and of this library. So the linker turns such a call of
 * the runtime into a call of `__wrap_mkdir` (Makefile), which calls the intended function.
 *
 * `__wrap_mkdir` does so through an exported function, `__sooth_own_mkdir`, which no program
 * defines but which test/survive/inject.c can interpose. All these calls are compiled to jumps, so
 * that the return address of the runtime's call is still where inject.c expects it.
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

/*
 * `__real_NAME` is the linker's name for the function that the call would have reached without
 * `__wrap_NAME`.
 */
#define INTERPOSED(type, name, parameters, arguments)                                              \
	type __real_##name parameters;                                                             \
	BOTH(type, name, parameters, arguments, __real_##name)
#define LIBRARY(type, name, parameters, arguments)                                                 \
	BOTH(type, name, parameters, arguments, real()->name)
/*
 * A raw system call. Also used where vector registers are live, so that no function may be called.
 */
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
