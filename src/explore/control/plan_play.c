/*
 * Picks the next thread of a simulated program. The first unfinished slice whose thread can run
 * goes first, then the current thread, then the thread with the lowest number. If rules hold back
 * every thread that can run, rules that wait until no other thread can run count as met. If that
 * does not help, all rules are given up.
 */
#include "explore/control/plan_play.h"

static bool is_held_back(const struct plan_player *p, uint32_t thread, bool no_other)
{
	for (size_t i = 0; i < p->plan->rules.count && !p->free; i++) {
		const struct control_rule *rule = &p->plan->rules.items[i];
		if (rule->after_thread != thread || rule->after_step != p->step(p->context, thread))
			continue;
		if (rule->before_step == CONTROL_NONE
			    ? !no_other
			    : p->step(p->context, rule->before_thread) <= rule->before_step)
			return true;
	}
	return false;
}

static bool may_run(const struct plan_player *p, uint32_t thread, bool no_other)
{
	return p->can(p->context, thread) && !is_held_back(p, thread, no_other);
}

static uint32_t pick_thread(struct plan_player *p, bool no_other)
{
	const struct plan *plan = p->plan;

	while (p->run < plan->slices.count &&
	       p->step(p->context, plan->slices.items[p->run].thread) >=
		       plan->slices.items[p->run].until)
		p->run++;
	for (size_t i = p->run; i < plan->slices.count; i++) {
		uint32_t thread = plan->slices.items[i].thread;
		if (p->step(p->context, thread) < plan->slices.items[i].until &&
		    may_run(p, thread, no_other))
			return thread;
	}
	if (may_run(p, p->current, no_other))
		return p->current;
	for (uint32_t t = 0; t < p->threads; t++)
		if (may_run(p, t, no_other))
			return t;
	return PLAN_NO_THREAD;
}

uint32_t plan_pick(struct plan_player *p)
{
	uint32_t thread = pick_thread(p, false);

	if (thread == PLAN_NO_THREAD)
		thread = pick_thread(p, true);
	if (thread == PLAN_NO_THREAD && !p->free) {
		p->free = true;
		for (uint32_t t = 0; t < p->threads; t++)
			p->broken |= p->can(p->context, t);
		thread = pick_thread(p, true);
	}
	if (thread != PLAN_NO_THREAD)
		p->current = thread;
	return thread;
}
