/* Names of finding kinds and statuses, and the memory of findings. */
#include "predict/driver/finding.h"

#include <assert.h>

const char *finding_kind_name(enum finding_kind kind)
{
	static const char *const names[FINDING_KINDS] = {
		[FINDING_RACE] = "race",
		[FINDING_DEADLOCK] = "deadlock",
		[FINDING_LOST_SIGNAL] = "lost-signal",
		[FINDING_ATOMICITY] = "atomicity",
		[FINDING_USE_AFTER_FREE] = "use-after-free",
		[FINDING_MISUSE] = "misuse",
		[FINDING_LOCKSET] = "lockset",
		[FINDING_LOCK_ORDER] = "lock-order",
		[FINDING_PATTERN] = "pattern",
		[FINDING_LTL] = "ltl",
		[FINDING_ERE] = "ere",
		[FINDING_MONITOR] = "monitor",
		[FINDING_GRAMMAR] = "grammar",
	};

	assert(kind < FINDING_KINDS);
	return names[kind];
}

const char *finding_status_name(enum finding_status status)
{
	switch (status) {
	case FINDING_OBSERVED: return "observed";
	case FINDING_CONFIRMED: return "confirmed";
	case FINDING_PREDICTED: return "predicted";
	case FINDING_WARNING: return "warning";
	}
	assert(!"a finding's status");
	return NULL;
}

void finding_free(struct finding *finding)
{
	for (size_t i = 0; i < finding->events.count; i++)
		vec_free(&finding->events.items[i].held);
	vec_free(&finding->events);
	vec_free(&finding->steps);
	vec_free(&finding->start);
	vec_free(&finding->binding);
	vec_free(&finding->run);
	free(finding->region_name);
}

bool finding_is_use_after_end(const struct finding *finding)
{
	return finding->kind == FINDING_USE_AFTER_FREE ||
	       (finding->kind == FINDING_MISUSE && finding->events.count == 2 &&
		(finding->misuse == EVENT_MISUSE_DESTROYED ||
		 finding->misuse == EVENT_MISUSE_CLOSED));
}

bool finding_is_cycle(const struct finding *finding)
{
	for (size_t i = 0; i < finding->events.count; i++) {
		if (finding->events.items[i].waits_for >= finding->events.count)
			return false;
	}
	return true;
}
