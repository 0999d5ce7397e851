/*
 * Keeps the destructors of the program's keys (pthread_key_create, tss_create), so that the runtime
 * can run a round of them itself: for fibers, and before a thread's END.
 */
#include "runtime/sync/keys.h"

#include "runtime/host/libc_next.h"

#include <limits.h>

/*
 * The destructors, indexed by key. An entry needs no lock, because the library orders the creations
 * and deletions of one key.
 */
static void (*destructors[PTHREAD_KEYS_MAX])(void *);
static unsigned key_limit; /* all keys are smaller */

static void add_key(unsigned key, void (*destructor)(void *))
{
	if (key >= PTHREAD_KEYS_MAX)
		return;
	__atomic_store_n(&destructors[key], destructor, __ATOMIC_RELAXED);
	unsigned limit = __atomic_load_n(&key_limit, __ATOMIC_RELAXED);
	while (limit <= key && !__atomic_compare_exchange_n(&key_limit, &limit, key + 1, true,
							    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void remove_key(unsigned key)
{
	if (key < PTHREAD_KEYS_MAX)
		__atomic_store_n(&destructors[key], NULL, __ATOMIC_RELAXED);
}

SOOTH_API int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int result = real()->pthread_key_create(key, destructor);

	if (result == 0)
		add_key(*key, destructor);
	return result;
}

SOOTH_API int pthread_key_delete(pthread_key_t key)
{
	int result = real()->pthread_key_delete(key);

	if (result == 0)
		remove_key(key);
	return result;
}

/* A tss_t is a pthread_key_t. */
SOOTH_API int tss_create(tss_t *key, tss_dtor_t destructor)
{
	int result = real()->tss_create(key, destructor);

	if (result == thrd_success)
		add_key(*key, destructor);
	return result;
}

SOOTH_API void tss_delete(tss_t key)
{
	real()->tss_delete(key);
	remove_key(key);
}

/* Skips values whose destructor is not known; the library handles them. */
bool keys_run_destructors(unsigned from, unsigned but)
{
	bool any = false;

	for (unsigned key = from; key < __atomic_load_n(&key_limit, __ATOMIC_RELAXED); key++) {
		void (*destructor)(void *) = __atomic_load_n(&destructors[key], __ATOMIC_RELAXED);
		void *value = key != but && destructor ? pthread_getspecific(key) : NULL;
		if (!value)
			continue;
		pthread_setspecific(key, NULL);
		any = true;
		destructor(value);
	}
	return any;
}
