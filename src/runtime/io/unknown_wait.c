/* Records SYNC after waits in the kernel, and SEND before calls that may end such a wait. */
#include "runtime/io/unknown_wait.h"

#include "runtime/sync/sync_object.h"
#include "runtime/sched/sched.h"

#include <errno.h>

void unknown_wait_end(const struct unknown_wait_call *call)
{
	if (__builtin_expect(sched_active, 0))
		sched_return(); /* if the call was made outside the schedule */
	if (call->how != UNKNOWN_WAIT_NOTHING && record_on())
		record(EV_SYNC, call->pc, (struct record_fields){ 0 });
}

/*
 * Does nothing in a controlled run: the order of all accesses is known there, and a record would be
 * an additional step.
 */
void unknown_wait_hand_over(uintptr_t pc)
{
	static const char handed_over; /* an object that no thread receives from */
	int error = errno;

	if (record_on() && !sched_active)
		sync_object_record_next(EV_SEND, pc, &handed_over, EVENT_CHANNEL_TOLD);
	errno = error;
}
