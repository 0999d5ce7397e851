/*
 * The end of a thread without the C library's start_thread around it. pthread_exit unwinds to a
 * place that start_thread registers in the descriptor; __pthread_register_cancel, which the old
 * pthread_cleanup_push calls, registers another. Behind that come the destructors: the library
 * exports those of thread_local variables, those of keys are known here.
 */
#include "runtime/fiber.h"

#include "runtime/real.h"
#include "runtime/thread.h"

#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>

/* Not declared where the compiler has exceptions. */
void __pthread_register_cancel(__pthread_unwind_buf_t *buffer);

/* The library's place to unwind to is a jmp_buf without its mask. */
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

void fiber_swap_exit(void)
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

/* ---- keys ----------------------------------------------------------------------------------- */

/* Destructors of the keys there are, by key. Written under the library's own order of creations. */
static void (*destructors[PTHREAD_KEYS_MAX])(void *);
static unsigned keys; /* all are below */

SOOTH_API int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int result = real()->pthread_key_create(key, destructor);

	if (result == 0 && *key < PTHREAD_KEYS_MAX) {
		__atomic_store_n(&destructors[*key], destructor, __ATOMIC_RELAXED);
		unsigned most = __atomic_load_n(&keys, __ATOMIC_RELAXED);
		while (most <= *key &&
		       !__atomic_compare_exchange_n(&keys, &most, *key + 1, true, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED))
			;
	}
	return result;
}

SOOTH_API int pthread_key_delete(pthread_key_t key)
{
	int result = real()->pthread_key_delete(key);

	if (result == 0 && key < PTHREAD_KEYS_MAX)
		__atomic_store_n(&destructors[key], NULL, __ATOMIC_RELAXED);
	return result;
}

static void *destroy_locals(void *unused)
{
	destroy_thread_locals();
	return unused;
}

/*
 * One round over all keys; false: no value was left. The key that ends the thread has one in each round,
 * so as to be there in the last. That one comes when nobody else has any: no destructor is left to run
 * that could set another.
 */
static bool destroy_values(bool last)
{
	bool any = false;

	for (unsigned key = 0; key < keys; key++) {
		void *value = pthread_getspecific(key);
		if (!value)
			continue;
		if (thread_is_end_key(key)) {
			if (last)
				thread_end();
			continue;
		}
		pthread_setspecific(key, NULL);
		any = true;
		if (destructors[key])
			destructors[key](value);
	}
	return any;
}

static void *destroy_keys(void *unused)
{
	for (int round = 1; round < PTHREAD_DESTRUCTOR_ITERATIONS && destroy_values(false); round++)
		;
	destroy_values(true);
	return unused;
}

void fiber_destroy_variables(void *stack)
{
	if (destroy_thread_locals)
		fiber_call(destroy_locals, NULL, stack);
	fiber_call(destroy_keys, NULL, stack);
}
