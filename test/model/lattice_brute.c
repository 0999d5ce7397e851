#include "lattice_brute.h"

#include <stdlib.h>
#include <string.h>

#define MOMENTS (2 * CASE_EVENTS)

/* An event of the trace, or the moment before an acquire, if the property refers to it. */
struct moment {
	int line;
	bool before, counted, relevant, thread_event;
	const struct case_event *e;
};

struct builder {
	const struct lattice_case *c;
	struct moment moments[MOMENTS];
	int count;
	bool order[MOMENTS][MOMENTS];
	int set_count;
	struct system_set sets[SYSTEM_SETS]; /* members are bit sets of moments */
};

/* ---- events ---------------------------------------------------------------------------------- */

static bool touches_lock(const struct case_event *e)
{
	return e->op >= OP_ACQUIRE && e->op <= OP_TIMEOUT;
}

static bool reads(const struct case_event *e)
{
	return e->op == OP_READ || e->op == OP_UPDATE;
}

static bool writes(const struct case_event *e)
{
	return e->op == OP_WRITE || e->op == OP_UPDATE;
}

/* Is it a recursive acquire or release, inside another one? */
static bool is_folded(const struct lattice_case *c, int line)
{
	const struct case_event *e = &c->events[line];
	int depth[CASE_LOCKS] = { 0 }, saved[CASE_THREADS] = { 0 };

	if (e->op != OP_ACQUIRE && e->op != OP_RELEASE)
		return false;
	for (int i = 0; i < line; i++) {
		const struct case_event *f = &c->events[i];

		if (f->thread != e->thread)
			continue;
		if (f->op == OP_ACQUIRE)
			depth[f->object]++;
		else if (f->op == OP_RELEASE)
			depth[f->object]--;
		else if (f->op == OP_WAIT) {
			saved[f->thread] = depth[f->other];
			depth[f->other] = 0;
		} else if (f->op == OP_WOKEN)
			depth[f->other] = saved[f->thread];
	}
	return e->op == OP_ACQUIRE ? depth[e->object] > 0 : depth[e->object] > 1;
}

static bool is_named(const struct lattice_case *c, int line, int named)
{
	const struct case_event *e = &c->events[line];

	if (!case_names(c, named))
		return false;
	switch (named) {
	case NAMED_E0:
	case NAMED_E1: return e->op == OP_PROBE && e->object == named - NAMED_E0;
	case NAMED_READ_X: return reads(e) && e->object == 0;
	case NAMED_WRITE_Y: return writes(e) && e->object == 1;
	case NAMED_RELEASE:
		return (e->op == OP_RELEASE && e->object == 1 && !is_folded(c, line)) ||
		       (e->op == OP_WAIT && e->other == 1);
	}
	return false;
}

static void list_moments(struct builder *b)
{
	const struct lattice_case *c = b->c;

	for (int i = 0; i < c->count; i++) {
		const struct case_event *e = &c->events[i];
		struct moment m = { .line = i, .e = e };

		if (e->op == OP_ACQUIRE && e->object == 0 && case_names(c, NAMED_REQUEST) &&
		    !is_folded(c, i))
			b->moments[b->count++] = (struct moment){
				.line = i, .before = true, .counted = true, .relevant = true, .e = e
			};
		m.thread_event = e->op == OP_FORK || e->op == OP_JOIN;
		m.relevant = writes(e) && case_uses_variable(c, e->object);
		for (int k = 0; k < NAMED; k++)
			m.relevant |= is_named(c, i, k);
		m.counted =
			m.relevant || (!m.thread_event && e->op != OP_PROBE && !is_folded(c, i));
		b->moments[b->count++] = m;
	}
}

/* ---- order ----------------------------------------------------------------------------------- */

