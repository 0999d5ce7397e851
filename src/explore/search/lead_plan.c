/*
 * Makes plans from leads and from whole runs, by merging consecutive steps of a thread into slices.
 */
#include "explore/search/lead_plan.h"

#include "base/hash.h"
#include "event/event.h"

/* Appends steps of a thread to the slices. */
static void add_run(struct plan *plan, uint32_t thread, uint32_t until)
{
	size_t last = plan->runs.count;

	if (last && plan->runs.items[last - 1].thread == thread)
		plan->runs.items[last - 1].until = until;
	else
		*vec_push(&plan->runs) = (struct control_run){ thread, until };
}

/*
 * Plans a lead with `stay`: the run as it was, without the steps that are held back, up to the
 * operation that they wait for. From there on the policy decides, so the thread that did the
 * operation continues. (Otherwise the slices would let the held thread run at once when its rule is
 * met.)
 */
static void plan_until_met(const struct lead *lead, struct plan *plan)
{
	const struct runlog *log = lead->log;
	uint32_t last = 0;

	for (size_t i = 0; i < lead->rules.count; i++) {
		uint32_t place = runlog_place(log, lead->rules.items[i].before_thread,
					      lead->rules.items[i].before_step);
		if (place != RUNLOG_NONE && place > last)
			last = place;
	}
	for (uint32_t i = 0; i <= last; i++) {
		const struct control_event *event = &log->events[i];
		bool held = false;
		for (size_t r = 0; r < lead->rules.count && !held; r++)
			held = lead->rules.items[r].after_thread == event->thread &&
			       lead->rules.items[r].after_step <= event->step;
		if (!held)
			add_run(plan, event->thread, event->step + 1);
	}
}

static void keep_window(const struct lead_plan_window *window, struct plan *plan)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->runs.count; i++) {
		struct control_run run = plan->runs.items[i];
		if (run.thread < window->count && window->threads[run.thread])
			plan->runs.items[kept++] = run;
	}
	plan->runs.count = kept;
}

void lead_plan_plan(const struct lead *lead, const struct lead_plan_window *window,
		    struct plan *plan)
{
	if (lead->stay)
		plan_until_met(lead, plan);
	else
		for (size_t i = 0; i < lead->log->runs.count; i++)
			*vec_push(&plan->runs) = lead->log->runs.items[i];
	if (window->threads)
		keep_window(window, plan);
	for (size_t i = 0; i < lead->rules.count; i++)
		*vec_push(&plan->rules) = lead->rules.items[i];
}

/*
 * A thread that stays makes the same run wherever in its last slice the rules were met; otherwise
 * everything counts.
 */
uint64_t lead_plan_key(const struct lead *lead, const struct plan *plan)
{
	uint64_t hash = lead->stay;

	for (size_t i = 0; i < plan->runs.count; i++) {
		hash = hash_mix(hash, plan->runs.items[i].thread);
		if (!lead->stay || i + 1 < plan->runs.count)
			hash = hash_mix(hash, plan->runs.items[i].until);
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

	for (uint32_t i = 0; i < outcome->event_count; i++) {
		const struct control_event *event = &outcome->events[i];
		add_run(plan, event->thread, event->step + 1);
		if (event->flags & (CONTROL_EVENT_TIMED_OUT | CONTROL_EVENT_SPURIOUS))
			*vec_push(&plan->choices) =
				(struct control_choice){ event->thread, event->step,
							 event->flags & CONTROL_EVENT_SPURIOUS
								 ? CONTROL_SPURIOUS
								 : CONTROL_TIMEOUT };
	}
	/* An access that ended the run did not happen, and is not in the log. */
	if (control && (outcome->result == CONTROL_USE_AFTER_FREE ||
			outcome->result == CONTROL_BAD_FREE || outcome->result == CONTROL_CRASHED))
		add_run(plan, control->fault_thread, control->fault_step + 1);
}
