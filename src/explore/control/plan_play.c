/*
 * Picks the next thread of a simulated program: the first unfinished slice whose thread can run,
 * then the current thread, then the lowest number. If rules hold all threads back, rules that wait
 * for "no other thread can run" are met, and finally all rules are given up.
 */
#include "explore/control/plan_play.h"

static bool held_back(const struct plan_player *p, uint32_t thread, bool nobody_else)
{
	for (size_t i = 0; i < p->plan->rules.count && !p->free; i++) {
		const struct control_rule *rule = &p->plan->rules.items[i];
		if (rule->after_thread != thread || rule->after_step != p->step(p->context, thread))
			continue;
		if (rule->before_step == CONTROL_NONE
			    ? !nobody_else
			    : p->step(p->context, rule->before_thread) <= rule->before_step)
			return true;
	}
	return false;
}

static bool goes(const struct plan_player *p, uint32_t thread, bool nobody_else)
{
	return p->can(p->context, thread) && !held_back(p, thread, nobody_else);
}

static uint32_t pick(struct plan_player *p, bool nobody_else)
{
	const struct plan *plan = p->plan;

	while (p->run < plan->slices.count &&
	       p->step(p->context, plan->slices.items[p->run].thread) >=
		       plan->slices.items[p->run].until)
		p->run++;
	for (size_t i = p->run; i < plan->slices.count; i++) {
		uint32_t thread = plan->slices.items[i].thread;
		if (p->step(p->context, thread) < plan->slices.items[i].until &&
		    goes(p, thread, nobody_else))
			return thread;
	}
	if (goes(p, p->current, nobody_else))
		return p->current;
	for (uint32_t t = 0; t < p->threads; t++)
		if (goes(p, t, nobody_else))
			return t;
	return PLAN_NOBODY;
}

uint32_t plan_pick(struct plan_player *p)
{
	uint32_t thread = pick(p, false);

	if (thread == PLAN_NOBODY)
		thread = pick(p, true);
	if (thread == PLAN_NOBODY && !p->free) {
		p->free = true;
		for (uint32_t t = 0; t < p->threads; t++)
			p->broken |= p->can(p->context, t);
		thread = pick(p, true);
	}
	if (thread != PLAN_NOBODY)
		p->current = thread;
	return thread;
}
