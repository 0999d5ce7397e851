/*
 * Compares the ordering solver with brute force: random small models with every kind of constraint,
 * random queries, all schedules enumerated. The brute force follows the words of model.h and
 * query.h and shares no code with the solver. A failing case is shrunk before it is shown.
 * SOOTH_RANDOM=N tries N models, SOOTH_SEED=S starts with another one.
 */
#include "order/solver/solve.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 10, ITEMS = 80, ATOMS = 24, CUT = -2, NONE = -1, ANY = -3 };

/* ---- a case: everything that can be dropped on its own is an item ---------------------------- */

enum kind {
	EDGE,	 /* from, to */
	INITIAL, /* cell, value */
	WRITE,	 /* cell, node, value */
	READ,	 /* cell, node, value, writer */
	SECTION, /* lock, acquire, release, thread, shared */
	FAIL,	 /* lock, node, shared */
	WAIT,	 /* condition, wait, woken, thread, free */
	SIGNAL,	 /* condition, node, broadcast */
	TOKENS,	 /* semaphore, initial */
	POST,	 /* semaphore, node */
	DOWN,	 /* semaphore, node */
	ZERO,	 /* semaphore, node */
	CLAUSE,	 /* up to four literals */
	EMPTY,	 /* literal, semaphore */
	DEAF,	 /* literal, item of the wait */
};

static const char *const kind_names[] = {
	"edge",	  "initial", "write", "read", "section", "fail",  "wait",    "signal",
	"tokens", "post",    "down",  "zero", "clause",	 "empty", "unwoken",
};

struct item {
	enum kind kind;
	int f[5];
	bool off;
};

struct atom {
	int before, after; /* both NONE: the atom is a boolean */
};

struct problem {
	int nodes, threads, items, atoms;
	int thread[NODES];
	struct item item[ITEMS];
	struct atom atom[ATOMS];
};

enum { CELLS = 2, LOCKS = 2, CONDITIONS = 2, SEMAPHORES = 2 };

static uint64_t seed;

static int below(int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int)((seed >> 11) % (unsigned)n);
}

static void start_random(long number)
{
	seed = (uint64_t)number * 0x9e3779b97f4a7c15u + 1;
	for (int k = 0; k < 4; k++)
		below(2);
}

static struct item *add(struct problem *p, enum kind kind, int a, int b, int c, int d, int e)
{
	assert_true(p->items < ITEMS);
	p->item[p->items] = (struct item){ kind, { a, b, c, d, e }, false };
	return &p->item[p->items++];
}

/* ---- brute force ----------------------------------------------------------------------------- */

/* A schedule: the position of each node, and of the cut. Before the window is -1, never is 1000. */
struct schedule {
	const struct problem *p;
	int at[NODES], cut;
};

static int from(const struct schedule *s, int node)
{
	return node == NONE ? -1 : s->at[node];
}

static int until(const struct schedule *s, int node)
{
	return node == NONE ? 1000 : s->at[node];
}

static bool inside(const struct schedule *s, int node)
{
	return node == NONE || s->at[node] < s->cut;
}

static bool read_sees(const struct schedule *s, const struct item *read)
{
	const struct item *last = NULL;
	int initial = NONE;

	for (int i = 0; i < s->p->items; i++) {
		const struct item *w = &s->p->item[i];

		if (w->off || w->f[0] != read->f[0])
			continue;
		if (w->kind == INITIAL)
			initial = w->f[1];
		if (w->kind == WRITE && s->at[w->f[1]] < s->at[read->f[1]] &&
		    (!last || s->at[last->f[1]] < s->at[w->f[1]]))
			last = w;
	}
	if (read->f[3] != ANY)
		return read->f[3] == (last ? last->f[1] : NONE);
	return last ? last->f[2] == read->f[2] : initial != NONE && initial == read->f[2];
}

static bool sections_fit(const struct schedule *s, const struct item *a, const struct item *b)
{
	if (a->f[0] != b->f[0] || (a->f[4] && b->f[4]))
		return true;
	if (!inside(s, a->f[1]) || !inside(s, b->f[1]) || (a->f[1] == NONE && b->f[1] == NONE))
		return true;
	return until(s, a->f[2]) < from(s, b->f[1]) || until(s, b->f[2]) < from(s, a->f[1]);
}

static bool fail_explained(const struct schedule *s, const struct item *fail)
{
	for (int i = 0; i < s->p->items; i++) {
		const struct item *x = &s->p->item[i];

		if (!x->off && x->kind == SECTION && x->f[0] == fail->f[0] &&
		    x->f[3] != s->p->thread[fail->f[1]] && !(fail->f[2] && x->f[4]) &&
		    from(s, x->f[1]) < s->at[fail->f[1]] && until(s, x->f[2]) > s->at[fail->f[1]])
			return true;
	}
	return false;
}

