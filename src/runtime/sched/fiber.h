/*
 * Fibers: threads of the program that are no threads of the kernel. Each has a stack and a block of
 * thread-local variables, laid out as the C library lays them out for a thread, so pthread_self,
 * errno, __thread, keys, exceptions and stdio are what they always are.
 */
#ifndef RUNTIME_SCHED_FIBER_H
#define RUNTIME_SCHED_FIBER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- fiber_switch.S ---- */

extern bool fiber_writes_fs; /* the CPU's instruction for it may be used */
void fiber_switch(void **save, void *load, uint64_t thread_pointer);
void fiber_first(void);
void *fiber_call(void *(*routine)(void *), void *argument, void *stack);

/* A stack, below `top`, whose first fiber_switch calls function(argument), which must not return. */
void *fiber_prepare_stack(void *top, void (*function)(void *), void *argument);

/* ---- fiber_tls.c: what the C library keeps for each thread ---- */

/*
 * Learns from a real thread what the C library makes of a new one. Once, before anything else here.
 * False, with the reason: this C library is not understood.
 */
bool fiber_learn(const char **why);

/* What a fiber with the stack [low, top) is made of. */
struct fiber_place {
	uint64_t thread_pointer; /* also its pthread_t */
	void *start;	   /* below it: a few hundred bytes for the frames above its routine */
	void *first_frame; /* where a thread's routine has its frame, as with kernel threads */
};

/* Writes the thread-local variables to the upper end of the stack. False: it is too small. */
bool fiber_make_tls(uint32_t number, void *low, size_t bytes, struct fiber_place *place);
/*
 * What of the runtime's own variables need not be as new in a new thread, because it is written there
 * before it is read, is said by functions NAME_scratch(size_t *bytes).
 */
void *fiber_end_scratch(size_t *bytes);

/* The number that the C library has of a thread, here one that the kernel does not know. */
int fiber_tls_tid(uint64_t thread_pointer);

/* ---- fiber_end.c: what runs in a thread behind its routine ---- */

/* From now on pthread_exit ends a fiber. */
void fiber_swap_exit(void);

/*
 * Calls routine(argument) with its first frame at `stack`. False: the thread was ended by pthread_exit,
 * and that is its result.
 */
bool fiber_run_routine(void *(*routine)(void *), void *argument, void *stack, void **result);

/* Destructors of thread_local variables and of keys, as the C library runs them, at `stack`. */
void fiber_destroy_variables(void *stack);

/* ---- carrier_fiber.c ---- */

bool fiber_on(void);		       /* are threads fibers? */
unsigned long fiber_main_thread(void); /* the main thread's pthread_t, which the kernel knows */
int fiber_tid(void);		       /* a number of the calling thread's own */
/* As pthread_getattr_np, for a fiber; false: it is none. */
bool fiber_get_attributes(unsigned long thread, pthread_attr_t *attributes);
bool fiber_own_stack(void **low, size_t *bytes); /* the calling fiber's; false: it is none */
bool fiber_any_created(void);

/* This program does what fibers cannot: the run ends with CONTROL_UNFIT. Returns with kernel
 * threads, and where no turns are taken. */
void fiber_refuse(const char *what);

#endif
