/*
 * Lemmas about waits: a wait that was signalled returns only after a signal or a broadcast. For
 * such a wait w, these are added when they are needed:
 *
 *	the woken node of w is outside, or w uses one of the signals (or broadcasts)
 *	w uses s  =>  WAIT < s and s < WOKEN
 *	v and w do not both use the signal s
 *
 * The replay shows whether they are needed. It assigns each signal to one of the waits that are
 * waiting: to the one whose woken node comes first. If a woken node gets no signal, then by Hall's
 * theorem some set of waits has fewer possible signals than waits. The clauses are added for the
 * waits of this set.
 *
 * If a query asks for unwoken waits (query.h), the assignment of signals is part of the question.
 * Then every signal inside must be used if any wait is waiting at it, even a signal before the
 * unwoken wait, and no wait may use two signals.
 */
#include "order/solver/lemma.h"

#include <assert.h>

static const struct order_condition *condition_of(const struct lemma *l, uint32_t wait)
{
	return &l->index->model->conditions.items[l->index->wait_condition[wait]];
}

void lemma_waits_reset(struct lemma *l)
{
	if (l->pairs.count)
		map_free(&l->pair_of);
	l->pairs.count = 0;
	for (size_t i = 0; i < l->query->unwoken.count; i++) {
		uint32_t wait = l->query->unwoken.items[i].wait;

		assert(l->index->model->waits.items[wait].wake == ORDER_WAKE_SIGNAL);
		l->conditions[l->index->wait_condition[wait]].unwoken = l->epoch;
	}
}

/* Returns the literal of "wait uses signal", or CDCL_FALSE if this is certainly impossible. */
static int32_t pair_literal(struct lemma *l, uint32_t wait, uint32_t signal)
{
	const struct order_model *m = l->index->model;
	const struct order_wait *w = &m->waits.items[wait];
	uint32_t node = m->signals.items[signal].node;
	int32_t after = w->wait == ORDER_NONE ? CDCL_TRUE : lemma_before(l, w->wait, node);
	int32_t until = w->woken == ORDER_NONE ? CDCL_TRUE : lemma_before(l, node, w->woken);
	uint64_t *known;
	int32_t literal;

	if (after == CDCL_FALSE || until == CDCL_FALSE)
		return CDCL_FALSE;
	known = map_get(&l->pair_of, (uint64_t)wait << 32 | signal);
	if (known)
		return (int32_t)*known;
	literal = cdcl_boolean(l->cdcl, node, w->woken, node == w->used);
	*map_put(&l->pair_of, (uint64_t)wait << 32 | signal, NULL) = (uint64_t)literal;
	*vec_push(&l->pairs) = (struct lemma_pair){ wait, signal, literal };
	lemma_add_implication(l, literal, after);
	lemma_add_implication(l, literal, until);
	return literal;
}

/* Adds "WOKEN is outside, or the wait uses a signal". Returns false if it was added before. */
static bool add_wake_clause(struct lemma *l, const struct order_condition *condition, uint32_t wait)
{
	const struct order_wait *w = &l->index->model->waits.items[wait];

	if (l->of_wait[wait].epoch == l->epoch)
		return false;
	l->of_wait[wait].epoch = l->epoch;
	lemma_begin_clause(l);
	lemma_add_literal(l, lemma_before(l, l->total->cut, w->woken));
	for (uint32_t i = 0; i < condition->signal_count; i++)
		lemma_add_literal(l, pair_literal(l, wait, condition->signal_start + i));
	l->lemmas++;
	cdcl_add(l->cdcl, l->clause.items, l->clause.count);
	return true;
}

/* ---- replay ---------------------------------------------------------------------------------- */

static bool needs_signal(const struct lemma *l, const struct order_wait *w)
{
	return w->wake == ORDER_WAKE_SIGNAL && w->woken != ORDER_NONE &&
	       topo_order_is_inside(l->total, w->woken);
}

static struct lemma_condition *condition_state(struct lemma *l, uint32_t number)
{
	struct lemma_condition *c = &l->conditions[number];

	if (c->round == l->round)
		return c;
	c->round = l->round;
	c->waiting.count = 0;
	for (uint32_t i = l->index->idle_start[number]; i < l->index->idle_start[number + 1]; i++)
		if (needs_signal(l, &l->index->model->waits.items[l->index->idle[i]]))
			*vec_push(&c->waiting) = l->index->idle[i];
	return c;
}

