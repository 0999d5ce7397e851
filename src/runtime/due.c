#include "runtime/due.h"

#include "runtime/lane.h"
#include "runtime/object.h"
#include "runtime/turn.h"

#include <errno.h>
#include <stdatomic.h>

void due_expect(enum event_kind kind, const void *object, uintptr_t pc)
{
	if (!record_on())
		return;
	due_record();
	lane_self.due = (struct due){ object, pc, (uint8_t)kind };
	atomic_signal_fence(memory_order_seq_cst);
	lane_hurry(__sooth_lane);
}

void due_forget(void)
{
	lane_self.due.kind = EV_NONE;
}

void due_is_done(void)
{
	lane_self.due.kind = EV_NONE;
	if (!lane_self.uncancellable)
		lane_self.cancelled = false;
}

/*
 * It stands between a record and the number that was taken for it: it has the time of that number, as the
 * record will, and the thread is not cancelled meanwhile.
 */
static void record_before(const struct due *due)
{
	uint64_t numbered = lane_self.numbered;
	bool held_off = lane_self.held_off;

	lane_self.held_off = false;
	lane_self.early = true;
	if (due->kind == EV_RECEIVE)
		object_record(EV_RECEIVE, due->pc, due->object, record_sequence(due->object),
			      EVENT_CHANNEL_TOLD);
	else
		record(EV_SYNC, due->pc, (struct record_fields){ 0 });
	lane_self.early = false;
	lane_self.numbered = numbered;
	lane_self.held_off = held_off;
}

void due_record(void)
{
	bool cancelled = lane_self.cancelled && !lane_self.uncancellable;
	struct due due = lane_self.due;
	int error = errno;

	if ((!due.kind && !cancelled) || lane_self.quiet)
		return;
	if (turn_on())
		turn_return(); /* the call may have waited long, and the turn been taken away */
	struct cancel_before before = cancel_forbid();
	lane_self.due.kind = EV_NONE;
	if (cancelled) {
		lane_self.cancelled = false;
		due.kind = EV_SYNC; /* more than any other */
	}
	record_before(&due);
	errno = error;
	cancel_allow(before);
}