/* Is there a broadcast on the wait's condition, inside the cut, between the two moments? */
static bool broadcast_between(const struct schedule *s, const struct item *wait, int low, int high)
{
	for (int i = 0; i < s->p->items; i++) {
		const struct item *x = &s->p->item[i];

		if (!x->off && x->kind == SIGNAL && x->f[0] == wait->f[0] && x->f[2] &&
		    inside(s, x->f[1]) && s->at[x->f[1]] > low && s->at[x->f[1]] < high)
			return true;
	}
	return false;
}

static bool must_be_signalled(const struct schedule *s, const struct item *x)
{
	return !x->off && x->kind == WAIT && !x->f[4] && x->f[2] != NONE && inside(s, x->f[2]) &&
	       !broadcast_between(s, x, from(s, x->f[1]), s->at[x->f[2]]);
}

/* Tries to give each wait, from item i on, that needs a signal one of its own. */
static bool waits_fit(const struct schedule *s, int i, uint64_t *used)
{
	const struct item *w = &s->p->item[i];

	if (i == s->p->items)
		return true;
	if (!must_be_signalled(s, w))
		return waits_fit(s, i + 1, used);
	for (int k = 0; k < s->p->items; k++) {
		const struct item *x = &s->p->item[k];

		if (x->off || x->kind != SIGNAL || x->f[0] != w->f[0] || x->f[2] ||
		    used[k / 64] >> k % 64 & 1 || s->at[x->f[1]] < from(s, w->f[1]) ||
		    s->at[x->f[1]] > s->at[w->f[2]])
			continue;
		used[k / 64] |= 1ull << k % 64;
		if (waits_fit(s, i + 1, used))
			return true;
		used[k / 64] &= ~(1ull << k % 64);
	}
	return false;
}

/* Returns the value of a semaphore at a moment. */
static int tokens(const struct schedule *s, int semaphore, int moment)
{
	int count = 0;

	for (int i = 0; i < s->p->items; i++) {
		const struct item *x = &s->p->item[i];

		if (x->off || x->f[0] != semaphore)
			continue;
		if (x->kind == TOKENS)
			count += x->f[1];
		if (x->kind == POST && s->at[x->f[1]] < moment)
			count++;
		if (x->kind == DOWN && s->at[x->f[1]] < moment)
			count--;
	}
	return count;
}

static bool feasible(const struct schedule *s)
{
	uint64_t used[2] = { 0 };

	for (int i = 0; i < s->p->items; i++) {
		const struct item *x = &s->p->item[i];

		if (x->off)
			continue;
		if (x->kind == READ && inside(s, x->f[1]) && !read_sees(s, x))
			return false;
		if (x->kind == FAIL && inside(s, x->f[1]) && !fail_explained(s, x))
			return false;
		if (x->kind == DOWN && inside(s, x->f[1]) &&
		    tokens(s, x->f[0], s->at[x->f[1]]) <= 0)
			return false;
		if (x->kind == ZERO && inside(s, x->f[1]) &&
		    tokens(s, x->f[0], s->at[x->f[1]]) != 0)
			return false;
		for (int k = 0; k < i && x->kind == SECTION; k++)
			if (s->p->item[k].kind == SECTION && !s->p->item[k].off &&
			    !sections_fit(s, &s->p->item[k], x))
				return false;
	}
	return waits_fit(s, 0, used);
}

static bool literal_holds(const struct schedule *s, uint32_t booleans, int literal)
{
	int number = abs(literal) - 1;
	struct atom a = s->p->atom[number];
	bool value;

	if (a.before == NONE)
		value = booleans >> number & 1;
	else
		value = (a.before == CUT ? s->cut : s->at[a.before]) <
			(a.after == CUT ? s->cut : s->at[a.after]);
	return value == (literal > 0);
}

/* The signal x wakes no thread in this assignment: is there a thread that waits when it comes? */
static bool finds_one(const struct schedule *s, const int *taker, const struct item *x)
{
	const struct problem *p = s->p;

	for (int v = 0; v < p->items; v++) {
		const struct item *w = &p->item[v];
		bool woken = false;

		if (w->off || w->kind != WAIT || w->f[4] || w->f[0] != x->f[0] ||
		    from(s, w->f[1]) > s->at[x->f[1]] || until(s, w->f[2]) < s->at[x->f[1]] ||
		    broadcast_between(s, w, from(s, w->f[1]), s->at[x->f[1]]))
			continue;
		for (int k = 0; k < p->items; k++)
			woken |= taker[k] == v && s->at[p->item[k].f[1]] < s->at[x->f[1]];
		if (!woken)
			return true;
	}
	return false;
}

/* Is there a signal inside the cut that wakes no thread although some thread waits? */
static bool loses_signal(const struct schedule *s, int condition, const int *taker)
{
	const struct problem *p = s->p;

	for (int k = 0; k < p->items; k++) {
		const struct item *x = &p->item[k];

		if (x->off || x->kind != SIGNAL || x->f[0] != condition || x->f[2] ||
		    !inside(s, x->f[1]) || taker[k] != NONE)
			continue;
		for (int i = 0; i < p->items; i++) {
			const struct item *w = &p->item[i];
			bool woken = false;

			if (w->off || w->kind != WAIT || w->f[0] != condition || w->f[4])
				continue;
			for (int j = 0; j < p->items; j++)
				woken |= taker[j] == i && s->at[p->item[j].f[1]] < s->at[x->f[1]];
			if (!woken && from(s, w->f[1]) < s->at[x->f[1]] &&
			    until(s, w->f[2]) > s->at[x->f[1]] &&
			    !broadcast_between(s, w, from(s, w->f[1]), s->at[x->f[1]]))
				return true;
		}
	}
	return false;
}

