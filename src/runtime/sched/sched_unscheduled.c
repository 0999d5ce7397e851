/*
 * Condition signals by threads that take no turns, for example a thread that the C library made for
 * a timer. Only the thread with the turn may change the scheduler's model of an object. So these
 * signals are kept in a table until the next decision.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/server/per_run.h"
#include "runtime/host/libc_next.h"
#include "runtime/host/shared_mapping.h"

#define NOTIFIED 64u
#define BROADCAST 1u /* stored in the lowest bit of the address, which is even */
PER_RUN static _Atomic uintptr_t notified[NOTIFIED];
PER_RUN static _Atomic uint32_t count;

static bool add_signal(uintptr_t entry)
{
	for (unsigned i = 0; i < NOTIFIED; i++) {
		uintptr_t empty = 0;
		if (atomic_compare_exchange_strong(&notified[i], &empty, entry))
			return true;
	}
	return false;
}

void sched_notify_signal(enum event_kind kind, const volatile void *condition)
{
	uintptr_t entry = shared_mapping_identity((uintptr_t)condition) |
			  (kind == EV_BROADCAST ? BROADCAST : 0);

	while (!add_signal(entry)) {
		if (sched_me && sched.holder == sched_number(sched_me)) {
			/* the caller is a handler that has the turn: no other thread decides */
			sched_apply_notified();
			continue;
		}
		sched_notify_change();
		real()->sched_yield();
	}
	count++;
	sched_notify_change();
}

void sched_apply_notified(void)
{
	if (!count)
		return;
	count = 0; /* reset first: signals that are added from now on are found by the next call */
	for (unsigned i = 0; i < NOTIFIED; i++) {
		uintptr_t entry = atomic_exchange(&notified[i], 0);
		if (entry)
			sched_object_signalled(entry & ~(uintptr_t)BROADCAST, entry & BROADCAST);
	}
}
