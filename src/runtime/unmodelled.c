/*
 * What a program may use and a trace does not have yet: named where such an object is made. The
 * library's C11 functions do not come by those of pthreads.
 */
#include "runtime/real.h"
#include "runtime/record.h"

SOOTH_API int thrd_create(thrd_t *thread, thrd_start_t routine, void *argument)
{
	if (record_on())
		record_unmodelled(RECORD_CALLER, "thrd_create");
	return real()->thrd_create(thread, routine, argument);
}

SOOTH_API int mtx_init(mtx_t *mutex, int type)
{
	if (record_on())
		record_unmodelled(RECORD_CALLER, "mtx_init");
	return real()->mtx_init(mutex, type);
}

SOOTH_API int cnd_init(cnd_t *cond)
{
	if (record_on())
		record_unmodelled(RECORD_CALLER, "cnd_init");
	return real()->cnd_init(cond);
}

SOOTH_API void call_once(once_flag *flag, void (*routine)(void))
{
	if (record_on())
		record_unmodelled(RECORD_CALLER, "call_once");
	real()->call_once(flag, routine);
}

SOOTH_API int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	if (record_on())
		record_unmodelled(RECORD_CALLER, "pthread_spin_init");
	return real()->pthread_spin_init(lock, shared);
}
