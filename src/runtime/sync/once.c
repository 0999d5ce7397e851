/*
 * pthread_once: ONCE_BEGIN and ONCE_END around the routine in the thread that runs it, ONCE in
 * each that finds it done. The library gives its routine no argument, so what belongs to the call
 * is left for it in a variable of the thread.
 */
#include "runtime/sync/sync_object.h"
#include "runtime/host/libc_next.h"
#include "runtime/sched/sched.h"

struct call {
	pthread_once_t *once;
	void (*routine)(void);
	uintptr_t pc;
	bool returned;
	bool ran;
};
static SOOTH_TLS struct call *current;

/*
 * Also when the routine is left by an exception or by cancellation: the library then lets another
 * thread run it, after us.
 */
static void end(struct call **call)
{
	if (!record_on())
		return;
	sched_before(EV_ONCE_END, (*call)->once, 0, (*call)->pc);
	sync_object_record(EV_ONCE_END, (*call)->pc, (*call)->once, record_sequence((*call)->once),
			   0);
	if (!(*call)->returned)
		record_unmodelled((*call)->pc, "once routine left by an exception or cancellation");
}

static void run(void)
{
	struct call *call __attribute__((cleanup(end))) = current;

	call->ran = true;
	sync_object_record(EV_ONCE_BEGIN, call->pc, call->once, record_sequence(call->once), 0);
	call->routine(); /* may call pthread_once in turn, for another */
	call->returned = true;
}

static int call_routine(pthread_once_t *once, void (*routine)(void), uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_once(once, routine);
	struct call call = { once, routine, pc, false, false };
	sched_before(EV_ONCE_BEGIN, once, 0, pc); /* returns when nobody is at it */
	current = &call;
	int result = real()->pthread_once(once, run);
	if (result == 0 && !call.ran)
		sync_object_record(EV_ONCE, call.pc, once, record_sequence(once), 0);
	return result;
}

SOOTH_API int pthread_once(pthread_once_t *once, void (*routine)(void))
{
	return call_routine(once, routine, RECORD_CALLER);
}

/* C11's name for it: in glibc the same function. */
SOOTH_API void call_once(once_flag *flag, void (*routine)(void))
{
	call_routine((pthread_once_t *)flag, routine, RECORD_CALLER);
}
