#include "runtime/unmake.h"

#include "runtime/object.h"
#include "runtime/turn.h"

void unmake_in_turn(enum event_kind kind, const volatile void *object, uintptr_t pc)
{
	if (!turn_on())
		return;
	struct turn_want want = turn_want(kind, object, pc);
	turn_take(&want);
	if (!turn_is_awaited(object))
		return;
	object_misuse(EVENT_MISUSE_DESTROY_IN_USE, pc, object);
	want.lock = TURN_WHEN_LEFT;
	turn_take(&want);
}
