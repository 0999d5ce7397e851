/* Deferred events: kept in the thread until its next record. See deferred_event.h. */
#include "runtime/buffer/deferred_event.h"

#include "runtime/buffer/thread_buffer.h"
#include "runtime/opaque/opaque.h"
#include "runtime/sync/sync_object.h"
#include "runtime/sched/sched.h"

#include <errno.h>
#include <stdatomic.h>

void deferred_event_expect(enum event_kind kind, const void *object, uintptr_t pc)
{
	if (!record_on())
		return;
	deferred_event_record();
	thread_buffer_self.due = (struct deferred_event){ object, pc, (uint8_t)kind };
	atomic_signal_fence(memory_order_seq_cst);
	thread_buffer_hurry(__sooth_lane);
}

void deferred_event_forget(void)
{
	thread_buffer_self.due.kind = EV_NONE;
}

void deferred_event_is_done(void)
{
	thread_buffer_self.due.kind = EV_NONE;
	thread_buffer_self.opaque.pc = 0;
	if (!thread_buffer_self.uncancellable)
		thread_buffer_self.cancelled = false;
}

static void write_event(const struct deferred_event *due)
{
	if (due->kind == EV_RECEIVE)
		sync_object_record(EV_RECEIVE, due->pc, due->object, record_sequence(due->object),
				   EVENT_CHANNEL_TOLD);
	else if (due->kind == EV_SYNC)
		record(EV_SYNC, due->pc, (struct record_fields){ 0 });
}

/*
 * Writes the deferred events before another record, for which a sequence number may already have
 * been taken. The deferred events get the time of that number, as the other record will, and the
 * thread is not cancelled in between.
 */
static void record_before(const struct deferred_event *due, const struct deferred_opaque *opaque)
{
	uint64_t numbered = thread_buffer_self.numbered;
	bool held_off = thread_buffer_self.held_off;

	thread_buffer_self.held_off = false;
	thread_buffer_self.early = true;
	write_event(due);
	if (opaque->pc && due->kind != EV_SYNC) /* SYNC says more */
		record(EV_OPAQUE, opaque->pc, (struct record_fields){ .a = opaque->target });
	thread_buffer_self.early = false;
	thread_buffer_self.numbered = numbered;
	thread_buffer_self.held_off = held_off;
}

void deferred_event_record(void)
{
	bool cancelled = thread_buffer_self.cancelled && !thread_buffer_self.uncancellable;
	struct deferred_event due = thread_buffer_self.due;
	struct deferred_opaque opaque = thread_buffer_self.opaque;
	int error = errno;

	if ((!due.kind && !opaque.pc && !cancelled) || thread_buffer_self.quiet)
		return;
	if (sched_on())
		/* another thread may have taken the turn, if the call has waited long */
		sched_return();
	struct cancel_before before = cancel_forbid();
	thread_buffer_self.due.kind = EV_NONE;
	thread_buffer_self.opaque.pc = 0;
	if (cancelled) {
		thread_buffer_self.cancelled = false;
		due.kind = EV_SYNC; /* stronger than any other deferred event */
	}
	record_before(&due, &opaque);
	if (opaque.again)
		opaque_called(opaque.target, opaque.pc);
	errno = error;
	cancel_allow(before);
}
