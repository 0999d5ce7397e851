/* Makes plans from leads and from whole runs. Consecutive steps of a thread become one slice. */
#include "explore/search/lead_plan.h"

#include "base/hash.h"
#include "event/event.h"

/*
 * Plans a lead with `stay`: the events of the lead's run without those that the rules hold back, up
 * to the operation for which they wait. From there on the policy decides, so the thread that did
 * this operation continues. (A plan of the whole run would let the held thread run as soon as its
 * rule is met.)
 */
static void plan_until_met(const struct lead *lead, struct plan *plan)
{
	const struct runlog *log = lead->log;
	uint32_t last = 0;

	for (size_t i = 0; i < lead->rules.count; i++) {
		uint32_t position = runlog_position(log, lead->rules.items[i].before_thread,
						    lead->rules.items[i].before_step);
		if (position != RUNLOG_NONE && position > last)
			last = position;
	}
	for (uint32_t i = 0; i <= last; i++) {
		const struct control_event *event = &log->events[i];
		bool held = false;
		for (size_t r = 0; r < lead->rules.count && !held; r++)
			held = lead->rules.items[r].after_thread == event->thread &&
			       lead->rules.items[r].after_step <= event->step;
		if (!held)
			plan_add_slice(plan, event->thread, event->step + 1);
	}
}

static void keep_slices_of(const struct thread_set *set, struct plan *plan)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->slices.count; i++)
		if (thread_set_has(set, plan->slices.items[i].thread))
			plan->slices.items[kept++] = plan->slices.items[i];
	plan->slices.count = kept;
}

void lead_plan_make(const struct lead *lead, const struct thread_set *set, struct plan *plan)
{
	if (lead->stay)
		plan_until_met(lead, plan);
	else
		for (size_t i = 0; i < lead->log->slices.count; i++)
			*vec_push(&plan->slices) = lead->log->slices.items[i];
	keep_slices_of(set, plan);
	for (size_t i = 0; i < lead->rules.count; i++)
		*vec_push(&plan->rules) = lead->rules.items[i];
}

/*
 * With `stay`, the run does not depend on where in the last slice the rules are met. So the key
 * leaves out the end of that slice, and the operations for which the rules wait. Otherwise the
 * whole plan counts.
 */
uint64_t lead_plan_key(const struct lead *lead, const struct plan *plan)
{
	uint64_t hash = lead->stay;

	for (size_t i = 0; i < plan->slices.count; i++) {
		hash = hash_mix(hash, plan->slices.items[i].thread);
		if (!lead->stay || i + 1 < plan->slices.count)
			hash = hash_mix(hash, plan->slices.items[i].until);
	}
	for (size_t i = 0; i < plan->rules.count; i++) {
		const struct control_rule *rule = &plan->rules.items[i];
		hash = hash_mix(hash, (uint64_t)rule->after_thread << 32 | rule->after_step);
		if (!lead->stay)
			hash = hash_mix(hash,
					(uint64_t)rule->before_thread << 32 | rule->before_step);
	}
	return hash;
}

void lead_plan_repeat(const struct outcome *outcome, struct plan *plan)
{
	const struct control *control = outcome->control;

	for (uint32_t i = 0; i < outcome->event_count; i++)
		plan_add_event(plan, &outcome->events[i]);
	/* The access that ended the run did not happen and is not in the log: add its step. */
	if (control && (outcome->result == CONTROL_USE_AFTER_FREE ||
			outcome->result == CONTROL_BAD_FREE || outcome->result == CONTROL_CRASHED))
		plan_add_slice(plan, control->fault_thread, control->fault_step + 1);
}
