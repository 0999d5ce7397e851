/*
 * Joins, detaches and cancellation. What is done twice, or after the other, is passed on and recorded as
 * misuse.
 */
#include "runtime/sync/thread.h"

#include "runtime/sched/carrier.h"
#include "runtime/sched/fiber.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/sync/thread_table.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>

static void misuse(enum event_misuse which, uintptr_t pc, uint32_t stream)
{
	record(EV_MISUSE, pc, (struct record_fields){ .n = stream, .m = which });
}

/* Says so when a join has failed because another was before it, or a detach. */
static void blame_join(struct thread_known known, uintptr_t pc, int result)
{
	if (known.stream == THREAD_UNKNOWN || (result != EINVAL && result != ESRCH))
		return;
	misuse(known.fate == THREAD_DETACHED ? EVENT_MISUSE_JOIN_DETACHED : EVENT_MISUSE_JOIN_TWICE,
	       pc, known.stream);
}

static int joined(pthread_t thread, struct thread_known known, uintptr_t pc, int result)
{
	if (result != 0) {
		blame_join(known, pc, result);
		return result;
	}
	if (known.stream != THREAD_UNKNOWN && known.fate < THREAD_JOINED) {
		thread_table_settle(thread, known.stream, THREAD_JOINED);
		record(EV_JOIN, pc, (struct record_fields){ .n = known.stream });
	} else {
		record_unmodelled(pc, "join of a thread whose creation was not seen");
		unknown_wait_end(&(struct unknown_wait_call){ pc, UNKNOWN_WAIT_WAITED });
	}
	return 0;
}

/* From here on to the end of the scope the caller is the one who joins it. */
struct claim {
	pthread_t thread;
	uint32_t stream; /* THREAD_UNKNOWN: none */
};
#define CLAIM __attribute__((cleanup(give_claim_up)))

static struct claim claim_thread(pthread_t thread, struct thread_known known)
{
	if (known.stream == THREAD_UNKNOWN || known.fate != THREAD_JOINABLE)
		return (struct claim){ thread, THREAD_UNKNOWN };
	thread_table_settle(thread, known.stream, THREAD_AWAITED);
	return (struct claim){ thread, known.stream };
}

/* Also when the join is cancelled. What was joined, or detached meanwhile, stays so. */
static void give_claim_up(struct claim *claim)
{
	struct thread_known known = thread_table_find(claim->thread);

	if (claim->stream != THREAD_UNKNOWN && known.stream == claim->stream &&
	    known.fate == THREAD_AWAITED)
		thread_table_settle(claim->thread, claim->stream, THREAD_JOINABLE);
}

/*
 * In turn the real join is only called when the other is over, and it is not for the library to say what
 * becomes of a second one: the same as it says otherwise. 0: it can be joined.
 */
static int refuse_in_turn(struct thread_known known, enum event_how how)
{
	if (known.stream == THREAD_UNKNOWN || known.fate == THREAD_JOINABLE)
		return 0;
	if (how == EVENT_TRY && (known.fate == THREAD_JOINED || !sched_is_over(known.stream)))
		return EBUSY;
	return known.fate == THREAD_JOINED ? ESRCH : EINVAL;
}

/*
 * In turn: the scheduler knows when the other is over, and the real join then need not wait but for
 * the last steps of the library. A thread whose number is not known is waited for outside.
 */
static int join_in_turn(pthread_t thread, struct thread_known known, void **result, uintptr_t pc,
			enum event_how how, uint64_t until)
{
	struct sched_want want = sched_want(EV_JOIN, NULL, pc);
	uint32_t stream = known.stream;
	int status = refuse_in_turn(known, how);

	if (status != 0)
		return joined(thread, known, pc, status);
	if (stream == THREAD_UNKNOWN) {
		sched_leave(pc);
		status = real()->pthread_join(thread, result);
		sched_return();
		return joined(thread, known, pc, status);
	}
	if (how == EVENT_PLAIN && stream != sched_self())
		record(EV_JOIN_REQUEST, pc, (struct record_fields){ .n = stream });
	struct claim claim CLAIM = { thread, THREAD_UNKNOWN };
	if (how != EVENT_TRY && stream != sched_self())
		claim = claim_thread(thread, known);
	want.object = stream;
	want.how = how;
	want.until = until;
	enum sched_answer answer = sched_take(&want);
	if (answer == SCHED_TIMED_OUT)
		return ETIMEDOUT;
	if (sched_cancelled()) {
		real()->pthread_testcancel();
		give_claim_up(&claim);
		return join_in_turn(thread, thread_table_find(thread), result, pc, how, until);
	}
	if (how == EVENT_TRY && !sched_is_over(stream))
		return EBUSY;
	status = carrier->join(stream, thread, result);
	return joined(thread, known, pc, status);
}

