/*
 * Deadlocks without a cycle: a prefix after which nobody goes on, because a signal went by, a
 * semaphore is empty, a meeting is not complete. One query a window (stuck_query.h) finds such a
 * prefix; forbidding the set of blocked events that it shows finds the next one.
 *
 * Sets with a cycle among them belong to deadlock.c. That there is none is not said at once, since
 * that takes a clause for each three threads: a cycle is forbidden when it shows up.
 */
#include "predict/deadlock/stuck_query.h"

#include "base/mem.h"
#include "predict/driver/analysis.h"

#define MOST_SETS 8	 /* in a window, unless every one is wanted */
#define MOST_REFUSED 256 /* solutions with a cycle, or with known sites, in a row */

enum phase {
	PHASE_OBSERVED, /* the recorded run itself */
	PHASE_LOST,	/* a wait begins behind the signal that woke it */
	PHASE_OTHER,
	PHASE_COUNT
};

struct round {
	struct analysis *analysis;
	struct stuck_query stuck;
	enum phase phase;
	stuck_set set;
	struct map found; /* keys */
};

/* ---- what a phase asks besides -------------------------------------------------------------- */

/*
 * Clauses of a phase carry the negation of a boolean, the guard, and stay in the query with those
 * that forbid what was found. A clause of the guard alone switches them on and off.
 */
static void say(struct round *r, int32_t guard, int32_t literal)
{
	order_query_clause(&r->stuck.query, (int32_t[]){ -guard, literal }, 2);
}

/* All is inside. False: somebody went on, so this was not so. */
static bool demand_whole(struct round *r, int32_t guard)
{
	const struct window *window = r->analysis->window;

	if (!window->last)
		return false;
	for (uint32_t t = 0; t < window->model.thread_count; t++) {
		uint8_t end = window->threads.items[t].end;

		if (end != WINDOW_ENDED && end != WINDOW_PENDING)
			return false;
	}
	for (uint32_t n = 0; n < window->model.node_count; n++)
		if (order_model_next(&window->model, n) == ORDER_NONE)
			say(r, guard, stuck_query_inside(&r->stuck, n));
	return true;
}

/* Which signal or broadcast woke this one in the recorded run, and may be lost; or ORDER_NONE. */
static uint32_t signal_to_lose(const struct round *r, const struct waiter *w)
{
	const struct order_model *model = &r->analysis->window->model;
	const struct order_wait *wait;

	if (!w->deaf)
		return ORDER_NONE;
	wait = &model->waits.items[w->wait];
	if (wait->used == ORDER_NONE || wait->wait == ORDER_NONE ||
	    order_clock_before(r->analysis->clock, model, wait->wait, wait->used))
		return ORDER_NONE;
	return wait->used;
}

/* One of the waits lost its signal, and no other woke it. False: none can. */
static bool demand_lost(struct round *r, int32_t guard)
{
	struct stuck_query *stuck = &r->stuck;
	VEC(int32_t) clause = { 0 };
	bool any;

	*vec_push(&clause) = -guard;
	for (size_t i = 0; i < stuck->waiters.items.count; i++) {
		const struct waiter *w = &stuck->waiters.items.items[i];
		uint32_t signal = stuck->at[i] ? signal_to_lose(r, w) : ORDER_NONE;
		int32_t lost;

		if (signal == ORDER_NONE)
			continue;
		lost = order_query_boolean(&stuck->query);
		say(r, lost, stuck->at[i]);
		say(r, lost, stuck_query_deaf(stuck, w->wait));
		say(r, lost,
		    order_query_before(&stuck->query, signal,
				       stuck->window->model.waits.items[w->wait].wait));
		*vec_push(&clause) = lost;
	}
	any = clause.count > 1;
	order_query_clause(&stuck->query, clause.items, (uint32_t)clause.count);
	vec_free(&clause);
	return any;
}

/* ---- findings ------------------------------------------------------------------------------- */

