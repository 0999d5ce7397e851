/*
 * pthread_once. The thread that runs the routine records ONCE_BEGIN before it and ONCE_END after
 * it. A thread that finds the routine done records ONCE. The library passes no argument to the
 * routine, so a thread-local variable points to the data of the current call.
 */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sched/sched.h"

struct once_call {
	pthread_once_t *once;
	void (*routine)(void);
	uintptr_t pc;
	bool returned;
	bool ran;
};
static SOOTH_TLS struct once_call *current;

/*
 * Records ONCE_END. Also runs when an exception or a cancellation leaves the routine. In that case,
 * the library lets another thread run the routine afterwards.
 */
static void record_end(struct once_call **left)
{
	struct once_call *call = *left;

	if (!record_on())
		return;
	sched_before(EV_ONCE_END, call->once, 0, call->pc);
	sync_object_record_next(EV_ONCE_END, call->pc, call->once, 0);
	if (!call->returned)
		record_unmodelled(call->pc, "once routine left by an exception or cancellation");
}

static void run_routine(void)
{
	struct once_call *call __attribute__((cleanup(record_end))) = current;

	call->ran = true;
	sync_object_record_next(EV_ONCE_BEGIN, call->pc, call->once, 0);
	call->routine(); /* may call pthread_once for another object */
	call->returned = true;
}

static int call_once_from(pthread_once_t *once, void (*routine)(void), uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_once(once, routine);
	struct once_call call = { once, routine, pc, false, false };
	sched_before(EV_ONCE_BEGIN, once, 0, pc); /* returns when no thread runs the routine */
	current = &call;
	int result = real()->pthread_once(once, run_routine);
	if (result == 0 && !call.ran)
		sync_object_record_next(EV_ONCE, call.pc, once, 0);
	return result;
}

SOOTH_API int pthread_once(pthread_once_t *once, void (*routine)(void))
{
	return call_once_from(once, routine, RECORD_CALLER);
}

/* The C11 version. glibc uses the same function for both. */
SOOTH_API void call_once(once_flag *flag, void (*routine)(void))
{
	call_once_from((pthread_once_t *)flag, routine, RECORD_CALLER);
}
