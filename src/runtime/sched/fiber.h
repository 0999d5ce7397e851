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

/*
 * Prepares a stack and returns the stack pointer for fiber_switch(). The first switch to the stack
 * calls function(argument), which must not return.
 */
void *fiber_prepare_stack(void *top, void (*function)(void *), void *argument);

/* ---- fiber_tls.c: the C library's data of each thread ---------------------------------------- */

/*
 * Starts a kernel thread once, to learn how the C library initialises a new thread. Must be called
 * before all other functions here. Returns false and the reason if this C library is not
 * understood.
 */
bool fiber_learn(const char **why);

/* Addresses in the stack of a fiber. */
struct fiber_layout {
	uint64_t thread_pointer; /* also its pthread_t */
	/* first stack pointer: below it are the frames of the routine's callers */
	void *start;
	void *first_frame; /* of the routine; as far from the stack's end as in a kernel thread */
};

/*
 * Writes the thread-local variables to the upper end of the stack [low, low + bytes). Returns false
 * if the stack is too small.
 */
bool fiber_make_tls(uint32_t number, void *low, size_t bytes, struct fiber_layout *layout);
/*
 * Each function NAME_scratch(size_t *bytes) returns the address and size of variables that a thread
 * always writes before it reads them. So they need not be initialised in a new thread.
 */
void *fiber_end_scratch(size_t *bytes);

/* Returns the thread id in the C library's descriptor. The kernel does not know it. */
int fiber_tls_tid(uint64_t thread_pointer);

/* ---- fiber_end.c: the end of a thread, after its routine ------------------------------------- */

/* From now on, pthread_exit() ends the calling fiber. */
void fiber_replace_exit(void);

/*
 * Calls routine(argument) with its first frame at `stack`. Returns false if pthread_exit ended the
 * thread; `*result` is its result in both cases.
 */
bool fiber_run_routine(void *(*routine)(void *), void *argument, void *stack, void **result);

/*
 * Runs the destructors of thread_local variables and of keys as the C library would, with the first
 * frame at `stack`.
 */
void fiber_destroy_variables(void *stack);

/* ---- carrier_fiber.c ------------------------------------------------------------------------- */

bool fiber_on(void);		       /* are threads fibers? */
unsigned long fiber_main_thread(void); /* the main thread's pthread_t, which the kernel knows */
int fiber_tid(void);		       /* the calling thread's id */
/* As pthread_getattr_np. Returns false if the thread is not a fiber. */
bool fiber_get_attributes(unsigned long thread, pthread_attr_t *attributes);
/* the caller's stack; false: the caller is not a fiber */
bool fiber_own_stack(void **low, size_t *bytes);
bool fiber_any_created(void);

/*
 * Call when the program does something that fibers cannot do: ends the run with CONTROL_UNFIT. Does
 * nothing if threads are kernel threads or take no turns.
 */
void fiber_refuse(const char *what);

#endif