static void add_claim(struct round *r, const struct order_solution *solution, uint64_t key)
{
	const struct waiters *waiters = &r->stuck.waiters;
	struct analysis_claim *claim = analysis_add_claim(r->analysis, solution, NULL);

	claim->kind = r->phase == PHASE_LOST ? FINDING_LOST_SIGNAL : FINDING_DEADLOCK;
	claim->claim = r->phase == PHASE_LOST ? CHECKER_LOST : CHECKER_STUCK;
	claim->status = r->phase == PHASE_OBSERVED ? FINDING_OBSERVED : FINDING_PREDICTED;
	claim->key = key;
	for (size_t i = 0; i < r->set.count; i++) {
		const struct waiter *w = &waiters->items.items[r->set.items[i]];
		uint32_t by = ORDER_NONE;

		for (uint32_t k = 0; k < r->set.count && by == ORDER_NONE; k++)
			if (waiters_blocks(waiters, w, &waiters->items.items[r->set.items[k]]))
				by = k;
		*vec_push(&claim->events) = waiters_event(waiters, w);
		*vec_push(&claim->waits_for) = by;
	}
}

static bool is_wanted(const struct round *r)
{
	return r->analysis->options->only &
	       (r->phase == PHASE_LOST ? PREDICT_LOST_SIGNAL : PREDICT_DEADLOCK);
}

/* True: a new finding. */
static bool take_set(struct round *r, const struct order_solution *solution)
{
	bool every = r->analysis->options->every, fresh;
	uint64_t key = waiters_key(&r->stuck.waiters,
				   r->phase == PHASE_LOST ? FINDING_LOST_SIGNAL : FINDING_DEADLOCK,
				   r->set.items, r->set.count, every);

	map_put(&r->found, key, &fresh);
	if (!fresh || analysis_has_finding(r->analysis, key)) {
		r->analysis->stats.same_sites++;
		return false;
	}
	if (is_wanted(r))
		add_claim(r, solution, key);
	return true;
}

static void run_phase(struct round *r)
{
	bool every = r->analysis->options->every;
	unsigned found = 0, refused = 0;
	struct order_solution solution;

	while (every || (found < MOST_SETS && refused < MOST_REFUSED)) {
		r->analysis->stats.candidates++;
		if (analysis_ask(r->analysis, &r->stuck.query, &solution) != ORDER_POSSIBLE)
			return;
		stuck_query_read(&r->stuck, solution.inside, solution.count, &r->set);
		if (stuck_query_forbid_cycle(&r->stuck, &r->set)) {
			refused++;
			continue;
		}
		if (take_set(r, &solution))
			found++;
		else
			refused++;
		stuck_query_forbid(&r->stuck, &r->set, !every);
	}
	r->analysis->stats.not_asked++; /* it may go on */
}

static void try_phase(struct round *r, enum phase phase)
{
	static bool (*const demand[PHASE_COUNT])(struct round *, int32_t) = {
		[PHASE_OBSERVED] = demand_whole,
		[PHASE_LOST] = demand_lost,
	};
	int32_t guard = order_query_boolean(&r->stuck.query);
	size_t at = r->stuck.query.clauses.count;

	r->phase = phase;
	order_query_clause(&r->stuck.query, &guard, 1);
	if (!demand[phase] || demand[phase](r, guard))
		run_phase(r);
	r->stuck.query.clauses.items[at] = -guard;
}

/* What no phase can find is asked once. In a program without such mistakes that is all. */
static bool is_possible(struct round *r)
{
	struct order_solution solution;

	r->analysis->stats.candidates++;
	return analysis_ask(r->analysis, &r->stuck.query, &solution) == ORDER_POSSIBLE;
}

void predict_global_deadlock(struct analysis *analysis)
{
	struct round r = { .analysis = analysis };

	/*
	 * A signal handler may come, and wake whoever hangs: that it came elsewhere says nothing. So
	 * may a cancellation, which ends whoever waits.
	 */
	if (analysis->window->handlers || analysis->window->cancels)
		return;
	if (stuck_query_make(&r.stuck, analysis->window, analysis->clock)) {
		try_phase(&r, PHASE_OBSERVED);
		if (is_possible(&r)) {
			try_phase(&r, PHASE_LOST);
			try_phase(&r, PHASE_OTHER);
		}
	}
	stuck_query_free(&r.stuck);
	vec_free(&r.set);
	map_free(&r.found);
}
