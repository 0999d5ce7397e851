#include "runtime/sync.h"

void sync_end(const struct sync_call *call)
{
	if (call->how != SYNC_NOTHING && record_on())
		record(EV_SYNC, call->pc, (struct record_fields){ 0 });
}