/*
 * Are all waits correct with this assignment of signals? taker[item] is the wait that a signal
 * wakes, or NONE.
 */
static bool assignment_fits(const struct schedule *s, uint32_t booleans, const int *taker)
{
	const struct problem *p = s->p;

	for (int i = 0; i < p->items; i++) {
		bool served = false;

		for (int k = 0; k < p->items; k++)
			served |= taker[k] == i;
		if (must_be_signalled(s, &p->item[i]) && !served)
			return false;
	}
	for (int i = 0; i < p->items; i++) {
		const struct item *d = &p->item[i], *w = &p->item[d->kind == DEAF ? d->f[1] : 0];

		if (d->off || d->kind != DEAF || !literal_holds(s, booleans, d->f[0]))
			continue;
		if (!inside(s, w->f[1]) || (w->f[2] != NONE && inside(s, w->f[2])))
			return false;
		if (loses_signal(s, w->f[0], taker))
			return false;
		for (int k = 0; k < p->items; k++) {
			const struct item *x = &p->item[k];

			if (x->off || x->kind != SIGNAL || x->f[0] != w->f[0] ||
			    !inside(s, x->f[1]))
				continue;
			if (!x->f[2] && taker[k] == NONE && finds_one(s, taker, x))
				return false;
			if (s->at[x->f[1]] < from(s, w->f[1]))
				continue;
			if (x->f[2] || taker[k] == NONE || taker[k] == d->f[1])
				return false;
		}
	}
	return true;
}

/* Tries all assignments of the signals from item i on. */
static bool deaf_fits(const struct schedule *s, uint32_t booleans, int i, int *taker)
{
	const struct problem *p = s->p;
	const struct item *x = &p->item[i];

	if (i == p->items)
		return assignment_fits(s, booleans, taker);
	taker[i] = NONE;
	if (deaf_fits(s, booleans, i + 1, taker))
		return true;
	if (x->off || x->kind != SIGNAL || x->f[2] || !inside(s, x->f[1]))
		return false;
	for (int k = 0; k < p->items; k++) {
		const struct item *w = &p->item[k];
		bool busy = false;

		if (w->off || w->kind != WAIT || w->f[4] || w->f[0] != x->f[0])
			continue;
		for (int j = 0; j < i; j++)
			busy |= taker[j] == k;
		if (busy || from(s, w->f[1]) > s->at[x->f[1]] ||
		    until(s, w->f[2]) < s->at[x->f[1]] ||
		    broadcast_between(s, w, from(s, w->f[1]), s->at[x->f[1]]))
			continue;
		taker[i] = k;
		if (deaf_fits(s, booleans, i + 1, taker))
			return true;
	}
	taker[i] = NONE;
	return false;
}

static bool satisfies_with(const struct schedule *s, uint32_t booleans)
{
	int taker[ITEMS];
	bool unwoken = false;

	for (int i = 0; i < s->p->items; i++) {
		const struct item *x = &s->p->item[i];
		bool holds = false;

		if (x->off)
			continue;
		for (int k = 0; k < 4 && x->kind == CLAUSE && x->f[k]; k++)
			holds |= literal_holds(s, booleans, x->f[k]);
		if (x->kind == CLAUSE && !holds)
			return false;
		if (x->kind == EMPTY && literal_holds(s, booleans, x->f[0]) &&
		    tokens(s, x->f[1], s->cut) != 0)
			return false;
		unwoken |= x->kind == DEAF;
	}
	for (int i = 0; i < ITEMS; i++)
		taker[i] = NONE;
	return !unwoken || deaf_fits(s, booleans, 0, taker);
}

static bool satisfies(const struct schedule *s)
{
	uint32_t free_ones = 0, booleans = 0;

	for (int i = 0; i < s->p->atoms; i++)
		if (s->p->atom[i].before == NONE)
			free_ones |= 1u << i;
	do {
		if (satisfies_with(s, booleans))
			return true;
		booleans = (booleans - free_ones) & free_ones;
	} while (booleans);
	return false;
}

/* Do program order and edges allow the node at this moment? */
static bool may_come(const struct schedule *s, int node, int moment)
{
	for (int n = 0; n < node; n++)
		if (s->p->thread[n] == s->p->thread[node] && s->at[n] > moment)
			return false;
	for (int i = 0; i < s->p->items; i++) {
		const struct item *x = &s->p->item[i];

		if (!x->off && x->kind == EDGE && x->f[1] == node && s->at[x->f[0]] > moment)
			return false;
	}
	return true;
}

