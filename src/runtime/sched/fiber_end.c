/*
 * Ends a fiber. A kernel thread runs and ends in the C library's start_thread(), but a fiber does
 * not. pthread_exit() unwinds to a point that start_thread() would have registered in the thread
 * descriptor. Here that point is registered with __pthread_register_cancel(), which the old
 * pthread_cleanup_push() calls. After that, the destructors run: the C library exports a function
 * that runs those of thread_local variables, and keys.c runs those of keys.
 */
#include "runtime/sched/fiber.h"

#include "runtime/sync/keys.h"
#include "runtime/host/libc_next.h"
#include "runtime/sync/thread.h"

#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>

/* pthread.h does not declare this function for a compiler with exceptions. */
void __pthread_register_cancel(__pthread_unwind_buf_t *buffer);

/* The library's unwind buffer is a jmp_buf without the signal mask. */
static SOOTH_TLS union {
	struct __jmp_buf_tag jump;
	__pthread_unwind_buf_t unwind;
} outermost;
static SOOTH_TLS void *exit_result;

void *fiber_end_scratch(size_t *bytes)
{
	*bytes = sizeof(outermost);
	return &outermost;
}

static __typeof__(pthread_exit) *unwind;
static void (*destroy_thread_locals)(void);

static __attribute__((noreturn)) void exit_fiber(void *result)
{
	exit_result = result;
	unwind(result);
	__builtin_unreachable();
}

void fiber_replace_exit(void)
{
	if (unwind)
		return;
	unwind = real()->pthread_exit;
	real_table.pthread_exit = exit_fiber;
	destroy_thread_locals = (void (*)(void))(uintptr_t)dlsym(RTLD_NEXT, "__call_tls_dtors");
}

bool fiber_run_routine(void *(*routine)(void *), void *argument, void *stack, void **result)
{
	if (__sigsetjmp(&outermost.jump, 0) != 0) {
		*result = exit_result;
		return false;
	}
	__pthread_register_cancel(&outermost.unwind);
	*result = fiber_call(routine, argument, stack);
	return true;
}

/* ---- destructors ----------------------------------------------------------------------------- */

static void *destroy_locals(void *unused)
{
	destroy_thread_locals();
	return unused;
}

/*
 * Runs the destructors of keys, at most as many rounds as the C library does, until no key but
 * `ends` has a value. `ends` is the key whose destructor ends the thread. It comes last, when no
 * destructor can set another key any more.
 */
static void *destroy_keys(void *unused)
{
	unsigned ends = thread_end_key();

	for (int round = 1; round <= PTHREAD_DESTRUCTOR_ITERATIONS && keys_run_destructors(0, ends);
	     round++)
		;
	if (pthread_getspecific(ends))
		thread_end();
	return unused;
}

void fiber_destroy_variables(void *stack)
{
	if (destroy_thread_locals)
		fiber_call(destroy_locals, NULL, stack);
	fiber_call(destroy_keys, NULL, stack);
}