void lemma_replay_wait(struct lemma *l, uint32_t condition, uint32_t wait)
{
	struct lemma_condition *c = condition_state(l, condition);

	if (needs_signal(l, &l->index->model->waits.items[wait]))
		*vec_push(&c->waiting) = wait;
}

void lemma_replay_signal(struct lemma *l, uint32_t condition, uint32_t signal)
{
	const struct order_wait *waits = l->index->model->waits.items;
	struct lemma_condition *c = condition_state(l, condition);
	size_t first = 0;

	l->used_by[signal] = ORDER_NONE;
	if (l->index->model->signals.items[signal].broadcast)
		c->waiting.count = 0;
	if (!c->waiting.count)
		return;
	for (size_t i = 1; i < c->waiting.count; i++)
		if (topo_order_before(l->total, waits[c->waiting.items[i]].woken,
				      waits[c->waiting.items[first]].woken))
			first = i;
	l->used_by[signal] = c->waiting.items[first];
	c->waiting.items[first] = c->waiting.items[--c->waiting.count];
}

void lemma_replay_woken(struct lemma *l, uint32_t condition, uint32_t wait)
{
	struct lemma_condition *c = condition_state(l, condition);

	for (size_t i = 0; i < c->waiting.count; i++)
		if (c->waiting.items[i] == wait) {
			c->waiting.items[i] = c->waiting.items[--c->waiting.count];
			if (c->unwoken != l->epoch)
				*vec_push(&l->unsignalled) = wait;
			return;
		}
}

/* ---- too few signals ------------------------------------------------------------------------- */

/* Is the node inside, between the wait and its woken node? */
static bool is_between(const struct lemma *l, const struct order_wait *w, uint32_t node)
{
	return (w->wait == ORDER_NONE || topo_order_before(l->total, w->wait, node)) &&
	       topo_order_is_inside(l->total, node) &&
	       (w->woken == ORDER_NONE || topo_order_before(l->total, node, w->woken));
}

/*
 * Collects a set of waits with too few signals: the given wait, the waits that use signals which
 * this wait could use, the waits that use signals which those waits could use, and so on.
 */
static void find_crowd(struct lemma *l, const struct order_condition *condition, uint32_t wait)
{
	const struct order_model *m = l->index->model;
	uint32_t first = condition->signal_start, end = first + condition->signal_count;

	l->crowd.count = 0;
	*vec_push(&l->crowd) = wait;
	for (size_t k = 0; k < l->crowd.count; k++)
		for (uint32_t s = first; s < end; s++) {
			size_t i = 0;

			l->cdcl->steps++;
			if (m->signals.items[s].broadcast ||
			    !is_between(l, &m->waits.items[l->crowd.items[k]],
					m->signals.items[s].node))
				continue;
			assert(l->used_by[s] != ORDER_NONE);
			while (i < l->crowd.count && l->crowd.items[i] != l->used_by[s])
				i++;
			if (i == l->crowd.count)
				*vec_push(&l->crowd) = l->used_by[s];
		}
}

static bool uses_signal(const struct lemma *l, uint32_t wait, uint32_t signal, int32_t *literal)
{
	const uint64_t *known = map_get(&l->pair_of, (uint64_t)wait << 32 | signal);

	*literal = known ? (int32_t)*known : CDCL_FALSE;
	return cdcl_holds(l->cdcl, *literal);
}

/* Adds clauses: no two waits of l->crowd use the same signal. */
static void add_exclusions(struct lemma *l, const struct order_condition *condition)
{
	const struct order_model *m = l->index->model;

	for (uint32_t i = 0; i < condition->signal_count; i++) {
		uint32_t s = condition->signal_start + i;
		int32_t one, other = 0;

		for (size_t k = 0; k < l->crowd.count && !m->signals.items[s].broadcast; k++) {
			if (!uses_signal(l, l->crowd.items[k], s, &one))
				continue;
			if (other) {
				lemma_add_either(l, -one, -other);
			}
			other = one;
		}
	}
}

static void explain_crowd(struct lemma *l, uint32_t wait)
{
	const struct order_condition *condition = condition_of(l, wait);
	bool new = false;

	l->lemmas++;
	find_crowd(l, condition, wait);
	for (size_t k = 0; k < l->crowd.count; k++)
		new |= add_wake_clause(l, condition, l->crowd.items[k]);
	if (!new)
		add_exclusions(l, condition);
}

/* ---- unwoken waits --------------------------------------------------------------------------- */