static bool enumerate(struct schedule *s, int moment)
{
	if (moment == s->p->nodes + 1)
		return satisfies(s);
	if (s->cut > moment) {
		s->cut = moment;
		if (feasible(s) && enumerate(s, moment + 1))
			return true;
		s->cut = 1000;
	}
	for (int n = 0; n < s->p->nodes; n++) {
		if (s->at[n] < moment || !may_come(s, n, moment))
			continue;
		s->at[n] = moment;
		if (enumerate(s, moment + 1))
			return true;
		s->at[n] = 500;
	}
	return false;
}

static bool brute_force(const struct problem *p)
{
	struct schedule s = { .p = p, .cut = 1000 };

	for (int n = 0; n < p->nodes; n++)
		s.at[n] = 500; /* not placed yet: after any cut, but before "never" */
	return enumerate(&s, 0);
}

/* ---- the same to the solver ------------------------------------------------------------------ */

static uint32_t node(int n)
{
	return n == NONE ? ORDER_NONE : n == CUT ? ORDER_CUT : n == ANY ? ORDER_ANY : (uint32_t)n;
}

/* Loops over the items of a kind that belong to one object. */
#define FOR_ITEMS(p, x, wanted, object)                                                            \
	for (const struct item *x = (p)->item; x < (p)->item + (p)->items; x++)                    \
		if (!x->off && x->kind == (wanted) && x->f[0] == (object))

static void build_cells(const struct problem *p, struct order_model *m)
{
	for (int o = 0; o < CELLS; o++) {
		struct order_cell c = { .initial = ORDER_NONE };

		FOR_ITEMS(p, x, INITIAL, o)
		c.initial = (uint32_t)x->f[1];
		c.write_start = (uint32_t)m->writes.count;
		c.read_start = (uint32_t)m->reads.count;
		FOR_ITEMS(p, x, WRITE, o)
		*vec_push(&m->writes) = (struct order_write){ node(x->f[1]), (uint32_t)x->f[2] };
		FOR_ITEMS(p, x, READ, o)
		*vec_push(&m->reads) =
			(struct order_read){ node(x->f[1]), (uint32_t)x->f[2], node(x->f[3]) };
		c.write_count = (uint32_t)m->writes.count - c.write_start;
		c.read_count = (uint32_t)m->reads.count - c.read_start;
		*vec_push(&m->cells) = c;
	}
}

static void build_locks(const struct problem *p, struct order_model *m)
{
	for (int o = 0; o < LOCKS; o++) {
		struct order_lock l = { .section_start = (uint32_t)m->sections.count,
					.fail_start = (uint32_t)m->fails.count };

		for (int n = NONE; n < p->nodes; n++)
			FOR_ITEMS(p, x, SECTION, o)
		if (x->f[1] == n)
			*vec_push(&m->sections) =
				(struct order_section){ node(x->f[1]), node(x->f[2]),
							(uint32_t)x->f[3], x->f[4] };
		FOR_ITEMS(p, x, FAIL, o)
		*vec_push(&m->fails) = (struct order_fail){ node(x->f[1]), x->f[2] };
		l.section_count = (uint32_t)m->sections.count - l.section_start;
		l.fail_count = (uint32_t)m->fails.count - l.fail_start;
		*vec_push(&m->locks) = l;
	}
}

static void build_conditions(const struct problem *p, struct order_model *m, uint32_t *wait_of)
{
	for (int o = 0; o < CONDITIONS; o++) {
		struct order_condition c = { .wait_start = (uint32_t)m->waits.count,
					     .signal_start = (uint32_t)m->signals.count };

		FOR_ITEMS(p, x, WAIT, o)
		{
			wait_of[x - p->item] = (uint32_t)m->waits.count;
			*vec_push(&m->waits) = (struct order_wait){
				.wait = node(x->f[1]),
				.woken = node(x->f[2]),
				.thread = (uint32_t)x->f[3],
				.wake = x->f[4] ? ORDER_WAKE_FREE : ORDER_WAKE_SIGNAL,
				.used = ORDER_NONE,
			};
		}
		FOR_ITEMS(p, x, SIGNAL, o)
		*vec_push(&m->signals) = (struct order_signal){ node(x->f[1]), x->f[2] };
		c.wait_count = (uint32_t)m->waits.count - c.wait_start;
		c.signal_count = (uint32_t)m->signals.count - c.signal_start;
		*vec_push(&m->conditions) = c;
	}
}

static void build_semaphores(const struct problem *p, struct order_model *m)
{
	for (int o = 0; o < SEMAPHORES; o++) {
		struct order_semaphore s = { .exact = true,
					     .post_start = (uint32_t)m->posts.count,
					     .down_start = (uint32_t)m->downs.count,
					     .zero_start = (uint32_t)m->zeros.count };

		FOR_ITEMS(p, x, TOKENS, o)
		s.initial += (uint32_t)x->f[1];
		FOR_ITEMS(p, x, POST, o)
		*vec_push(&m->posts) = node(x->f[1]);
		FOR_ITEMS(p, x, DOWN, o)
		*vec_push(&m->downs) = node(x->f[1]);
		FOR_ITEMS(p, x, ZERO, o)
		*vec_push(&m->zeros) = node(x->f[1]);
		s.post_count = (uint32_t)m->posts.count - s.post_start;
		s.down_count = (uint32_t)m->downs.count - s.down_start;
		s.zero_count = (uint32_t)m->zeros.count - s.zero_start;
		*vec_push(&m->semaphores) = s;
	}
}

