/*
 * pthread_once. The thread that runs the routine records ONCE_BEGIN and ONCE_END around it; each
 * thread that finds it done records ONCE. The library passes no argument to the routine, so a
 * thread-local variable holds what belongs to the call.
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
 * Also runs when an exception or cancellation leaves the routine. The library then lets another
 * thread run it, after this one.
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
	call->routine(); /* it may call pthread_once for another object */
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

/* C11's name for it. In glibc both are the same function. */
SOOTH_API void call_once(once_flag *flag, void (*routine)(void))
{
	call_once_from((pthread_once_t *)flag, routine, RECORD_CALLER);
}
