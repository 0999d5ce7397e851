/*
 * The functions that the interposers stand in front of: `real()->malloc(8)`.
 *
 * They are looked up together, the first time one is asked for, which may be long before main: in
 * the dynamic linker's own start, in a constructor of a library that is loaded before us.
 */
#ifndef RUNTIME_REAL_H
#define RUNTIME_REAL_H

#include "runtime/lane.h"

#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <threads.h>
#include <unistd.h>

/* In the library, but in no header. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
void __longjmp_chk(struct __jmp_buf_tag environment[1], int value) __attribute__((noreturn));

struct real {
#define REAL(name) __typeof__(name) *name;
#define REAL_VERSION(name, version) REAL(name)
#include "runtime/real.def"
#undef REAL
#undef REAL_VERSION
};

extern struct real real_table;
extern bool real_found;
extern SOOTH_TLS bool real_searching; /* dlsym is at work in this thread: it may call malloc */

void real_find(void);

static inline const struct real *real(void)
{
	if (__builtin_expect(!__atomic_load_n(&real_found, __ATOMIC_ACQUIRE), 0))
		real_find();
	return &real_table;
}

#endif