static void build_query(const struct problem *p, struct order_query *q, const uint32_t *wait_of)
{
	for (int i = 0; i < p->atoms; i++) {
		if (p->atom[i].before == NONE)
			order_query_boolean(q);
		else
			order_query_before(q, node(p->atom[i].before), node(p->atom[i].after));
	}
	for (const struct item *x = p->item; x < p->item + p->items; x++) {
		uint32_t count = 0;

		if (x->off)
			continue;
		while (x->kind == CLAUSE && count < 4 && x->f[count])
			count++;
		if (x->kind == CLAUSE)
			order_query_clause(q, (const int32_t *)x->f, count);
		else if (x->kind == EMPTY)
			*vec_push(&q->empty) = (struct order_empty){ x->f[0], (uint32_t)x->f[1] };
		else if (x->kind == DEAF && !p->item[x->f[1]].off)
			*vec_push(&q->unwoken) =
				(struct order_unwoken){ x->f[0], wait_of[x->f[1]] };
	}
}

static void build(const struct problem *p, struct order_model *m, struct order_query *q)
{
	uint32_t wait_of[ITEMS] = { 0 };

	m->node_count = (uint32_t)p->nodes;
	m->thread_count = (uint32_t)p->threads;
	for (int n = 0; n < p->nodes; n++)
		*vec_push(&m->thread) = (uint32_t)p->thread[n];
	order_model_index(m);
	for (int i = 0; i < p->items; i++)
		if (!p->item[i].off && p->item[i].kind == EDGE)
			*vec_push(&m->edges) =
				(struct order_edge){ node(p->item[i].f[0]), node(p->item[i].f[1]) };
	build_cells(p, m);
	build_locks(p, m);
	build_conditions(p, m, wait_of);
	build_semaphores(p, m);
	build_query(p, q, wait_of);
}

/* Can the nodes outside the cut be ordered so that the whole schedule satisfies the query? */
static bool complete(struct schedule *s, int moment)
{
	if (moment == s->p->nodes + 1)
		return satisfies(s);
	for (int n = 0; n < s->p->nodes; n++) {
		if (s->at[n] < moment || !may_come(s, n, moment))
			continue;
		s->at[n] = moment;
		if (complete(s, moment + 1))
			return true;
		s->at[n] = 500;
	}
	return false;
}

static bool is_solution(const struct problem *p, const uint32_t *nodes, uint32_t count)
{
	struct schedule s = { .p = p, .cut = (int)count };

	for (int n = 0; n < p->nodes; n++)
		s.at[n] = 500;
	for (uint32_t i = 0; i < count; i++) {
		if (s.at[nodes[i]] != 500 || !may_come(&s, (int)nodes[i], (int)i))
			return false;
		s.at[nodes[i]] = (int)i;
	}
	return feasible(&s) && complete(&s, (int)count + 1);
}

/* Returns NULL, or the error in the solver's answer. */
static const char *judge(const struct problem *p, bool truth)
{
	static const uint64_t patience[] = { 0, 1, 30 };
	struct order_model m = { 0 };
	struct order_query q = { 0 };
	struct order_clock clock;
	struct order_solution solution;
	struct order_solver *solver;
	const char *wrong = NULL;
	uint32_t earlier[3][NODES + 1];

	build(p, &m, &q);
	order_clock_make(&clock, &m);
	solver = order_solver_open(&m, &clock);
	for (size_t i = 0; i < 6 && !wrong; i++) {
		enum order_answer answer;

		order_solver_set_patience(solver, patience[i % 3]);
		answer = order_solve(solver, &q, 0, &solution);
		if (answer != (truth ? ORDER_POSSIBLE : ORDER_IMPOSSIBLE))
			wrong = truth ? "it is possible" : "it is not possible";
		else if (answer == ORDER_POSSIBLE &&
			 !is_solution(p, solution.inside, solution.count))
			wrong = "the order is no solution";
		if (wrong || answer != ORDER_POSSIBLE)
			continue;
		if (i < 3) {
			earlier[i][NODES] = solution.count;
			for (uint32_t k = 0; k < solution.count; k++)
				earlier[i][k] = solution.inside[k];
			continue;
		}
		if (solution.count != earlier[i % 3][NODES])
			wrong = "the second order is another";
		for (uint32_t k = 0; k < solution.count && !wrong; k++)
			if (solution.inside[k] != earlier[i % 3][k])
				wrong = "the second order is another";
	}
	order_solver_close(solver);
	order_clock_free(&clock);
	order_model_free(&m);
	order_query_free(&q);
	return wrong;
}

/* ---- random cases ---------------------------------------------------------------------------- */

