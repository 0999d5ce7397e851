/*
 * Woken nodes were woken. For a wait w that returned because it was signalled, once it is needed:
 *
 *	its woken node is outside, or w takes one of the signals (or broadcasts)
 *	w takes s  =>  WAIT < s and s < WOKEN
 *	not both v and w take the signal s
 *
 * Whether it is needed is found by playing: signals go to whoever is woken first. If somebody is
 * left over, then by Hall's theorem some waits want fewer signals than they are; these get their
 * clauses.
 *
 * Where a query asks for deaf waits the assignment is part of the question: then every signal
 * inside that finds somebody waiting must be taken, also one before the deaf wait, and nobody
 * takes two.
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
	for (size_t i = 0; i < l->query->deaf.count; i++) {
		uint32_t wait = l->query->deaf.items[i].wait;

		assert(l->index->model->waits.items[wait].wake == ORDER_WAKE_SIGNAL);
		l->conditions[l->index->wait_condition[wait]].deaf = l->epoch;
	}
}

/* The literal of "wait takes signal"; CDCL_FALSE when that is certainly impossible. */
static int32_t pair(struct lemma *l, uint32_t wait, uint32_t signal)
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
	lemma_imply(l, literal, after);
	lemma_imply(l, literal, until);
	return literal;
}

/* The wait's woken node is outside or it takes something. False: that was said before. */
static bool add_wake(struct lemma *l, const struct order_condition *condition, uint32_t wait)
{
	const struct order_wait *w = &l->index->model->waits.items[wait];

	if (l->of_wait[wait].epoch == l->epoch)
		return false;
	l->of_wait[wait].epoch = l->epoch;
	lemma_begin(l);
	lemma_literal(l, lemma_before(l, l->total->cut, w->woken));
	for (uint32_t i = 0; i < condition->signal_count; i++)
		lemma_literal(l, pair(l, wait, condition->signal_start + i));
	l->lemmas++;
	cdcl_add(l->cdcl, l->clause.items, l->clause.count);
	return true;
}

/* ---- playing ---------------------------------------------------------------------------------- */

static bool needs_signal(const struct lemma *l, const struct order_wait *w)
{
	return w->wake == ORDER_WAKE_SIGNAL && w->woken != ORDER_NONE &&
	       topo_order_is_inside(l->total, w->woken);
}

static struct lemma_condition *touch(struct lemma *l, uint32_t number)
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

void lemma_play_wait(struct lemma *l, uint32_t condition, uint32_t wait)
{
	struct lemma_condition *c = touch(l, condition);

	if (needs_signal(l, &l->index->model->waits.items[wait]))
		*vec_push(&c->waiting) = wait;
}

void lemma_play_signal(struct lemma *l, uint32_t condition, uint32_t signal)
{
	const struct order_wait *waits = l->index->model->waits.items;
	struct lemma_condition *c = touch(l, condition);
	size_t first = 0;

	l->taken[signal] = ORDER_NONE;
	if (l->index->model->signals.items[signal].broadcast)
		c->waiting.count = 0;
	if (!c->waiting.count)
		return;
	for (size_t i = 1; i < c->waiting.count; i++)
		if (topo_order_before(l->total, waits[c->waiting.items[i]].woken,
				      waits[c->waiting.items[first]].woken))
			first = i;
	l->taken[signal] = c->waiting.items[first];
	c->waiting.items[first] = c->waiting.items[--c->waiting.count];
}

void lemma_play_woken(struct lemma *l, uint32_t condition, uint32_t wait)
{
	struct lemma_condition *c = touch(l, condition);

	for (size_t i = 0; i < c->waiting.count; i++)
		if (c->waiting.items[i] == wait) {
			c->waiting.items[i] = c->waiting.items[--c->waiting.count];
			if (c->deaf != l->epoch)
				*vec_push(&l->broken) = wait;
			return;
		}
}

/* ---- too few signals -------------------------------------------------------------------------- */

/* Is the signal inside, between wait and woken? */
static bool is_between(const struct lemma *l, const struct order_wait *w, uint32_t node)
{
	return (w->wait == ORDER_NONE || topo_order_before(l->total, w->wait, node)) &&
	       topo_order_is_inside(l->total, node) &&
	       (w->woken == ORDER_NONE || topo_order_before(l->total, node, w->woken));
}

/* Who takes the signals that the broken one could have, who takes those that these could, … */
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
			assert(l->taken[s] != ORDER_NONE);
			while (i < l->crowd.count && l->crowd.items[i] != l->taken[s])
				i++;
			if (i == l->crowd.count)
				*vec_push(&l->crowd) = l->taken[s];
		}
}