int thread_join(pthread_t thread, void **result, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_join(thread, result);
	struct thread_known known = thread_table_find(thread);
	if (sched_on())
		return join_in_turn(thread, known, result, pc, EVENT_PLAIN, 0);
	/* Also where it need not wait: to find out would be a call of its own. One's own fails. */
	bool own = pthread_equal(thread, pthread_self());
	if (known.stream != THREAD_UNKNOWN && known.fate < THREAD_JOINED && !own)
		record(EV_JOIN_REQUEST, pc, (struct record_fields){ .n = known.stream });
	struct claim claim CLAIM = { thread, THREAD_UNKNOWN };
	if (!own)
		claim = claim_thread(thread, known);
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { pc, UNKNOWN_WAIT_CANCELLED };
	int status = real()->pthread_join(thread, result);
	call.how = UNKNOWN_WAIT_NOTHING;
	return joined(thread, known, pc, status);
}

SOOTH_API int pthread_join(pthread_t thread, void **result)
{
	return thread_join(thread, result, RECORD_CALLER);
}

SOOTH_API int pthread_tryjoin_np(pthread_t thread, void **result)
{
	if (!record_on())
		return real()->pthread_tryjoin_np(thread, result);
	struct thread_known known = thread_table_find(thread);
	if (sched_on() && known.stream != THREAD_UNKNOWN)
		return join_in_turn(thread, known, result, RECORD_CALLER, EVENT_TRY, 0);
	return joined(thread, known, RECORD_CALLER, real()->pthread_tryjoin_np(thread, result));
}

SOOTH_API int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
	if (!record_on())
		return real()->pthread_timedjoin_np(thread, result, until);
	struct thread_known known = thread_table_find(thread);
	if (sched_on())
		return join_in_turn(thread, known, result, RECORD_CALLER, EVENT_TIMED,
				    virtual_time_of(CLOCK_REALTIME, until));
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };
	int status = real()->pthread_timedjoin_np(thread, result, until);
	call.how = UNKNOWN_WAIT_NOTHING;
	return joined(thread, known, RECORD_CALLER, status);
}

SOOTH_API int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
				   const struct timespec *until)
{
	if (!record_on())
		return real()->pthread_clockjoin_np(thread, result, clock, until);
	struct thread_known known = thread_table_find(thread);
	if (sched_on())
		return join_in_turn(thread, known, result, RECORD_CALLER, EVENT_TIMED,
				    virtual_time_of(clock, until));
	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };
	int status = real()->pthread_clockjoin_np(thread, result, clock, until);
	call.how = UNKNOWN_WAIT_NOTHING;
	return joined(thread, known, RECORD_CALLER, status);
}

/* What it waits for in turn, at a cancellation point, it finds at once. */
SOOTH_API int pthread_cancel(pthread_t thread)
{
	fiber_refuse("pthread_cancel");
	if (record_on())
		record(EV_PROCESS, RECORD_CALLER,
		       (struct record_fields){ .n = thread_table_stream(thread),
					       .m = EVENT_PROCESS_CANCEL });
	cancel_announce(thread);
	int result = real()->pthread_cancel(thread);

	if (result == 0 && sched_on()) {
		sched_disordered();
		sched_cancel(thread_table_stream(thread));
	}
	return result;
}

/* In turn the library does not know yet who joins, and no more of who was joined: see above. */
static int detach_in_turn(pthread_t thread, struct thread_known known)
{
	switch (known.fate) {
	case THREAD_JOINED: return ESRCH;
	case THREAD_DETACHED: return EINVAL;
	case THREAD_AWAITED: return 0; /* who joins it goes on to do so */
	case THREAD_JOINABLE: break;
	}
	return real()->pthread_detach(thread);
}

int thread_detach(pthread_t thread, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_detach(thread);
	bool turns = sched_on();
	sched_before(EV_DETACH, NULL, 0, pc);
	struct thread_known known = thread_table_find(thread);
	int result = turns ? detach_in_turn(thread, known) : real()->pthread_detach(thread);
	if (known.stream == THREAD_UNKNOWN)
		return result;
	if (known.fate == THREAD_AWAITED || (known.fate == THREAD_JOINED && result != 0))
		misuse(EVENT_MISUSE_JOIN_DETACHED, pc, known.stream);
	if (result == 0 && known.fate < THREAD_JOINED) {
		if (known.fate == THREAD_JOINABLE)
			thread_table_settle(thread, known.stream, THREAD_DETACHED);
		record(EV_DETACH, pc, (struct record_fields){ .n = known.stream });
	}
	return result;
}

SOOTH_API int pthread_detach(pthread_t thread)
{
	return thread_detach(thread, RECORD_CALLER);
}