/* What each thread is doing while a case is made: the item of its open section or wait, or -1. */
struct making {
	struct problem *p;
	int section[4][LOCKS], wait[4][CONDITIONS];
	bool has_token[4];
	int flavour; /* a bit for each group of kinds */
};

static void make_start(struct making *k)
{
	struct problem *p = k->p;

	for (int o = 0; o < CELLS; o++)
		if (below(3))
			add(p, INITIAL, o, below(3), 0, 0, 0);
	for (int o = 0; o < SEMAPHORES; o++)
		add(p, TOKENS, o, below(3), 0, 0, 0);
	for (int t = 0; t < p->threads; t++)
		k->has_token[t] = below(6) == 0;
	memset(k->section, 0xff, sizeof k->section);
	memset(k->wait, 0xff, sizeof k->wait);
	for (int o = 0; o < LOCKS; o++) {
		int shared = below(2);

		if (!(k->flavour & 2))
			continue;
		for (int t = 0; t < p->threads; t++)
			if (below(6) == 0) {
				k->section[t][o] = p->items;
				add(p, SECTION, o, NONE, NONE, t, shared);
				if (!shared)
					break;
			}
	}
	for (int o = 0; o < CONDITIONS; o++)
		for (int t = 0; t < p->threads && k->flavour & 4; t++)
			if (below(8) == 0) {
				k->wait[t][o] = p->items;
				add(p, WAIT, o, NONE, NONE, t, below(4) == 0);
			}
}

static void make_access(struct making *k, int n)
{
	struct problem *p = k->p;
	int cell = below(CELLS), how = below(5);

	if (how >= 2)
		add(p, READ, cell, n, below(3), ANY, 0);
	if (how <= 2)
		add(p, WRITE, cell, n, below(3), 0, 0);
}

/*
 * Adds a lock operation. If a node has two lock operations (or two on conditions), they have
 * different objects.
 */
static void make_lock(struct making *k, int n, int lock)
{
	struct problem *p = k->p;
	int *open = &k->section[p->thread[n]][lock];

	if (below(4) == 0) {
		add(p, FAIL, lock, n, below(2), 0, 0);
	} else if (*open != -1) {
		p->item[*open].f[2] = n;
		*open = -1;
	} else {
		*open = p->items;
		add(p, SECTION, lock, n, NONE, p->thread[n], below(3) == 0);
	}
}

static void make_condition(struct making *k, int n, int condition)
{
	struct problem *p = k->p;
	int *open = &k->wait[p->thread[n]][condition];

	if (below(5) < 2) {
		add(p, SIGNAL, condition, n, below(4) == 0, 0, 0);
	} else if (*open != -1) {
		p->item[*open].f[2] = n;
		*open = -1;
	} else {
		*open = p->items;
		add(p, WAIT, condition, n, NONE, p->thread[n], below(5) == 0);
	}
}

/*
 * Adds a semaphore operation. On the second semaphore each thread alternates between down and post,
 * as with a mutex.
 */
static void make_semaphore(struct making *k, int n)
{
	static const enum kind kinds[] = { POST, POST, DOWN, DOWN, ZERO };
	enum kind kind = kinds[below(5)];
	bool *has = &k->has_token[k->p->thread[n]];
	int semaphore = below(SEMAPHORES);

	if (semaphore && kind != ZERO) {
		kind = *has ? POST : DOWN;
		*has = !*has;
	}
	add(k->p, kind, semaphore, n, 0, 0, 0);
}

static void make_events(struct making *k)
{
	struct problem *p = k->p;

	for (int n = 0; n < p->nodes; n++)
		for (int again = below(4) == 0 ? 2 : 1, first = below(6) == 0; again; again--) {
			int group = below(4), object = again == 2 ? !first : first;

			while (!(k->flavour >> group & 1))
				group = (group + 1) % 4;
			if (group == 0 && again == 1)
				make_access(k, n);
			else if (group == 1)
				make_lock(k, n, object);
			else if (group == 2)
				make_condition(k, n, object);
			else if (group == 3 && again == 1)
				make_semaphore(k, n);
		}
	for (int e = below(4); e > 1; e--) {
		int a = below(p->nodes - 1), b = a + 1 + below(p->nodes - 1 - a);

		add(p, EDGE, a, b, 0, 0, 0);
	}
	/* Some reads must read from one particular write, or from the initial value. */
	for (int i = 0; i < p->items; i++) {
		struct item *x = &p->item[i];
		int w = below(p->items);

		if (x->kind != READ || below(4))
			continue;
		if (p->item[w].kind != WRITE || p->item[w].f[0] != x->f[0])
			x->f[3] = below(2) ? NONE : ANY;
		else if (p->item[w].f[1] != x->f[1])
			x->f[3] = p->item[w].f[1];
	}
}

static int make_atom(struct problem *p, int before, int after)
{
	p->atom[p->atoms++] = (struct atom){ before, after };
	return p->atoms;
}