static void order_threads(struct builder *b)
{
	for (int i = 0; i < b->count; i++) {
		for (int k = 0; k < b->count; k++) {
			const struct case_event *e = b->moments[i].e, *f = b->moments[k].e;

			if ((i < k && e->thread == f->thread) ||
			    (!b->moments[i].before && e->op == OP_FORK && e->object == f->thread) ||
			    (!b->moments[k].before && f->op == OP_JOIN && f->object == e->thread))
				b->order[i][k] = true;
		}
	}
}

static void close_order(struct builder *b)
{
	for (int k = 0; k < b->count; k++) {
		for (int i = 0; i < b->count; i++) {
			for (int j = 0; j < b->count; j++)
				b->order[i][j] |= b->order[i][k] && b->order[k][j];
		}
	}
}

static bool is_read_side(const struct case_event *e)
{
	return e->op == OP_READ_ACQUIRE || e->op == OP_READ_RELEASE || e->op == OP_READ_FAIL;
}

static int lock_of(const struct case_event *e)
{
	if (touches_lock(e))
		return e->object;
	return e->op == OP_WAIT || e->op == OP_WOKEN ? e->other : -1;
}

static bool is_conditional(const struct case_event *e)
{
	return e->op >= OP_WAIT && e->op <= OP_NOTIFY_ALL;
}

static bool is_semaphoral(const struct case_event *e)
{
	return e->op == OP_POST || e->op == OP_DOWN;
}

/* Algorithm A: do the two access the same object, and does one of them write it? */
static bool conflict(const struct builder *b, int i, int k)
{
	const struct case_event *e = b->moments[i].e, *f = b->moments[k].e;

	if (b->moments[i].before || b->moments[k].before)
		return false;
	if (e->op <= OP_UPDATE && f->op <= OP_UPDATE)
		return e->object == f->object && (writes(e) || writes(f));
	if (lock_of(e) >= 0 && lock_of(e) == lock_of(f) && !is_folded(b->c, b->moments[i].line) &&
	    !is_folded(b->c, b->moments[k].line) && !(is_read_side(e) && is_read_side(f)))
		return true;
	return (is_conditional(e) && is_conditional(f)) || (is_semaphoral(e) && is_semaphoral(f));
}

static void order_strong(struct builder *b)
{
	for (int i = 0; i < b->count; i++) {
		for (int k = i + 1; k < b->count; k++)
			b->order[i][k] |= conflict(b, i, k);
	}
}

/* ---- sets ------------------------------------------------------------------------------------ */

static struct system_set *new_set(struct builder *b, int object, int first)
{
	struct system_set *s = &b->sets[b->set_count++];

	*s = (struct system_set){ .object = object, .members = 1ull << first };
	return s;
}

static void order_all(struct builder *b, uint64_t earlier, int later)
{
	for (int i = 0; i < b->count; i++) {
		if (earlier >> i & 1 && i != later)
			b->order[i][later] = true;
	}
}

/*
 * Makes a set of each write and the reads that see it. Reads of the initial value come before every
 * write.
 */
static void make_variable_sets(struct builder *b, int variable)
{
	struct system_set *current = NULL;
	uint64_t initial = 0;
	int writer = -1;

	for (int i = 0; i < b->count; i++) {
		const struct case_event *e = b->moments[i].e;

		if (e->op > OP_UPDATE || e->object != variable || b->moments[i].before)
			continue;
		if (reads(e) && current) {
			b->order[writer][i] = true;
			if (writes(e))
				order_all(b, current->members, i);
			current->members |= 1ull << i;
		} else if (reads(e)) {
			initial |= 1ull << i;
		}
		if (writes(e)) {
			order_all(b, initial, i);
			current = new_set(b, variable, i);
			writer = i;
		}
	}
}

