/*
 * Joins, detaches and cancellation of threads. A second join or detach of the same thread is
 * recorded as a misuse; it is passed on to the library nevertheless.
 */
#include "runtime/sync/thread.h"

#include "runtime/sched/carrier.h"
#include "runtime/sched/fiber.h"
#include "runtime/host/interposer.h"
#include "runtime/host/libc_next.h"
#include "runtime/buffer/record.h"
#include "runtime/io/unknown_wait.h"
#include "runtime/sync/thread_table.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>

static void record_misuse(enum event_misuse which, uintptr_t pc, uint32_t stream)
{
	record(EV_MISUSE, pc, (struct record_fields){ .n = stream, .m = which });
}

/* Records a misuse if a join failed because of an earlier join or detach. */
static void record_failed_join(struct thread_known known, uintptr_t pc, int result)
{
	if (known.stream == THREAD_UNKNOWN || (result != EINVAL && result != ESRCH))
		return;
	record_misuse(known.fate == THREAD_DETACHED ? EVENT_MISUSE_JOIN_DETACHED
						    : EVENT_MISUSE_JOIN_TWICE,
		      pc, known.stream);
}

/* Records the end of a join. Returns `result`. */
static int record_join(pthread_t thread, struct thread_known known, uintptr_t pc, int result)
{
	if (result != 0) {
		record_failed_join(known, pc, result);
		return result;
	}
	if (known.stream != THREAD_UNKNOWN && known.fate < THREAD_JOINED) {
		thread_table_set_fate(thread, known.stream, THREAD_JOINED);
		record(EV_JOIN, pc, (struct record_fields){ .n = known.stream });
	} else {
		record_unmodelled(pc, "join of a thread whose creation was not seen");
		unknown_wait_end(&(struct unknown_wait_call){ pc, UNKNOWN_WAIT_WAITED });
	}
	return 0;
}

/*
 * A mark in the thread table: until the end of this variable's scope, the caller is the thread that
 * joins `thread`.
 */
struct join_claim {
	pthread_t thread;
	uint32_t stream; /* THREAD_UNKNOWN: the caller has no claim */
};
#define JOIN_CLAIM __attribute__((cleanup(give_claim_up)))

static struct join_claim claim_thread(pthread_t thread, struct thread_known known)
{
	if (known.stream == THREAD_UNKNOWN || known.fate != THREAD_JOINABLE)
		return (struct join_claim){ thread, THREAD_UNKNOWN };
	thread_table_set_fate(thread, known.stream, THREAD_AWAITED);
	return (struct join_claim){ thread, known.stream };
}

/*
 * Ends the claim. Also runs when the join is cancelled. If the thread was joined or detached in the
 * meantime, its state does not change.
 */
static void give_claim_up(struct join_claim *claim)
{
	struct thread_known known = thread_table_find(claim->thread);

	if (claim->stream != THREAD_UNKNOWN && known.stream == claim->stream &&
	    known.fate == THREAD_AWAITED)
		thread_table_set_fate(claim->thread, claim->stream, THREAD_JOINABLE);
}

/* ---- joining --------------------------------------------------------------------------------- */

/*
 * In a controlled run the real join is called only after the other thread has ended, so the library
 * cannot detect a second join that is made before. Returns the error that the library would return,
 * or 0 if the thread can be joined.
 */
static int refuse_join(struct thread_known known, enum event_how how)
{
	if (known.stream == THREAD_UNKNOWN || known.fate == THREAD_JOINABLE)
		return 0;
	if (how == EVENT_TRY && (known.fate == THREAD_JOINED || !sched_thread_ended(known.stream)))
		return EBUSY;
	return known.fate == THREAD_JOINED ? ESRCH : EINVAL;
}

/*
 * In a controlled run the scheduler waits until the other thread has ended. The real join then
 * waits only for the library to finish that thread. A thread that is not in the thread table, or
 * that takes no turns, is joined outside the schedule.
 */
static int join_controlled(pthread_t thread, struct thread_known known, void **result, uintptr_t pc,
			   enum event_how how, uint64_t until)
{
	struct sched_op want = sched_op(EV_JOIN, NULL, pc);
	uint32_t stream = known.stream;
	int status = refuse_join(known, how);

	if (status != 0)
		return record_join(thread, known, pc, status);
	if (stream == THREAD_UNKNOWN || stream >= CONTROL_THREADS) {
		sched_leave(pc);
		status = real()->pthread_join(thread, result);
		sched_return();
		return record_join(thread, known, pc, status);
	}
	if (how == EVENT_PLAIN && stream != sched_self())
		record(EV_JOIN_REQUEST, pc, (struct record_fields){ .n = stream });
	struct join_claim claim JOIN_CLAIM = { thread, THREAD_UNKNOWN };
	if (how != EVENT_TRY && stream != sched_self())
		claim = claim_thread(thread, known);
	want.object = stream;
	want.how = how;
	want.until = until;
	enum sched_outcome answer = sched_wait_until_enabled(&want);
	if (answer == SCHED_TIMED_OUT)
		return ETIMEDOUT;
	if (sched_cancelled()) {
		real()->pthread_testcancel();
		give_claim_up(&claim);
		return join_controlled(thread, thread_table_find(thread), result, pc, how, until);
	}
	if (how == EVENT_TRY && !sched_thread_ended(stream))
		return EBUSY;
	status = carrier->join(stream, thread, result);
	return record_join(thread, known, pc, status);
}

