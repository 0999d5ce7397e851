#include "runtime/io/unknown_wait.h"

#include "runtime/sync/sync_object.h"
#include "runtime/sched/sched.h"

#include <errno.h>

void unknown_wait_end(const struct unknown_wait_call *call)
{
	if (__builtin_expect(sched_taking, 0))
		sched_return(); /* where the call was made outside */
	if (call->how != UNKNOWN_WAIT_NOTHING && record_on())
		record(EV_SYNC, call->pc, (struct record_fields){ 0 });
}

/* Under control the order of all accesses is known, and a record would be a step. */
void unknown_wait_hand_over(uintptr_t pc)
{
	static const char handed_over; /* nobody receives it */
	int error = errno;

	if (record_on() && !sched_taking)
		sync_object_record(EV_SEND, pc, &handed_over, record_sequence(&handed_over),
				   EVENT_CHANNEL_TOLD);
	errno = error;
}
