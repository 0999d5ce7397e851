/* Makes the destroy of a condition or barrier wait in a controlled run, as the library's does. */
#include "runtime/sync/destroy_wait.h"

#include "runtime/sync/sync_object.h"
#include "runtime/sched/sched.h"

void destroy_wait_controlled(enum event_kind kind, const volatile void *object, uintptr_t pc)
{
	if (!sched_on())
		return;
	struct sched_want want = sched_want(kind, object, pc);
	sched_take(&want);
	if (!sched_is_awaited(object))
		return;
	sync_object_misuse(EVENT_MISUSE_DESTROY_IN_USE, pc, object);
	want.lock = SCHED_WHEN_LEFT;
	sched_take(&want);
}