static int random_literal(struct problem *p)
{
	int a = below(4) ? below(p->nodes) : CUT, b = below(p->nodes);
	int literal;

	if (p->atoms && below(4) == 0)
		literal = 1 + below(p->atoms);
	else if (below(5) == 0)
		literal = make_atom(p, NONE, NONE);
	else
		literal = make_atom(p, a, a == b ? CUT : b);
	return below(2) ? literal : -literal;
}

static void make_next(struct problem *p, int n)
{
	int last = NONE;

	for (int k = 0; k < n; k++)
		if (p->thread[k] == p->thread[n])
			last = k;
	add(p, CLAUSE, make_atom(p, CUT, n), 0, 0, 0, 0);
	if (last != NONE)
		add(p, CLAUSE, make_atom(p, last, CUT), 0, 0, 0, 0);
}

static void make_whole(struct problem *p, int thread)
{
	int last = NONE;

	for (int n = 0; n < p->nodes; n++)
		if (p->thread[n] == thread)
			last = n;
	if (last != NONE)
		add(p, CLAUSE, make_atom(p, last, CUT), 0, 0, 0, 0);
}

static void make_query(struct problem *p)
{
	int items = p->items;

	int much = below(3);

	if (much == 0)
		for (int i = below(3); i > 0; i--)
			make_next(p, below(p->nodes));
	for (int t = 0; t < p->threads; t++)
		if (much == 2 || (much == 1 && below(3) == 0))
			make_whole(p, t);
	for (int i = below(much == 2 ? 2 : 4); i > 0; i--) {
		struct item *x = add(p, CLAUSE, 0, 0, 0, 0, 0);

		for (int k = below(4); k >= 0 && p->atoms < ATOMS - 6; k--)
			x->f[k] = random_literal(p);
		for (int k = 0; k < 3; k++)
			if (!x->f[k]) {
				x->f[k] = x->f[k + 1];
				x->f[k + 1] = 0;
			}
	}
	for (int i = 0; i < 2 && p->atoms < ATOMS - 3; i++)
		if (below(4) == 0) {
			int literal = random_literal(p);

			if (below(2))
				add(p, CLAUSE, literal, 0, 0, 0, 0);
			add(p, EMPTY, literal, below(SEMAPHORES) * below(2), 0, 0, 0);
		}
	for (int i = 0; i < items && p->atoms < ATOMS - 1; i++)
		if (p->item[i].kind == WAIT && !p->item[i].f[4] && below(2)) {
			int literal = random_literal(p);

			if (below(3))
				add(p, CLAUSE, literal, 0, 0, 0, 0);
			add(p, DEAF, literal, i, 0, 0, 0);
		}
}

static void make(struct problem *p)
{
	struct making k = { .p = p };

	memset(p, 0, sizeof *p);
	p->nodes = 3 + below(7);
	p->threads = 2 + below(3);
	k.flavour = below(3) ? 1 << below(4) : below(2) ? 1 << below(4) | 1 << below(4) : 15;
	for (int n = 0; n < p->nodes; n++)
		p->thread[n] = below(p->threads);
	make_start(&k);
	make_events(&k);
	make_query(p);
}

/* ---- shrinking and showing ------------------------------------------------------------------- */

static bool is_wrong(const struct problem *p)
{
	return judge(p, brute_force(p)) != NULL;
}

static void drop_node(struct problem *p, int n)
{
	for (int i = 0; i < p->items; i++) {
		struct item *x = &p->item[i];

		for (int k = 0; k < 4; k++) {
			bool is_node = (x->kind == EDGE && k < 2) ||
				       (x->kind >= WRITE && x->kind <= ZERO && x->kind != TOKENS &&
					k == 1) ||
				       (x->kind == READ && k == 3) ||
				       ((x->kind == SECTION || x->kind == WAIT) && k == 2);

			if (is_node && x->f[k] > n)
				x->f[k]--;
		}
	}
	for (int i = 0; i < p->atoms; i++) {
		p->atom[i].before -= p->atom[i].before > n;
		p->atom[i].after -= p->atom[i].after > n;
	}
	for (int k = n; k + 1 < p->nodes; k++)
		p->thread[k] = p->thread[k + 1];
	p->nodes--;
}

static bool is_used(const struct problem *p, int n)
{
	for (int i = 0; i < p->items; i++) {
		const struct item *x = &p->item[i];

		if (x->off)
			continue;
		if (x->kind == EDGE && (x->f[0] == n || x->f[1] == n))
			return true;
		if (x->kind >= WRITE && x->kind <= ZERO && x->kind != TOKENS &&
		    (x->f[1] == n || ((x->kind == SECTION || x->kind == WAIT) && x->f[2] == n)))
			return true;
	}
	for (int i = 0; i < p->atoms; i++)
		if (p->atom[i].before == n || p->atom[i].after == n)
			return true;
	return false;
}