static bool takes(const struct lemma *l, uint32_t wait, uint32_t signal, int32_t *literal)
{
	const uint64_t *known = map_get(&l->pair_of, (uint64_t)wait << 32 | signal);

	*literal = known ? (int32_t)*known : CDCL_FALSE;
	return cdcl_holds(l->cdcl, *literal);
}

/* Of those in the crowd that chose, no two choose the same. */
static void add_exclusions(struct lemma *l, const struct order_condition *condition)
{
	const struct order_model *m = l->index->model;

	for (uint32_t i = 0; i < condition->signal_count; i++) {
		uint32_t s = condition->signal_start + i;
		int32_t one, other = 0;

		for (size_t k = 0; k < l->crowd.count && !m->signals.items[s].broadcast; k++) {
			if (!takes(l, l->crowd.items[k], s, &one))
				continue;
			if (other) {
				lemma_begin(l);
				lemma_literal(l, -one);
				lemma_literal(l, -other);
				lemma_end(l);
			}
			other = one;
		}
	}
}

static void add_too_few(struct lemma *l, uint32_t wait)
{
	const struct order_condition *condition = condition_of(l, wait);
	bool new = false;

	l->lemmas++;
	find_crowd(l, condition, wait);
	for (size_t k = 0; k < l->crowd.count; k++)
		new |= add_wake(l, condition, l->crowd.items[k]);
	if (!new)
		add_exclusions(l, condition);
}

/* ---- deaf waits ------------------------------------------------------------------------------- */

static bool was_broadcast(const struct lemma *l, const struct order_condition *condition,
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

/* A wait takes a signal only if no broadcast woke it before that. */
static void check_broadcasts(struct lemma *l, const struct order_condition *condition,
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
		lemma_begin(l);
		lemma_literal(l, -p->literal);
		if (w->wait != ORDER_NONE)
			lemma_literal(l, lemma_before(l, b->node, w->wait));
		lemma_literal(l, lemma_before(l, node, b->node));
		lemma_end(l);
	}
}

/* Nobody takes two signals, no signal goes to two. */
static void check_pairs(struct lemma *l)
{
	const struct order_model *m = l->index->model;

	for (size_t i = 0; i < m->signals.count; i++)
		l->taken[i] = ORDER_NONE;
	for (uint32_t i = 0; i < l->pairs.count; i++) {
		const struct lemma_pair p = l->pairs.items[i];
		const struct order_condition *condition = condition_of(l, p.wait);
		uint32_t rivals[2] = { ORDER_NONE, ORDER_NONE };

		if (l->conditions[condition - m->conditions.items].deaf != l->epoch ||
		    m->signals.items[p.signal].broadcast || !cdcl_holds(l->cdcl, p.literal))
			continue;
		if (l->takes[p.wait].round == l->round)
			rivals[0] = l->takes[p.wait].pair;
		rivals[1] = l->taken[p.signal];
		l->takes[p.wait] = (struct lemma_takes){ l->round, i };
		l->taken[p.signal] = i;
		for (int k = 0; k < 2; k++) {
			if (rivals[k] == ORDER_NONE)
				continue;
			lemma_begin(l);
			lemma_literal(l, -p.literal);
			lemma_literal(l, -l->pairs.items[rivals[k]].literal);
			lemma_end(l);
		}
		check_broadcasts(l, condition, &p);
	}
}

/* Does the wait still wait when the signal comes, in the current order? */
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
		    (other->broadcast || takes(l, wait, s, &literal)))
			return false;
	}
	return true;
}

/*
 * "The wait does not wait when the signal comes", as part of a clause: not yet, not any more, or
 * woken before by a broadcast or by a signal, each of which gets a boolean.
 */
static void add_not_waiting(struct lemma *l, const struct order_condition *c, uint32_t wait,
			    uint32_t node)
{
	const struct order_model *m = l->index->model;
	const struct order_wait *w = &m->waits.items[wait];

	if (w->wait != ORDER_NONE)
		lemma_literal(l, lemma_before(l, node, w->wait));
	if (w->woken != ORDER_NONE)
		lemma_literal(l, lemma_before(l, w->woken, node));
	for (uint32_t s = c->signal_start; s < c->signal_start + c->signal_count; s++) {
		const struct order_signal *other = &m->signals.items[s];
		int32_t woke = other->node == node ? CDCL_FALSE : pair(l, wait, s), earlier;

		if (woke == CDCL_FALSE)
			continue;
		earlier = cdcl_boolean(l->cdcl, other->node, node, false);
		lemma_imply(l, earlier, woke);
		lemma_imply(l, earlier, lemma_before(l, other->node, node));
		lemma_literal(l, earlier);
	}
}