static bool was_woken_by_broadcast(const struct lemma *l, const struct order_condition *condition,
				   const struct order_wait *w)
{
	for (uint32_t i = 0; i < condition->signal_count; i++) {
		const struct order_signal *s =
			&l->index->model->signals.items[condition->signal_start + i];

		if (s->broadcast && is_between(l, w, s->node))
			return true;
	}
	return false;
}

/* Adds clauses: a wait uses a signal only if no broadcast woke it before. */
static void forbid_earlier_broadcasts(struct lemma *l, const struct order_condition *condition,
				      const struct lemma_pair *p)
{
	const struct order_model *m = l->index->model;
	const struct order_wait *w = &m->waits.items[p->wait];
	uint32_t node = m->signals.items[p->signal].node;

	for (uint32_t i = 0; i < condition->signal_count; i++) {
		const struct order_signal *b = &m->signals.items[condition->signal_start + i];

		if (!b->broadcast || !is_between(l, w, b->node) ||
		    !topo_order_before(l->total, b->node, node))
			continue;
		lemma_begin_clause(l);
		lemma_add_literal(l, -p->literal);
		if (w->wait != ORDER_NONE)
			lemma_add_literal(l, lemma_before(l, b->node, w->wait));
		lemma_add_literal(l, lemma_before(l, node, b->node));
		lemma_end_clause(l);
	}
}

/*
 * Adds clauses: no wait uses two signals, and no two waits use the same signal. From here to the
 * end of the check, l->used_by holds pairs.
 */
static void forbid_double_use(struct lemma *l)
{
	const struct order_model *m = l->index->model;

	for (size_t i = 0; i < m->signals.count; i++)
		l->used_by[i] = ORDER_NONE;
	for (uint32_t i = 0; i < l->pairs.count; i++) {
		const struct lemma_pair p = l->pairs.items[i];
		const struct order_condition *condition = condition_of(l, p.wait);
		uint32_t rivals[2] = { ORDER_NONE, ORDER_NONE };

		if (l->conditions[condition - m->conditions.items].unwoken != l->epoch ||
		    m->signals.items[p.signal].broadcast || !cdcl_holds(l->cdcl, p.literal))
			continue;
		if (l->pair_of_wait[p.wait].round == l->round)
			rivals[0] = l->pair_of_wait[p.wait].pair;
		rivals[1] = l->used_by[p.signal];
		l->pair_of_wait[p.wait] = (struct lemma_wait_pair){ l->round, i };
		l->used_by[p.signal] = i;
		for (int k = 0; k < 2; k++) {
			if (rivals[k] == ORDER_NONE)
				continue;
			lemma_add_either(l, -p.literal, -l->pairs.items[rivals[k]].literal);
		}
		forbid_earlier_broadcasts(l, condition, &p);
	}
}

/* Is the wait still waiting when the signal comes, in the current order? */
static bool is_waiting(const struct lemma *l, const struct order_condition *c, uint32_t wait,
		       uint32_t node)
{
	const struct order_model *m = l->index->model;
	const struct order_wait *w = &m->waits.items[wait];
	int32_t literal;

	if (w->wake != ORDER_WAKE_SIGNAL || !is_between(l, w, node))
		return false;
	for (uint32_t s = c->signal_start; s < c->signal_start + c->signal_count; s++) {
		const struct order_signal *other = &m->signals.items[s];

		if (other->node != node && is_between(l, w, other->node) &&
		    topo_order_before(l->total, other->node, node) &&
		    (other->broadcast || uses_signal(l, wait, s, &literal)))
			return false;
	}
	return true;
}

/*
 * Adds "the wait is not waiting when the signal comes" to the clause: the wait has not begun, has
 * returned, or was woken earlier. Each broadcast or signal that may have woken it gets a boolean.
 */
static void add_not_waiting(struct lemma *l, const struct order_condition *c, uint32_t wait,
			    uint32_t node)
{
	const struct order_model *m = l->index->model;
	const struct order_wait *w = &m->waits.items[wait];

	if (w->wait != ORDER_NONE)
		lemma_add_literal(l, lemma_before(l, node, w->wait));
	if (w->woken != ORDER_NONE)
		lemma_add_literal(l, lemma_before(l, w->woken, node));
	for (uint32_t s = c->signal_start; s < c->signal_start + c->signal_count; s++) {
		const struct order_signal *other = &m->signals.items[s];
		int32_t woke = other->node == node ? CDCL_FALSE : pair_literal(l, wait, s), earlier;

		if (woke == CDCL_FALSE)
			continue;
		earlier = cdcl_boolean(l->cdcl, other->node, node, false);
		lemma_add_implication(l, earlier, woke);
		lemma_add_implication(l, earlier, lemma_before(l, other->node, node));
		lemma_add_literal(l, earlier);
	}
}

