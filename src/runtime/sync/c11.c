/*
 * C11 threads. In glibc a mtx_t is a pthread_mutex_t, a cnd_t is a pthread_cond_t and a thrd_t is a
 * pthread_t, and the functions differ from those of pthreads only in their results. But glibc does
 * not implement them by calling the interposed pthread functions, so they have interposers, too.
 * (call_once is in once.c.)
 */
#include "runtime/sync/cond.h"
#include "runtime/sync/mutex.h"
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/sync/thread.h"

#include <errno.h>

static int c11_result(int error)
{
	switch (error) {
	case 0: return thrd_success;
	case ENOMEM: return thrd_nomem;
	case ETIMEDOUT: return thrd_timedout;
	case EBUSY: return thrd_busy;
	default: return thrd_error;
	}
}

static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
	return (pthread_mutex_t *)(void *)mutex;
}

static pthread_cond_t *cond_of(cnd_t *cond)
{
	return (pthread_cond_t *)(void *)cond;
}

/* An interposer whose work is done by the pthread function in the expression `call`. */
#define C11(name, parameters, call)                                                                \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		return c11_result(call);                                                           \
	}
#define C11_VOID(name, parameters, call)                                                           \
	SOOTH_API void name(PARAMETERS parameters)                                                 \
	{                                                                                          \
		call;                                                                              \
	}

C11(mtx_lock, (mtx_t *, mutex), mutex_lock(mutex_of(mutex), RECORD_CALLER))
C11(mtx_timedlock, (mtx_t *, mutex, const struct timespec *, until),
    mutex_lock_until(mutex_of(mutex), until, RECORD_CALLER))
C11(mtx_trylock, (mtx_t *, mutex), mutex_try(mutex_of(mutex), RECORD_CALLER))
C11(mtx_unlock, (mtx_t *, mutex), mutex_unlock(mutex_of(mutex), RECORD_CALLER))
C11_VOID(mtx_destroy, (mtx_t *, mutex), mutex_destroy(mutex_of(mutex), RECORD_CALLER))
C11(cnd_init, (cnd_t *, cond), cond_init(cond_of(cond), NULL, RECORD_CALLER))
C11(cnd_wait, (cnd_t *, cond, mtx_t *, mutex),
    cond_wait(cond_of(cond), mutex_of(mutex), RECORD_CALLER))
C11(cnd_timedwait, (cnd_t *, cond, mtx_t *, mutex, const struct timespec *, until),
    cond_wait_until(cond_of(cond), mutex_of(mutex), until, RECORD_CALLER))
C11(cnd_signal, (cnd_t *, cond), cond_signal(cond_of(cond), RECORD_CALLER))
C11(cnd_broadcast, (cnd_t *, cond), cond_broadcast(cond_of(cond), RECORD_CALLER))
C11_VOID(cnd_destroy, (cnd_t *, cond), cond_destroy(cond_of(cond), RECORD_CALLER))
C11(thrd_detach, (thrd_t, thread), thread_detach(thread, RECORD_CALLER))
C11_VOID(thrd_exit, (int, result), thread_exit((void *)(intptr_t)result))

SOOTH_API int mtx_init(mtx_t *mutex, int type)
{
	int result = real()->mtx_init(mutex, type);

	if (result == thrd_success)
		mutex_record_init(mutex_of(mutex), RECORD_CALLER);
	return result;
}

SOOTH_API int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	if (!record_on())
		return real()->thrd_create(thread, routine, argument);
	return c11_result(thread_create(thread, NULL, (struct thread_routine){ .c11 = routine },
					argument, RECORD_CALLER));
}

SOOTH_API int thrd_join(thrd_t thread, int *result)
{
	void *value;
	int error = thread_join(thread, &value, RECORD_CALLER);

	if (error == 0 && result)
		*result = (int)(intptr_t)value;
	return c11_result(error);
}
