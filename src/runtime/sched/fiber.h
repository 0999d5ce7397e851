/*
 * Fibers: threads of the program that the kernel does not know. Each has a stack and a block of
 * thread-local variables with the layout that the C library uses. So pthread_self, errno, __thread,
 * keys, exceptions and stdio work as usual.
 */
#ifndef RUNTIME_SCHED_FIBER_H
#define RUNTIME_SCHED_FIBER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- fiber_switch.S -------------------------------------------------------------------------- */

extern bool fiber_writes_fs; /* the instruction wrfsbase may be used */
void fiber_switch(void **save, void *load, uint64_t thread_pointer);
void fiber_first(void);
void *fiber_call(void *(*routine)(void *), void *argument, void *stack);

/* Prepares a stack. The first fiber_switch() to it calls function(argument): must not return. */
void *fiber_prepare_stack(void *top, void (*function)(void *), void *argument);

/* ---- fiber_tls.c: the C library's data of each thread ---------------------------------------- */

/*
 * Learns from a real thread how the C library initialises a new one. Must be called once, before
 * all other functions here. Returns false and the reason if this C library is not understood.
 */
bool fiber_learn(const char **why);

/* The addresses in a fiber with the stack [low, top). */
struct fiber_layout {
	uint64_t thread_pointer; /* also its pthread_t */
	void *start;	   /* below it: a few hundred bytes for the frames above its routine */
	void *first_frame; /* address of the routine's frame, the same as in a kernel thread */
};

/* Writes the thread-local variables to the stack's upper end. Returns false if it is too small. */
bool fiber_make_tls(uint32_t number, void *low, size_t bytes, struct fiber_layout *layout);
/*
 * The functions NAME_scratch(size_t *bytes) name variables of the runtime that a thread writes
 * before it reads them. A new thread need not have them initialised.
 */
void *fiber_end_scratch(size_t *bytes);

/* Returns the thread id in the C library's descriptor. The kernel does not know it. */
int fiber_tls_tid(uint64_t thread_pointer);

/* ---- fiber_end.c: the end of a thread, after its routine ------------------------------------- */

/* From now on, pthread_exit ends a fiber. */
void fiber_replace_exit(void);

/*
 * Calls routine(argument) with its first frame at `stack`. Returns false if pthread_exit ended the
 * thread; `*result` is its result in both cases.
 */
bool fiber_run_routine(void *(*routine)(void *), void *argument, void *stack, void **result);

/* Runs the destructors of thread_local variables and of keys at `stack`, as the C library would. */
void fiber_destroy_variables(void *stack);

/* ---- carrier_fiber.c ------------------------------------------------------------------------- */

bool fiber_on(void);		       /* are threads fibers? */
unsigned long fiber_main_thread(void); /* the main thread's pthread_t, which the kernel knows */
int fiber_tid(void);		       /* the calling thread's id */
/* As pthread_getattr_np. Returns false if the thread is not a fiber. */
bool fiber_get_attributes(unsigned long thread, pthread_attr_t *attributes);
bool fiber_own_stack(void **low, size_t *bytes); /* the caller's; false: not a fiber */
bool fiber_any_created(void);

/*
 * The program does something that fibers cannot do: ends the run with CONTROL_UNFIT. Returns if
 * threads are kernel threads or take no turns.
 */
void fiber_refuse(const char *what);

#endif
