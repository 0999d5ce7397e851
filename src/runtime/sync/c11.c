/*
 * C11 threads. In glibc a mtx_t is a mutex of pthreads, a cnd_t a condition and a thrd_t a pthread_t,
 * and the functions differ in what they return; but they do not come by those of pthreads. (call_once
 * is in once.c.)
 */
#include "runtime/sync/cond.h"
#include "runtime/sync/mutex.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sync/thread.h"

#include <errno.h>

static int result_of(int error)
{
	switch (error) {
	case 0: return thrd_success;
	case ENOMEM: return thrd_nomem;
	case ETIMEDOUT: return thrd_timedout;
	case EBUSY: return thrd_busy;
	default: return thrd_error;
	}
}

/* ---- threads -------------------------------------------------------------------------------- */

SOOTH_API int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	if (!record_on())
		return real()->thrd_create(thread, routine, argument);
	return result_of(thread_create(thread, NULL, (struct thread_routine){ .c11 = routine },
				       argument, RECORD_CALLER));
}

SOOTH_API int thrd_join(thrd_t thread, int *result)
{
	void *value;
	int error = thread_join(thread, &value, RECORD_CALLER);

	if (error == 0 && result)
		*result = (int)(intptr_t)value;
	return result_of(error);
}

SOOTH_API int thrd_detach(thrd_t thread)
{
	return result_of(thread_detach(thread, RECORD_CALLER));
}

SOOTH_API void thrd_exit(int result)
{
	thread_exit((void *)(intptr_t)result);
}

/* ---- mutexes -------------------------------------------------------------------------------- */

static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
	return (pthread_mutex_t *)(void *)mutex;
}

SOOTH_API int mtx_init(mtx_t *mutex, int type)
{
	int result = real()->mtx_init(mutex, type);

	if (result == thrd_success)
		mutex_made(mutex_of(mutex), RECORD_CALLER);
	return result;
}

SOOTH_API int mtx_lock(mtx_t *mutex)
{
	return result_of(mutex_lock(mutex_of(mutex), RECORD_CALLER));
}

SOOTH_API int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	return result_of(mutex_lock_until(mutex_of(mutex), until, RECORD_CALLER));
}

SOOTH_API int mtx_trylock(mtx_t *mutex)
{
	return result_of(mutex_try(mutex_of(mutex), RECORD_CALLER));
}

SOOTH_API int mtx_unlock(mtx_t *mutex)
{
	return result_of(mutex_unlock(mutex_of(mutex), RECORD_CALLER));
}

SOOTH_API void mtx_destroy(mtx_t *mutex)
{
	mutex_destroy(mutex_of(mutex), RECORD_CALLER);
}

/* ---- conditions ----------------------------------------------------------------------------- */

static pthread_cond_t *cond_of(cnd_t *cond)
{
	return (pthread_cond_t *)(void *)cond;
}

SOOTH_API int cnd_init(cnd_t *cond)
{
	return result_of(cond_init(cond_of(cond), NULL, RECORD_CALLER));
}

SOOTH_API int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	return result_of(cond_wait(cond_of(cond), mutex_of(mutex), RECORD_CALLER));
}

SOOTH_API int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
			    const struct timespec *restrict until)
{
	return result_of(cond_wait_until(cond_of(cond), mutex_of(mutex), until, RECORD_CALLER));
}

SOOTH_API int cnd_signal(cnd_t *cond)
{
	return result_of(cond_signal(cond_of(cond), RECORD_CALLER));
}

SOOTH_API int cnd_broadcast(cnd_t *cond)
{
	return result_of(cond_broadcast(cond_of(cond), RECORD_CALLER));
}

SOOTH_API void cnd_destroy(cnd_t *cond)
{
	cond_destroy(cond_of(cond), RECORD_CALLER);
}
