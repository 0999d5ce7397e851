/* Records changes of kernel objects, and looks at them. */
#include "runtime/io/kernel_state.h"

#include "runtime/sync/sync_object.h"

#include <errno.h>
#include <stdatomic.h>

/* Names begin here: above all memory, and apart from the "addresses" of descriptors (EVENT_FD). */
#define NAMES (UINT64_C(1) << 61)
#define NAME_STEP 8u

uint64_t kernel_state_new_name(void)
{
	static _Atomic uint64_t last;

	return NAMES + (atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1) * NAME_STEP;
}

static void record_state(enum event_kind kind, uint64_t name, uintptr_t pc)
{
	int error = errno;

	if (record_on())
		sync_object_record_next(kind, pc, (const void *)(uintptr_t)name,
					EVENT_CHANNEL_TOLD);
	errno = error;
}

void kernel_state_change(uint64_t name, uintptr_t pc)
{
	record_state(EV_SEND, name, pc);
}

void kernel_state_look(uint64_t name, uintptr_t pc)
{
	record_state(EV_RECEIVE, name, pc);
}