/* A signal that nobody takes, inside a prefix with a deaf wait, found nobody waiting. */
static void check_missed(struct lemma *l, const struct order_condition *c, uint32_t signal,
			 int32_t deaf)
{
	const struct order_model *m = l->index->model;
	uint32_t node = m->signals.items[signal].node, end = c->wait_start + c->wait_count;
	int32_t literal;

	for (uint32_t v = c->wait_start; v < end; v++)
		if (takes(l, v, signal, &literal))
			return;
	for (uint32_t v = c->wait_start; v < end; v++) {
		l->cdcl->steps += c->signal_count;
		if (!is_waiting(l, c, v, node))
			continue;
		lemma_begin(l);
		lemma_literal(l, -deaf);
		lemma_literal(l, lemma_before(l, l->total->cut, node));
		for (uint32_t u = c->wait_start; u < end; u++)
			if (m->waits.items[u].wake == ORDER_WAKE_SIGNAL)
				lemma_literal(l, pair(l, u, signal));
		add_not_waiting(l, c, v, node);
		lemma_end(l);
		return;
	}
}

/* What is inside and behind a deaf wait: no broadcast, and signals that others take. */
static void check_deaf(struct lemma *l, uint32_t wait, int32_t literal)
{
	const struct order_model *m = l->index->model;
	const struct order_condition *c = condition_of(l, wait);
	uint32_t begin = m->waits.items[wait].wait, woken = m->waits.items[wait].woken;
	uint32_t cut = l->total->cut;

	if (woken != ORDER_NONE && topo_order_is_inside(l->total, woken)) {
		lemma_begin(l);
		lemma_literal(l, -literal);
		lemma_literal(l, lemma_before(l, cut, woken));
		lemma_end(l);
	}
	if (begin != ORDER_NONE && !topo_order_is_inside(l->total, begin)) {
		lemma_begin(l);
		lemma_literal(l, -literal);
		lemma_literal(l, lemma_before(l, begin, cut));
		lemma_end(l);
		return;
	}
	for (uint32_t s = c->signal_start; s < c->signal_start + c->signal_count; s++) {
		uint32_t node = m->signals.items[s].node;
		bool taken = false;

		if (!topo_order_is_inside(l->total, node))
			continue;
		if (begin != ORDER_NONE && topo_order_before(l->total, node, begin)) {
			if (!m->signals.items[s].broadcast)
				check_missed(l, c, s, literal);
			continue;
		}
		lemma_begin(l);
		lemma_literal(l, -literal);
		lemma_literal(l, lemma_before(l, cut, node));
		if (begin != ORDER_NONE)
			lemma_literal(l, lemma_before(l, node, begin));
		for (uint32_t v = c->wait_start; v < c->wait_start + c->wait_count; v++) {
			int32_t by = CDCL_FALSE;

			if (v != wait && !m->signals.items[s].broadcast &&
			    m->waits.items[v].wake == ORDER_WAKE_SIGNAL)
				by = pair(l, v, s);
			taken |= cdcl_holds(l->cdcl, by);
			lemma_literal(l, by);
		}
		l->cdcl->steps += c->wait_count;
		if (!taken)
			lemma_end(l);
	}
}

void lemma_waits_end(struct lemma *l)
{
	const struct order_model *m = l->index->model;

	for (size_t i = 0; i < l->broken.count; i++)
		add_too_few(l, l->broken.items[i]);
	if (!l->query->deaf.count)
		return;
	for (size_t i = 0; i < l->query->deaf.count; i++) {
		int32_t literal = lemma_translate(l, l->query->deaf.items[i].literal);

		if (cdcl_holds(l->cdcl, literal))
			check_deaf(l, l->query->deaf.items[i].wait, literal);
	}
	for (size_t o = 0; o < m->conditions.count; o++) {
		const struct order_condition *c = &m->conditions.items[o];

		if (l->conditions[o].deaf != l->epoch)
			continue;
		for (uint32_t v = c->wait_start; v < c->wait_start + c->wait_count; v++)
			if (needs_signal(l, &m->waits.items[v]) &&
			    !was_broadcast(l, c, &m->waits.items[v]))
				add_wake(l, c, v);
	}
	check_pairs(l);
}
