#include "runtime/sync/keys.h"

#include "runtime/host/libc_next.h"

#include <limits.h>

/* Destructors of the keys there are, by key. Written under the library's own order of creations. */
static void (*destructors[PTHREAD_KEYS_MAX])(void *);
static unsigned keys; /* all are below */

static void made(unsigned key, void (*destructor)(void *))
{
	if (key >= PTHREAD_KEYS_MAX)
		return;
	__atomic_store_n(&destructors[key], destructor, __ATOMIC_RELAXED);
	unsigned most = __atomic_load_n(&keys, __ATOMIC_RELAXED);
	while (most <= key && !__atomic_compare_exchange_n(&keys, &most, key + 1, true,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void gone(unsigned key)
{
	if (key < PTHREAD_KEYS_MAX)
		__atomic_store_n(&destructors[key], NULL, __ATOMIC_RELAXED);
}

SOOTH_API int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int result = real()->pthread_key_create(key, destructor);

	if (result == 0)
		made(*key, destructor);
	return result;
}

SOOTH_API int pthread_key_delete(pthread_key_t key)
{
	int result = real()->pthread_key_delete(key);

	if (result == 0)
		gone(key);
	return result;
}

/* A tss_t is a key of pthreads. */
SOOTH_API int tss_create(tss_t *key, tss_dtor_t destructor)
{
	int result = real()->tss_create(key, destructor);

	if (result == thrd_success)
		made(*key, destructor);
	return result;
}

SOOTH_API void tss_delete(tss_t key)
{
	real()->tss_delete(key);
	gone(key);
}

/* What has no destructor that we know of is left to the library. */
bool keys_destroy(unsigned from, unsigned but)
{
	bool any = false;

	for (unsigned key = from; key < __atomic_load_n(&keys, __ATOMIC_RELAXED); key++) {
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
