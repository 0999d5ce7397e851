/* Writes the semaphores and conditions of a model, and what the query asks about them, for Z3. */
#include "order/z3/z3_writer.h"

#include "base/mem.h"

/* ---- semaphores ------------------------------------------------------------------------------ */

/* A list of nodes of the model. */
struct z3_sync_nodes {
	const uint32_t *items;
	uint32_t count;
};

/* Begins a clause that must hold only if `at` is inside; for the cut, if `condition` holds. */
static void add_unless_inside(struct z3_writer *w, uint32_t at, int32_t condition)
{
	if (at == ORDER_CUT)
		z3_add_literal(w, -condition);
	else
		z3_add_before(w, ORDER_CUT, at);
}

/*
 * Writes: if `at` is inside (if `at` is the cut: if `condition` holds), the number of `spenders`
 * before `at` is at most the number of `sources` before it plus `spare`. A spender is counted if it
 * may come before `at`, a source only if it does.
 */
static void write_balance(struct z3_writer *w, uint32_t at, int32_t condition,
			  struct z3_sync_nodes spenders, struct z3_sync_nodes sources,
			  int64_t spare)
{
	VEC(Z3_ast) list = { 0 };

	for (uint32_t i = 0; i < spenders.count + sources.count; i++) {
		bool spends = i < spenders.count;
		uint32_t node = spends ? spenders.items[i] : sources.items[i - spenders.count];
		enum z3_truth before =
			z3_can_be_inside(w, node) ? z3_known_order(w, node, at) : Z3_NEVER;
		Z3_ast counts;

		spare += (spends ? before == Z3_ALWAYS ? -1 : 0 : before != Z3_NEVER);
		if (before != Z3_OPEN)
			continue;
		counts = z3_make_boolean(w);
		add_unless_inside(w, at, condition);
		if (spends)
			z3_add(w, counts);
		else
			z3_add_not(w, counts);
		z3_add_before(w, spends ? at : node, spends ? node : at);
		z3_end_clause(w);
		*vec_push(&list) = spends ? counts : Z3_mk_not(w->z3, counts);
	}
	if (spare < 0) {
		add_unless_inside(w, at, condition);
		z3_end_clause(w);
	} else if (spare < (int64_t)list.count) {
		z3_write_at_most(w, list.items, (uint32_t)list.count, (uint32_t)spare);
	}
	vec_free(&list);
}

