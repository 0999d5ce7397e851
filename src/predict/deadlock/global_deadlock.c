/*
 * Deadlocks without a cycle: a prefix after which no thread can go on because a signal was lost, a
 * semaphore is empty, or a barrier is not complete. One query per window (global_query.h) finds
 * such a prefix. Then the set of blocked events in that solution is forbidden, and the query is
 * repeated to find the next one.
 *
 * Sets of blocked events with a cycle are left to deadlock.c. To exclude them from the start would
 * take a clause for every three threads. So a cycle is only forbidden once a solution contains it.
 */
#include "predict/deadlock/global_query.h"

#include "base/mem.h"
#include "predict/driver/analysis.h"

#define MOST_SETS 8	 /* findings per phase; no limit with the option `every` */
#define MOST_REFUSED 256 /* solutions in a row with a cycle, or with sites that have a finding */

enum phase {
	PHASE_OBSERVED, /* the recorded run itself */
	PHASE_LOST,	/* a wait begins after the signal that woke it in the recorded run */
	PHASE_OTHER,
	PHASE_COUNT
};

struct global_search {
	struct analysis *analysis;
	struct global_query global;
	enum phase phase;
	blocked_set set;
	struct map found; /* keys of the sets found so far */
};

/* ---- what a phase demands in addition -------------------------------------------------------- */

/*
 * Each phase has a boolean, its guard, and every clause of the phase contains the guard's negation.
 * These clauses stay in the query, and so do those that forbid earlier solutions. A clause that
 * consists of the guard alone switches the phase on; the guard's negation alone switches it off.
 */
static void add_guarded_clause(struct global_search *r, int32_t guard, int32_t literal)
{
	order_query_clause(&r->global.query, (int32_t[]){ -guard, literal }, 2);
}

/*
 * Demands that all nodes are inside. Returns false if the recorded run did not end with all threads
 * over or blocked, or does not end in this window.
 */
static bool demand_recorded_end(struct global_search *r, int32_t guard)
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
			add_guarded_clause(r, guard, global_query_inside(&r->global, n));
	return true;
}

/*
 * Returns the signal that woke this waiter in the recorded run, if the wait can begin after that
 * signal; otherwise ORDER_NONE.
 */
static uint32_t signal_to_lose(const struct global_search *r, const struct waiter *w)
{
	const struct order_model *model = &r->analysis->window->model;
	const struct order_wait *wait;

	if (!w->waits_for_signal)
		return ORDER_NONE;
	wait = &model->waits.items[w->wait];
	if (wait->used == ORDER_NONE || wait->wait == ORDER_NONE ||
	    order_clock_before(r->analysis->clock, model, wait->wait, wait->used))
		return ORDER_NONE;
	return wait->used;
}

/*
 * Demands that one of the waits lost its signal and that no other signal woke it. Returns false if
 * no wait can lose its signal.
 */
static bool demand_lost_signal(struct global_search *r, int32_t guard)
{
	struct global_query *g = &r->global;
	VEC(int32_t) clause = { 0 };
	bool any;

	*vec_push(&clause) = -guard;
	for (size_t i = 0; i < g->waiters.items.count; i++) {
		const struct waiter *w = &g->waiters.items.items[i];
		uint32_t signal = g->at[i] ? signal_to_lose(r, w) : ORDER_NONE;
		int32_t lost;

		if (signal == ORDER_NONE)
			continue;
		lost = order_query_boolean(&g->query);
		add_guarded_clause(r, lost, g->at[i]);
		add_guarded_clause(r, lost, global_query_unwoken(g, w->wait));
		add_guarded_clause(r, lost,
				   order_query_before(&g->query, signal,
						      g->window->model.waits.items[w->wait].wait));
		*vec_push(&clause) = lost;
	}
	any = clause.count > 1;
	order_query_clause(&g->query, clause.items, (uint32_t)clause.count);
	vec_free(&clause);
	return any;
}

/* ---- findings -------------------------------------------------------------------------------- */

static void add_claim(struct global_search *r, const struct order_solution *solution, uint64_t key)
{
	const struct waiters *waiters = &r->global.waiters;
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

static bool is_wanted(const struct global_search *r)
{
	return r->analysis->options->only &
	       (r->phase == PHASE_LOST ? PREDICT_LOST_SIGNAL : PREDICT_DEADLOCK);
}

/* Adds a claim for the set of blocked events. Returns true if its sites had no finding yet. */
static bool add_blocked_set(struct global_search *r, const struct order_solution *solution)
{
	bool every = r->analysis->options->every, fresh;
	uint64_t key = waiters_key(&r->global.waiters,
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

static void find_blocked_sets(struct global_search *r)
{
	bool every = r->analysis->options->every;
	unsigned found = 0, refused = 0;
	struct order_solution solution;

	while (every || (found < MOST_SETS && refused < MOST_REFUSED)) {
		r->analysis->stats.candidates++;
		if (analysis_ask(r->analysis, &r->global.query, &solution) != ORDER_POSSIBLE)
			return;
		global_query_read(&r->global, solution.inside, solution.count, &r->set);
		if (global_query_forbid_cycle(&r->global, &r->set)) {
			refused++;
			continue;
		}
		if (add_blocked_set(r, &solution)) {
			found++;
			refused = 0;
		} else {
			refused++;
		}
		global_query_forbid(&r->global, &r->set, !every);
	}
	r->analysis->stats.not_asked++; /* there may be more sets */
}

static void run_phase(struct global_search *r, enum phase phase)
{
	static bool (*const demand[PHASE_COUNT])(struct global_search *, int32_t) = {
		[PHASE_OBSERVED] = demand_recorded_end,
		[PHASE_LOST] = demand_lost_signal,
	};
	int32_t guard = order_query_boolean(&r->global.query);
	size_t at = r->global.query.clauses.count;

	r->phase = phase;
	order_query_clause(&r->global.query, &guard, 1);
	if (!demand[phase] || demand[phase](r, guard))
		find_blocked_sets(r);
	r->global.query.clauses.items[at] = -guard;
}

/*
 * Is there any solution? Asked once, before PHASE_LOST and PHASE_OTHER. For most programs the
 * answer is no.
 */
static bool is_possible(struct global_search *r)
{
	struct order_solution solution;

	r->analysis->stats.candidates++;
	return analysis_ask(r->analysis, &r->global.query, &solution) == ORDER_POSSIBLE;
}

void predict_global_deadlock(struct analysis *analysis)
{
	struct global_search r = { .analysis = analysis };

	/*
	 * A signal handler may run at any time and wake the blocked threads; the recording does not
	 * say when. A cancellation may end a wait at any time.
	 */
	if (analysis->window->handlers || analysis->window->cancels)
		return;
	if (global_query_make(&r.global, analysis->window, analysis->clock)) {
		run_phase(&r, PHASE_OBSERVED);
		if (is_possible(&r)) {
			run_phase(&r, PHASE_LOST);
			run_phase(&r, PHASE_OTHER);
		}
	}
	global_query_free(&r.global);
	vec_free(&r.set);
	map_free(&r.found);
}
