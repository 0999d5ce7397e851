/*
 * Signals of conditions by who takes no turns, a thread that the C library has made for a timer say. The
 * scheduler's idea of an object is changed by who has the turn alone: so they lie here until somebody
 * decides next.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/server/per_run.h"
#include "runtime/host/libc_next.h"

#define NEWS 64u
#define BROADCAST 1u /* in an address, which is even */
PER_RUN static _Atomic uintptr_t news[NEWS];
PER_RUN static _Atomic uint32_t count;

static bool put(uintptr_t what)
{
	for (unsigned i = 0; i < NEWS; i++) {
		uintptr_t nothing = 0;
		if (atomic_compare_exchange_strong(&news[i], &nothing, what))
			return true;
	}
	return false;
}

void sched_tell(enum event_kind kind, const volatile void *condition)
{
	uintptr_t what = (uintptr_t)condition | (kind == EV_BROADCAST ? BROADCAST : 0);

	while (!put(what)) {
		if (sched_me && sched.holder == sched_number(sched_me)) {
			sched_take_news(); /* a handler: nobody else decides */
			continue;
		}
		sched_poke();
		real()->sched_yield();
	}
	count++;
	sched_poke();
}

void sched_take_news(void)
{
	if (!count)
		return;
	count = 0; /* before: what comes meanwhile is looked for again */
	for (unsigned i = 0; i < NEWS; i++) {
		uintptr_t what = atomic_exchange(&news[i], 0);
		if (what)
			sched_object_signalled(what & ~(uintptr_t)BROADCAST, what & BROADCAST);
	}
}