void z3_write_semaphores(struct z3_writer *w)
{
	const struct order_model *m = w->model;

	for (size_t k = 0; k < m->semaphores.count && !w->over; k++) {
		const struct order_semaphore *s = &m->semaphores.items[k];
		struct z3_sync_nodes posts = { m->posts.items + s->post_start, s->post_count };
		struct z3_sync_nodes downs = { m->downs.items + s->down_start, s->down_count };

		/* A down does not come before itself, so it is Z3_NEVER in its own balance. */
		for (uint32_t i = 0; i < downs.count && !w->over; i++)
			if (z3_can_be_inside(w, downs.items[i]))
				write_balance(w, downs.items[i], 0, downs, posts,
					      (int64_t)s->initial - 1);
		/* The balances of the downs exclude values below 0, so "not above 0" means 0. */
		for (uint32_t i = 0; i < s->zero_count; i++)
			if (z3_can_be_inside(w, m->zeros.items[s->zero_start + i]))
				write_balance(w, m->zeros.items[s->zero_start + i], 0, posts, downs,
					      -(int64_t)s->initial);
		for (size_t i = 0; i < w->query->empty.count; i++)
			if (w->query->empty.items[i].semaphore == k)
				write_balance(w, ORDER_CUT, w->query->empty.items[i].literal, posts,
					      downs, -(int64_t)s->initial);
	}
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* For one condition: which signals can wake which waits. Has only nodes that can be inside. */
struct z3_wakes {
	/* the waits that a signal can wake; `woken` is ORDER_NONE if that node cannot be inside */
	VEC(struct order_wait) waits;
	VEC(uint32_t) numbers;		   /* their numbers in the model */
	VEC(uint32_t) signals, broadcasts; /* nodes */
	/* [wait * signals.count + signal]: "the signal wakes the wait"; NULL: impossible */
	Z3_ast *wakes;
};

static void collect_wakes(struct z3_writer *w, const struct order_condition *condition,
			  struct z3_wakes *on)
{
	for (uint32_t i = 0; i < condition->signal_count; i++) {
		struct order_signal s = w->model->signals.items[condition->signal_start + i];

		if (!z3_can_be_inside(w, s.node))
			continue;
		if (s.broadcast)
			*vec_push(&on->broadcasts) = s.node;
		else
			*vec_push(&on->signals) = s.node;
	}
	for (uint32_t i = 0; i < condition->wait_count; i++) {
		struct order_wait wait = w->model->waits.items[condition->wait_start + i];

		if (wait.wake != ORDER_WAKE_SIGNAL ||
		    (wait.wait != ORDER_NONE && !z3_can_be_inside(w, wait.wait)))
			continue;
		if (wait.woken != ORDER_NONE && !z3_can_be_inside(w, wait.woken))
			wait.woken = ORDER_NONE;
		*vec_push(&on->waits) = wait;
		*vec_push(&on->numbers) = condition->wait_start + i;
	}
	on->wakes = mem_zalloc(on->waits.count * on->signals.count + 1, sizeof *on->wakes);
}

/*
 * Each signal wakes at most one wait. Each wait is woken by at most one signal, which comes while
 * the wait waits and before any broadcast has woken it. The condition about broadcasts is not
 * needed for woken nodes to have their signal, and does no harm there; unwoken waits (query.h) need
 * it.
 */
static void write_pairs(struct z3_writer *w, struct z3_wakes *on)
{
	size_t signals = on->signals.count;

	for (size_t i = 0; i < on->waits.count; i++)
		for (size_t s = 0; s < signals; s++) {
			uint32_t wait = on->waits.items[i].wait, woken = on->waits.items[i].woken;
			uint32_t signal = on->signals.items[s];
			Z3_ast pair;

			if ((wait != ORDER_NONE && z3_known_order(w, wait, signal) == Z3_NEVER) ||
			    (woken != ORDER_NONE && z3_known_order(w, signal, woken) == Z3_NEVER))
				continue;
			pair = on->wakes[i * signals + s] = z3_make_boolean(w);
			if (wait != ORDER_NONE)
				z3_write_choice_implies(w, pair, wait, signal);
			if (woken != ORDER_NONE)
				z3_write_choice_implies(w, pair, signal, woken);
			for (size_t b = 0; b < on->broadcasts.count; b++) {
				z3_add_not(w, pair);
				if (wait != ORDER_NONE)
					z3_add_before(w, on->broadcasts.items[b], wait);
				z3_add_before(w, signal, on->broadcasts.items[b]);
				z3_end_clause(w);
			}
		}
	for (size_t a = 0; a < on->waits.count * signals; a++)
		for (size_t b = a + 1; b < on->waits.count * signals; b++)
			if (on->wakes[a] && on->wakes[b] &&
			    (a / signals == b / signals || a % signals == b % signals)) {
				z3_add_not(w, on->wakes[a]);
				z3_add_not(w, on->wakes[b]);
				z3_end_clause(w);
			}
}

/*
 * Adds "a broadcast came in between" to the clause, with one boolean for each broadcast. By
 * write_broadcasts(), each boolean implies that its broadcast is between the nodes that matter.
 */
static void add_broadcasts(struct z3_writer *w, const struct z3_wakes *on, Z3_ast *between)
{
	for (size_t i = 0; i < on->broadcasts.count; i++)
		z3_add(w, between[i] = z3_make_boolean(w));
}

static void write_broadcasts(struct z3_writer *w, const struct z3_wakes *on, uint32_t wait,
			     uint32_t until, const Z3_ast *between)
{
	for (size_t i = 0; i < on->broadcasts.count; i++) {
		if (wait != ORDER_NONE)
			z3_write_choice_implies(w, between[i], wait, on->broadcasts.items[i]);
		z3_write_choice_implies(w, between[i], on->broadcasts.items[i], until);
	}
}

/* Writes: a woken node that is inside had a signal or a broadcast. */
static void write_woken(struct z3_writer *w, const struct z3_wakes *on, size_t i)
{
	const struct order_wait *wait = &on->waits.items[i];
	Z3_ast *between = mem_zalloc(on->broadcasts.count + 1, sizeof *between);

	z3_add_before(w, ORDER_CUT, wait->woken);
	add_broadcasts(w, on, between);
	for (size_t s = 0; s < on->signals.count; s++)
		if (on->wakes[i * on->signals.count + s])
			z3_add(w, on->wakes[i * on->signals.count + s]);
	z3_end_clause(w);
	write_broadcasts(w, on, wait->wait, wait->woken, between);
	free(between);
}

/* Writes: if `idle` holds, wait i has not begun before signal s, or was woken before it. */
static void write_idle(struct z3_writer *w, const struct z3_wakes *on, Z3_ast idle, size_t i,
		       size_t s)
{
	const struct order_wait *wait = &on->waits.items[i];
	uint32_t signal = on->signals.items[s];
	Z3_ast *between = mem_zalloc(on->broadcasts.count + 1, sizeof *between);
	Z3_ast *earlier = mem_zalloc(on->signals.count + 1, sizeof *earlier);

	z3_add_not(w, idle);
	if (wait->wait != ORDER_NONE)
		z3_add_before(w, signal, wait->wait);
	if (wait->woken != ORDER_NONE)
		z3_add_before(w, wait->woken, signal);
	add_broadcasts(w, on, between);
	for (size_t k = 0; k < on->signals.count; k++)
		if (k != s && on->wakes[i * on->signals.count + k])
			z3_add(w, earlier[k] = z3_make_boolean(w));
	z3_end_clause(w);
	write_broadcasts(w, on, wait->wait, signal, between);
	for (size_t k = 0; k < on->signals.count; k++)
		if (earlier[k]) {
			z3_write_choice_implies(w, earlier[k], on->signals.items[k], signal);
			z3_add_not(w, earlier[k]);
			z3_add(w, on->wakes[i * on->signals.count + k]);
			z3_end_clause(w);
		}
	free(between);
	free(earlier);
}

/* Writes, once for all unwoken waits: a signal inside wakes a wait if any is waiting at it. */
static Z3_ast write_signals_wake(struct z3_writer *w, const struct z3_wakes *on)
{
	Z3_ast all_wake = z3_make_boolean(w);

	for (size_t s = 0; s < on->signals.count; s++) {
		Z3_ast idle = z3_make_boolean(w);

		z3_add_not(w, all_wake);
		z3_add_before(w, ORDER_CUT, on->signals.items[s]);
		z3_add(w, idle);
		for (size_t i = 0; i < on->waits.count; i++)
			if (on->wakes[i * on->signals.count + s])
				z3_add(w, on->wakes[i * on->signals.count + s]);
		z3_end_clause(w);
		for (size_t i = 0; i < on->waits.count; i++)
			write_idle(w, on, idle, i, s);
	}
	return all_wake;
}

static void write_unwoken(struct z3_writer *w, const struct z3_wakes *on,
			  const struct order_unwoken *unwoken, Z3_ast all_wake)
{
	const struct order_wait *wait = &w->model->waits.items[unwoken->wait];

	z3_add_literal(w, -unwoken->literal);
	z3_add(w, all_wake);
	z3_end_clause(w);
	if (wait->wait != ORDER_NONE) {
		z3_add_literal(w, -unwoken->literal);
		if (z3_can_be_inside(w, wait->wait))
			z3_add_before(w, wait->wait, ORDER_CUT);
		z3_end_clause(w);
	}
	if (z3_can_be_inside(w, wait->woken)) {
		z3_add_literal(w, -unwoken->literal);
		z3_add_before(w, ORDER_CUT, wait->woken);
		z3_end_clause(w);
	}
	for (size_t b = 0; b < on->broadcasts.count; b++) {
		z3_add_literal(w, -unwoken->literal);
		if (z3_can_be_inside(w, wait->wait))
			z3_add_before(w, on->broadcasts.items[b], wait->wait);
		z3_add_before(w, ORDER_CUT, on->broadcasts.items[b]);
		z3_end_clause(w);
	}
	for (size_t i = 0; i < on->waits.count; i++)
		for (size_t s = 0; s < on->signals.count; s++)
			if (on->numbers.items[i] == unwoken->wait &&
			    on->wakes[i * on->signals.count + s]) {
				z3_add_literal(w, -unwoken->literal);
				z3_add_not(w, on->wakes[i * on->signals.count + s]);
				z3_end_clause(w);
			}
}

void z3_write_conditions(struct z3_writer *w)
{
	const struct order_model *m = w->model;

	for (size_t c = 0; c < m->conditions.count && !w->over; c++) {
		const struct order_condition *condition = &m->conditions.items[c];
		struct z3_wakes on = { 0 };
		Z3_ast all_wake = NULL;

		collect_wakes(w, condition, &on);
		write_pairs(w, &on);
		for (size_t i = 0; i < on.waits.count; i++)
			if (on.waits.items[i].woken != ORDER_NONE)
				write_woken(w, &on, i);
		for (size_t i = 0; i < w->query->unwoken.count; i++) {
			const struct order_unwoken *unwoken = &w->query->unwoken.items[i];

			if (unwoken->wait - condition->wait_start >= condition->wait_count)
				continue;
			if (!all_wake)
				all_wake = write_signals_wake(w, &on);
			write_unwoken(w, &on, unwoken, all_wake);
		}
		vec_free(&on.waits);
		vec_free(&on.numbers);
		vec_free(&on.signals);
		vec_free(&on.broadcasts);
		free(on.wakes);
	}
}
