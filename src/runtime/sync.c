#include "runtime/sync.h"

#include "runtime/object.h"
#include "runtime/turn.h"

#include <errno.h>

void sync_end(const struct sync_call *call)
{
	if (__builtin_expect(turn_taking, 0))
		turn_return(); /* where the call was made outside */
	if (call->how != SYNC_NOTHING && record_on())
		record(EV_SYNC, call->pc, (struct record_fields){ 0 });
}

/* Under control the order of all accesses is known, and a record would be a step. */
void sync_hand_over(uintptr_t pc)
{
	static const char handed_over; /* nobody receives it */
	int error = errno;

	if (record_on() && !turn_taking)
		object_record(EV_SEND, pc, &handed_over, record_sequence(&handed_over),
			      EVENT_CHANNEL_TOLD);
	errno = error;
}