int thread_join(pthread_t thread, void **result, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_join(thread, result);
	struct thread_known known = thread_table_find(thread);
	if (sched_on())
		return join_controlled(thread, known, result, pc, EVENT_PLAIN, 0);
	/*
	 * A request is recorded even if the join will not wait: finding that out would take another
	 * call.
	 */
	bool own = pthread_equal(thread, pthread_self()); /* then the join fails */
	if (known.stream != THREAD_UNKNOWN && known.fate < THREAD_JOINED && !own)
		record(EV_JOIN_REQUEST, pc, (struct record_fields){ .n = known.stream });
	struct join_claim claim JOIN_CLAIM = { thread, THREAD_UNKNOWN };
	if (!own)
		claim = claim_thread(thread, known);
	UNKNOWN_WAIT_BEGIN(call, pc);
	int status = real()->pthread_join(thread, result);
	call.how = UNKNOWN_WAIT_NOTHING;
	return record_join(thread, known, pc, status);
}

SOOTH_API int pthread_tryjoin_np(pthread_t thread, void **result)
{
	if (!record_on())
		return real()->pthread_tryjoin_np(thread, result);
	struct thread_known known = thread_table_find(thread);
	if (sched_on() && known.stream != THREAD_UNKNOWN)
		return join_controlled(thread, known, result, RECORD_CALLER, EVENT_TRY, 0);
	return record_join(thread, known, RECORD_CALLER,
			   real()->pthread_tryjoin_np(thread, result));
}

/* An interposer that joins `thread` but waits no longer than `until`, in virtual time. */
#define JOIN_UNTIL(name, thread, value, parameters, until)                                         \
	SOOTH_API int name(PARAMETERS parameters)                                                  \
	{                                                                                          \
		uintptr_t pc = RECORD_CALLER;                                                      \
		if (!record_on())                                                                  \
			return real()->name(ARGUMENTS parameters);                                 \
		struct thread_known known = thread_table_find(thread);                             \
		if (sched_on())                                                                    \
			return join_controlled(thread, known, value, pc, EVENT_TIMED, until);      \
		UNKNOWN_WAIT_BEGIN(call, pc);                                                      \
		int status = real()->name(ARGUMENTS parameters);                                   \
		call.how = UNKNOWN_WAIT_NOTHING;                                                   \
		return record_join(thread, known, pc, status);                                     \
	}

JOIN_UNTIL(pthread_timedjoin_np, thread, result,
	   (pthread_t, thread, void **, result, const struct timespec *, until),
	   virtual_time_of(CLOCK_REALTIME, until))
JOIN_UNTIL(pthread_clockjoin_np, thread, result,
	   (pthread_t, thread, void **, result, clockid_t, clock, const struct timespec *, until),
	   virtual_time_of(clock, until))

/* ---- cancelling and detaching ---------------------------------------------------------------- */

/* In a controlled run, a thread that waits at a cancellation point reacts immediately. */
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
		sched_mark_unordered();
		sched_cancel(thread_table_stream(thread));
	}
	return result;
}

/*
 * In a controlled run, returns the errors that the library cannot detect: it does not yet know of a
 * thread that waits in a join, and it has forgotten threads that were joined.
 */
static int detach_controlled(pthread_t thread, struct thread_known known)
{
	switch (known.fate) {
	case THREAD_JOINED: return ESRCH;
	case THREAD_DETACHED: return EINVAL;
	case THREAD_AWAITED: return 0; /* the joining thread continues its join */
	case THREAD_JOINABLE: break;
	}
	return real()->pthread_detach(thread);
}

int thread_detach(pthread_t thread, uintptr_t pc)
{
	if (!record_on())
		return real()->pthread_detach(thread);
	bool controlled = sched_on();
	sched_before(EV_DETACH, NULL, 0, pc);
	struct thread_known known = thread_table_find(thread);
	int result = controlled ? detach_controlled(thread, known) : real()->pthread_detach(thread);
	if (known.stream == THREAD_UNKNOWN)
		return result;
	if (known.fate == THREAD_AWAITED || (known.fate == THREAD_JOINED && result != 0))
		record_misuse(EVENT_MISUSE_JOIN_DETACHED, pc, known.stream);
	if (result == 0 && known.fate < THREAD_JOINED) {
		if (known.fate == THREAD_JOINABLE)
			thread_table_set_fate(thread, known.stream, THREAD_DETACHED);
		record(EV_DETACH, pc, (struct record_fields){ .n = known.stream });
	}
	return result;
}

INTERPOSER(int, pthread_join, (pthread_t, thread, void **, result), thread_join)
INTERPOSER(int, pthread_detach, (pthread_t, thread), thread_detach)