/* For a query with an unwoken wait: checks that no wait is waiting at a signal that is not used. */
static void check_unused_signal(struct lemma *l, const struct order_condition *c, uint32_t signal,
				int32_t unwoken)
{
	const struct order_model *m = l->index->model;
	uint32_t node = m->signals.items[signal].node, end = c->wait_start + c->wait_count;
	int32_t literal;

	for (uint32_t v = c->wait_start; v < end; v++)
		if (uses_signal(l, v, signal, &literal))
			return;
	for (uint32_t v = c->wait_start; v < end; v++) {
		l->cdcl->steps += c->signal_count;
		if (!is_waiting(l, c, v, node))
			continue;
		lemma_begin_clause(l);
		lemma_add_literal(l, -unwoken);
		lemma_add_literal(l, lemma_before(l, l->total->cut, node));
		for (uint32_t u = c->wait_start; u < end; u++)
			if (m->waits.items[u].wake == ORDER_WAKE_SIGNAL)
				lemma_add_literal(l, pair_literal(l, u, signal));
		add_not_waiting(l, c, v, node);
		lemma_end_clause(l);
		return;
	}
}

/*
 * Checks an unwoken wait: the wait is inside, its woken node is outside, no broadcast inside comes
 * after the wait, and other waits use the signals that come after it.
 */
static void check_unwoken(struct lemma *l, uint32_t wait, int32_t literal)
{
	const struct order_model *m = l->index->model;
	const struct order_condition *c = condition_of(l, wait);
	uint32_t begin = m->waits.items[wait].wait, woken = m->waits.items[wait].woken;
	uint32_t cut = l->total->cut;

	if (woken != ORDER_NONE && topo_order_is_inside(l->total, woken)) {
		lemma_add_either(l, -literal, lemma_before(l, cut, woken));
	}
	if (begin != ORDER_NONE && !topo_order_is_inside(l->total, begin)) {
		lemma_add_either(l, -literal, lemma_before(l, begin, cut));
		return;
	}
	for (uint32_t s = c->signal_start; s < c->signal_start + c->signal_count; s++) {
		uint32_t node = m->signals.items[s].node;
		bool taken = false;

		if (!topo_order_is_inside(l->total, node))
			continue;
		if (begin != ORDER_NONE && topo_order_before(l->total, node, begin)) {
			if (!m->signals.items[s].broadcast)
				check_unused_signal(l, c, s, literal);
			continue;
		}
		lemma_begin_clause(l);
		lemma_add_literal(l, -literal);
		lemma_add_literal(l, lemma_before(l, cut, node));
		if (begin != ORDER_NONE)
			lemma_add_literal(l, lemma_before(l, node, begin));
		for (uint32_t v = c->wait_start; v < c->wait_start + c->wait_count; v++) {
			int32_t by = CDCL_FALSE;

			if (v != wait && !m->signals.items[s].broadcast &&
			    m->waits.items[v].wake == ORDER_WAKE_SIGNAL)
				by = pair_literal(l, v, s);
			taken |= cdcl_holds(l->cdcl, by);
			lemma_add_literal(l, by);
		}
		l->cdcl->steps += c->wait_count;
		if (!taken)
			lemma_end_clause(l);
	}
}

void lemma_check_waits(struct lemma *l)
{
	const struct order_model *m = l->index->model;

	for (size_t i = 0; i < l->unsignalled.count; i++)
		explain_crowd(l, l->unsignalled.items[i]);
	if (!l->query->unwoken.count)
		return;
	for (size_t i = 0; i < l->query->unwoken.count; i++) {
		int32_t literal = lemma_literal_of_query(l, l->query->unwoken.items[i].literal);

		if (cdcl_holds(l->cdcl, literal))
			check_unwoken(l, l->query->unwoken.items[i].wait, literal);
	}
	for (size_t o = 0; o < m->conditions.count; o++) {
		const struct order_condition *c = &m->conditions.items[o];

		if (l->conditions[o].unwoken != l->epoch)
			continue;
		for (uint32_t v = c->wait_start; v < c->wait_start + c->wait_count; v++)
			if (needs_signal(l, &m->waits.items[v]) &&
			    !was_woken_by_broadcast(l, c, &m->waits.items[v]))
				add_wake_clause(l, c, v);
	}
	forbid_double_use(l);
}