/* Makes a set from each acquire to its release. It contains the tries that failed because of it. */
static void make_lock_sets(struct builder *b, int lock)
{
	struct system_set *open[CASE_THREADS + 1] = { 0 };
	int since[CASE_THREADS + 1] = { 0 }; /* the last entry is that of the writer */

	for (int i = 0; i < b->count; i++) {
		const struct case_event *e = b->moments[i].e;
		bool shared = e->op == OP_READ_ACQUIRE || e->op == OP_READ_RELEASE;
		int who = shared ? e->thread : CASE_THREADS;

		if (lock_of(e) != lock || b->moments[i].before ||
		    is_folded(b->c, b->moments[i].line))
			continue;
		switch (e->op) {
		case OP_ACQUIRE:
		case OP_READ_ACQUIRE:
		case OP_WOKEN:
			open[who] = new_set(b, CASE_VARIABLES + lock, i);
			open[who]->lock = true;
			open[who]->shared = shared;
			since[who] = i;
			break;
		case OP_RELEASE:
		case OP_READ_RELEASE:
		case OP_WAIT:
			order_all(b, open[who]->members, i);
			open[who]->members |= 1ull << i;
			open[who]->closers |= 1ull << i;
			open[who] = NULL;
			break;
		case OP_FAIL:
		case OP_READ_FAIL:
			who = CASE_THREADS;
			for (int t = 0; !open[CASE_THREADS] && t < CASE_THREADS; t++) {
				if (open[t] && (!open[who] || since[t] > since[who]))
					who = t;
			}
			b->order[since[who]][i] = true;
			open[who]->members |= 1ull << i;
			break;
		default: break; /* a time-out can happen at any time */
		}
	}
}

static void order_weak(struct builder *b)
{
	for (int v = 0; v < CASE_VARIABLES; v++)
		make_variable_sets(b, v);
	for (int l = 0; l < CASE_LOCKS; l++)
		make_lock_sets(b, l);
	for (int i = 0; i < b->count; i++) {
		for (int k = i + 1; k < b->count; k++) {
			const struct case_event *e = b->moments[i].e, *f = b->moments[k].e;

			if (!b->moments[i].before && !b->moments[k].before &&
			    ((is_conditional(e) && is_conditional(f)) ||
			     (is_semaphoral(e) && is_semaphoral(f))))
				b->order[i][k] = true;
		}
	}
}

/* ---- the system ------------------------------------------------------------------------------ */

static uint64_t only(const int *numbers, int count, uint64_t mask)
{
	uint64_t out = 0;

	for (int i = 0; i < count; i++) {
		if (mask >> i & 1 && numbers[i] >= 0)
			out |= 1ull << numbers[i];
	}
	return out;
}

static void fill(const struct builder *b, bool strong, bool all, struct system *out)
{
	int numbers[MOMENTS];

	*out = (struct system){ 0 };
	for (int i = 0; i < b->count; i++) {
		const struct moment *m = &b->moments[i];
		bool in = strong && !all ? m->relevant : m->counted;

		numbers[i] = in ? out->count++ : -1;
		if (in)
			out->seen[numbers[i]] = all || m->relevant ? 2 * m->line + !m->before : -1;
	}
	for (int k = 0; k < b->count; k++) {
		if (numbers[k] < 0)
			continue;
		for (int i = 0; i < b->count; i++) {
			if (numbers[i] >= 0 && b->order[i][k])
				out->before[numbers[k]] |= 1ull << numbers[i];
			for (int g = 0; all && numbers[i] >= 0 && g < b->count; g++) {
				if (b->moments[g].thread_event && b->order[i][g] && b->order[g][k])
					out->fenced[numbers[k]] |= 1ull << numbers[i];
			}
		}
	}
	for (int i = 0; i < b->set_count; i++) {
		out->sets[i] = b->sets[i];
		out->sets[i].members = only(numbers, b->count, b->sets[i].members);
		out->sets[i].closers = only(numbers, b->count, b->sets[i].closers);
	}
	out->set_count = b->set_count;
}

void brute_system(const struct lattice_case *c, bool strong, bool all, struct system *out)
{
	struct builder b = { .c = c };

	list_moments(&b);
	order_threads(&b);
	if (strong)
		order_strong(&b);
	else
		order_weak(&b);
	close_order(&b);
	fill(&b, strong, all, out);
}
