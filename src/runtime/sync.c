#include "runtime/sync.h"

#include "runtime/turn.h"

void sync_end(const struct sync_call *call)
{
	if (__builtin_expect(turn_taking, 0))
		turn_return(); /* where the call was made outside */
	if (call->how != SYNC_NOTHING && record_on())
		record(EV_SYNC, call->pc, (struct record_fields){ 0 });
}