static void shrink(struct problem *p)
{
	bool progress = true;

	while (progress) {
		progress = false;
		for (int i = 0; i < p->items; i++) {
			struct problem q = *p;

			q.item[i].off = true;
			for (int k = 0; k < q.items; k++)
				if (q.item[k].kind == DEAF && q.item[q.item[k].f[1]].off)
					q.item[k].off = true;
			if (!p->item[i].off && is_wrong(&q)) {
				*p = q;
				progress = true;
			}
		}
		for (int n = 0; n < p->nodes; n++) {
			struct problem q = *p;

			if (is_used(p, n))
				continue;
			drop_node(&q, n);
			if (is_wrong(&q)) {
				*p = q;
				progress = true;
			}
		}
	}
}

static void show(const struct problem *p, uint64_t number)
{
	bool truth = brute_force(p);
	const char *wrong = judge(p, truth);

	fprintf(stderr, "case %llu: %s\n", (unsigned long long)number, wrong ? wrong : "?");
	for (int n = 0; n < p->nodes; n++)
		fprintf(stderr, "  node %d thread %d\n", n, p->thread[n]);
	for (int i = 0; i < p->items; i++) {
		const struct item *x = &p->item[i];

		if (!x->off)
			fprintf(stderr, "  item %d %s %d %d %d %d %d\n", i, kind_names[x->kind],
				x->f[0], x->f[1], x->f[2], x->f[3], x->f[4]);
	}
	for (int i = 0; i < p->atoms; i++)
		fprintf(stderr, "  atom %d: %d < %d\n", i + 1, p->atom[i].before, p->atom[i].after);
}

/* Stores a random prefix, which may be infeasible, in `nodes`; returns the number of nodes. */
static uint32_t random_prefix(const struct problem *p, uint32_t *nodes)
{
	struct schedule s = { .p = p };
	int count = below(p->nodes + 1), tries = 0;

	for (int n = 0; n < p->nodes; n++)
		s.at[n] = 500;
	for (int i = 0; i < count && tries < 100; tries++) {
		int n = below(p->nodes);

		if (s.at[n] != 500 || (!may_come(&s, n, i) && below(50)))
			continue;
		s.at[n] = i;
		nodes[i++] = (uint32_t)n;
	}
	return tries < 100 ? (uint32_t)count : 0;
}

static bool is_prefix(const struct problem *p, const uint32_t *nodes, uint32_t count)
{
	struct schedule s = { .p = p, .cut = (int)count };

	for (int n = 0; n < p->nodes; n++)
		s.at[n] = 500;
	for (uint32_t i = 0; i < count; i++) {
		if (!may_come(&s, (int)nodes[i], (int)i))
			return false;
		s.at[nodes[i]] = (int)i;
	}
	return feasible(&s);
}

static long setting(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

static void agrees_with_brute_force(void **state)
{
	long count = setting("SOOTH_RANDOM", 30000), start = setting("SOOTH_SEED", 1);
	long possible = 0;

	(void)state;
	for (long i = 0; i < count; i++) {
		struct problem p;
		bool truth;

		start_random(start + i);
		make(&p);
		truth = brute_force(&p);
		possible += truth;
		if (!judge(&p, truth))
			continue;
		shrink(&p);
		show(&p, (uint64_t)(start + i));
		fail_msg("the solver and brute force disagree");
	}
	/* both answers must be frequent, otherwise the test is worth little */
	assert_true(possible > count / 5 && possible < count - count / 5);
}

static void model_accepts_what_is_feasible(void **state)
{
	long count = setting("SOOTH_RANDOM", 30000), start = setting("SOOTH_SEED", 1), good = 0;

	(void)state;
	for (long i = 0; i < count; i++) {
		struct order_model m = { 0 };
		struct order_query q = { 0 };
		struct problem p;

		start_random(start + i);
		make(&p);
		build(&p, &m, &q);
		for (int k = 0; k < 10; k++) {
			uint32_t nodes[NODES], number = random_prefix(&p, nodes);
			bool right = is_prefix(&p, nodes, number);

			good += right;
			assert_int_equal(order_model_accepts(&m, nodes, number), right);
		}
		order_model_free(&m);
		order_query_free(&q);
	}
	assert_true(good > count && good < 9 * count);
}

/*
 * Two threads wait, and one or two signals or broadcasts are sent. The query requires that both
 * threads wake up.
 */
static void wakes_two(void **state)
{
	static const struct {
		int broadcasts, signals;
		bool possible;
	} cases[] = { { 0, 0, false }, { 0, 1, false }, { 0, 2, true }, { 1, 0, true } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct problem p = { .nodes = 6, .threads = 3, .thread = { 0, 1, 2, 2, 0, 1 } };

		add(&p, WAIT, 0, 0, 4, 0, 0);
		add(&p, WAIT, 0, 1, 5, 1, 0);
		for (int k = 0; k < cases[i].broadcasts + cases[i].signals; k++)
			add(&p, SIGNAL, 0, 2 + k, k < cases[i].broadcasts, 0, 0);
		make_whole(&p, 0);
		make_whole(&p, 1);
		assert_int_equal(brute_force(&p), cases[i].possible);
		assert_null(judge(&p, cases[i].possible));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(model_accepts_what_is_feasible),
		cmocka_unit_test(wakes_two),
		cmocka_unit_test(agrees_with_brute_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
