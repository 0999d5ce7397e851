/*
 * Recognises failures and computes their keys from the result and the sites of the threads that
 * failed or are blocked.
 */
#include "explore/search/failure.h"

#include "base/hash.h"
#include "event/event.h"

#include <signal.h>
#include <sys/wait.h>

void failure_free(struct failure *failure)
{
	plan_free(&failure->plan);
}

const char *failure_result_name(enum control_result result)
{
	static const char *const names[] = { "killed",	       "ended",	     "assertion failed",
					     "aborted",	       "deadlock",   "stuck",
					     "use after free", "bad free",   "crashed",
					     "too many steps", "equivalent", "hung",
					     "unfit" };

	return names[result];
}

bool failure_seen(const struct outcome *outcome, int usual)
{
	if (outcome->violated || control_is_failure(outcome->result))
		return true;
	switch (outcome->result) {
	case CONTROL_ENDED:
		return outcome->control && WIFEXITED(outcome->status) && outcome->status != usual;
	case CONTROL_UNFINISHED: /* the process died without a report */
		return outcome->control && WIFSIGNALED(outcome->status) &&
		       WTERMSIG(outcome->status) != SIGKILL;
	default: return false;
	}
}

/* Returns the site of the failure: of the access that faulted, or else of the last logged event. */
static uint64_t failed_site(const struct outcome *outcome)
{
	const struct control *control = outcome->control;

	if (control && control->fault_site)
		return control->fault_site;
	return outcome->event_count ? outcome->events[outcome->event_count - 1].site : 0;
}

/*
 * Hashes the sites of blocked threads, independent of their order. For a deadlock, only threads in
 * the cycle count.
 */
static uint64_t blocked_sites(const struct outcome *outcome)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < outcome->blocked_count; i++) {
		const struct control_blocked *blocked = &outcome->blocked[i];
		if (blocked->how == CONTROL_BY_NOTHING || blocked->kind == EV_JOIN ||
		    (outcome->result == CONTROL_DEADLOCK && !blocked->in_cycle))
			continue;
		sum += hash_mix(hash_mix(1, blocked->site), blocked->kind);
	}
	return sum;
}

uint64_t failure_key(const struct outcome *outcome)
{
	bool blocked = outcome->result == CONTROL_DEADLOCK || outcome->result == CONTROL_STUCK;

	if (outcome->violated)
		return outcome->violated;
	if (outcome->result == CONTROL_ENDED)
		return hash_mix(hash_mix(1, outcome->result), (uint64_t)outcome->status);
	return hash_mix(hash_mix(1, outcome->result),
			blocked ? blocked_sites(outcome) : failed_site(outcome));
}
