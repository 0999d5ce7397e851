/*
 * Saturation rules for failed tries, semaphores and conditions. For each node that is inside:
 *
 *	failed try of a lock	if only one section can explain it, it happens during this section
 *	down			if it needs all posts that can come before it, all do come before it
 *	failed down		if it needs all downs that can come before it, all do come before it
 *	woken node		if only one signal or broadcast can wake it, this one comes between
 *				the wait and the woken node
 *
 * If there are too few sections, posts, downs or signals, there is no schedule.
 */
#include "order/solver/saturate.h"

/* Can a come before b? b must be inside. */
static bool can_precede(const struct closure *c, uint32_t a, uint32_t b)
{
	return a != b && !saturation_before(c, b, a) && !saturation_before(c, c->cut, a);
}

static void apply_fail(struct closure *c, const struct order_lock *lock,
		       const struct order_fail *fail)
{
	const struct order_model *m = c->index->model;
	const struct order_section *only = NULL;
	unsigned found = 0;

	for (uint32_t i = lock->section_start;
	     i < lock->section_start + lock->section_count && found < 2; i++) {
		const struct order_section *s = &m->sections.items[i];

		c->work->steps++;
		if (s->thread == m->thread.items[fail->node] || (s->shared && fail->shared) ||
		    (s->acquire != ORDER_NONE && !can_precede(c, s->acquire, fail->node)) ||
		    (s->release != ORDER_NONE && saturation_before(c, s->release, fail->node)))
			continue;
		only = s;
		found++;
	}
	c->contradiction |= found == 0;
	if (found != 1)
		return;
	if (only->acquire != ORDER_NONE)
		saturation_conclude(c, only->acquire, fail->node);
	if (only->release != ORDER_NONE)
		saturation_conclude(c, fail->node, only->release);
}

void saturation_apply_fails(struct closure *c, uint32_t number)
{
	const struct order_model *m = c->index->model;
	const struct order_lock *lock = &m->locks.items[number];

	for (uint32_t i = lock->fail_start; i < lock->fail_start + lock->fail_count; i++) {
		const struct order_fail *fail = &m->fails.items[i];

		if (saturation_inside(c, fail->node) && !saturation_is_over(c))
			apply_fail(c, lock, fail);
	}
}

/*
 * Applies the rule that before `node`, which is inside, the number of `givers` plus `have` is at
 * least the number of `takers`. If this needs all givers that can come before `node`, concludes
 * that all of them come before it.
 */
static void apply_count(struct closure *c, uint32_t node, const uint32_t *givers,
			uint32_t giver_count, const uint32_t *takers, uint32_t taker_count,
			int64_t have)
{
	for (uint32_t i = 0; i < taker_count; i++)
		have -= saturation_before(c, takers[i], node);
	for (uint32_t i = 0; i < giver_count; i++)
		have += can_precede(c, givers[i], node);
	c->work->steps += taker_count + giver_count;
	c->contradiction |= have < 0;
	for (uint32_t i = 0; i < giver_count && have == 0; i++)
		if (can_precede(c, givers[i], node))
			saturation_conclude(c, givers[i], node);
}

void saturation_apply_semaphore(struct closure *c, uint32_t number)
{
	const struct order_model *m = c->index->model;
	const struct order_semaphore *s = &m->semaphores.items[number];
	const uint32_t *posts = m->posts.items + s->post_start;
	const uint32_t *downs = m->downs.items + s->down_start;

	if (c->index->is_mutex[number])
		return;
	for (uint32_t i = 0; i < s->down_count && !saturation_is_over(c); i++)
		if (saturation_inside(c, downs[i]))
			apply_count(c, downs[i], posts, s->post_count, downs, s->down_count,
				    (int64_t)s->initial - 1);
	for (uint32_t i = s->zero_start;
	     i < s->zero_start + s->zero_count && !saturation_is_over(c); i++)
		if (saturation_inside(c, m->zeros.items[i]))
			apply_count(c, m->zeros.items[i], downs, s->down_count, posts,
				    s->post_count, -(int64_t)s->initial);
}

void saturation_apply_waits(struct closure *c, uint32_t number)
{
	const struct order_model *m = c->index->model;
	const struct order_condition *condition = &m->conditions.items[number];

	for (uint32_t i = 0; i < condition->wait_count && !saturation_is_over(c); i++) {
		const struct order_wait *w = &m->waits.items[condition->wait_start + i];
		uint32_t only = ORDER_NONE;
		unsigned found = 0;

		if (w->wake != ORDER_WAKE_SIGNAL || w->woken == ORDER_NONE ||
		    !saturation_inside(c, w->woken))
			continue;
		for (uint32_t k = 0; k < condition->signal_count && found < 2; k++) {
			uint32_t node = m->signals.items[condition->signal_start + k].node;

			c->work->steps++;
			if (!can_precede(c, node, w->woken) ||
			    (w->wait != ORDER_NONE && saturation_before(c, node, w->wait)))
				continue;
			only = node;
			found++;
		}
		c->contradiction |= found == 0;
		if (found != 1)
			continue;
		saturation_conclude(c, only, w->woken);
		if (w->wait != ORDER_NONE)
			saturation_conclude(c, w->wait, only);
	}
}
