/*
 * Uses after the end of a lifetime: use after free and double free, use after destroy, use after
 * close (doc/prediction.md).
 *
 * There are up to two queries for each pair of an end of a lifetime, f, and a use, u.
 *
 * The first query: can both be next? Then neither is inside. An edge demands something of a prefix
 * only if its target is inside, so the window's model can be used as it is. The query is that for a
 * race, except that the sources of lifetime edges into f and u need not be inside.
 *
 * The second query, if the first is impossible (for example because both threads hold the same
 * lock): can f be inside, and u next? Then each use that was recorded before f comes before f or is
 * outside. This takes a model in which lifetimes do not constrain f (lifetime_early_end.h).
 */
#include "predict/lifetime/lifetime_pairs.h"

#include "predict/driver/node_query.h"

/*
 * Budget of a query in the window without lifetime edges. Nearly all of these are decided at once.
 * The others are asked again in a window with more edges, where they are easier.
 */
#define LOOSE_STEPS 50000

struct lifetime_search {
	struct analysis *analysis;
	const struct order_model *model;
	struct lifetime_early_end early;
	struct lifetime_pairs pairs;
	struct analysis loose; /* for queries in the window without lifetime edges */
	struct predict_options quick;
	struct node_query query;
	VEC(uint32_t) fixed; /* nodes that keep their order relative to the end */
	bool observed; /* in the recorded order no lifetime begins between the end and the use */
};

/* ---- the query ------------------------------------------------------------------------------- */

/* Demands that the lifetime which ends in this place has begun. `t`: the touches of the place. */
static void demand_begin(struct lifetime_search *f, const struct window_touch *t,
			 const struct lifetime_end *where, bool inside)
{
	uint32_t begin = lifetime_begin_before(t, where->at);

	if (begin == ORDER_NONE)
		return;
	node_query_inside(&f->query, t[begin].node);
	if (inside)
		node_query_before(&f->query, t[begin].node, t[where->at].node);
}

/* For an end that is inside: demands that no other touch of that lifetime comes after it. */
static void forbid_touches_after(struct lifetime_search *f, const struct window_touch *t,
				 uint32_t count, uint32_t at, uint32_t use)
{
	uint32_t begin = lifetime_begin_before(t, at), next = lifetime_begin_after(t, count, at);
	uint32_t end = t[at].node;

	for (uint32_t i = begin == ORDER_NONE ? 0 : begin + 1; i < next; i++) {
		if (i == at || t[i].node == use ||
		    order_clock_before(&f->early.loose.clock, f->model, t[i].node, end))
			continue;
		node_query_before_or_outside(&f->query, t[i].node, end);
		*vec_push(&f->fixed) = t[i].node;
	}
}

/* If the use touches this place: demands that no new lifetime begins there after the end. */
static void forbid_new_lifetime(struct lifetime_search *f, const struct window_touch *t,
				uint32_t count, uint32_t at, uint32_t use)
{
	uint32_t next = lifetime_begin_after(t, count, at), i = 0;

	while (i < count && t[i].node != use)
		i++;
	if (i == count || next == count)
		return;
	node_query_before(&f->query, ORDER_CUT, t[next].node);
	f->observed &= next > i;
}

/* Builds the query: the use is next, and the end is next, or inside if `inside` is set. */
static void make_query(struct lifetime_search *f, const struct lifetime_pair *pair, bool inside)
{
	const struct lifetime_early_end *e = &f->early;

	node_query_clear(&f->query);
	f->fixed.count = 0;
	if (inside) {
		*vec_push(&f->fixed) = pair->end;
		node_query_inside(&f->query, pair->end);
	} else {
		f->observed = pair->use > pair->end;
		node_query_next(&f->query, &e->sources, pair->end);
	}
	node_query_next(&f->query, &e->sources, pair->use);
	for (uint32_t i = e->start[pair->end]; i < e->start[pair->end + 1]; i++) {
		uint32_t count;
		const struct window_touch *t = lifetime_touches(e, e->ends[i].place, &count);

		demand_begin(f, t, &e->ends[i], inside);
		forbid_new_lifetime(f, t, count, e->ends[i].at, pair->use);
		if (inside)
			forbid_touches_after(f, t, count, e->ends[i].at, pair->use);
	}
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void fill_claim(const struct lifetime_search *f, struct analysis_claim *claim,
		       const struct lifetime_pair *pair, uint64_t key)
{
	bool misuse = pair->misuse != EVENT_MISUSE_NONE;

	claim->kind = misuse ? FINDING_MISUSE : FINDING_USE_AFTER_FREE;
	claim->claim = misuse ? CHECKER_MISUSE : CHECKER_FREED;
	claim->misuse = pair->misuse;
	claim->status = f->observed ? FINDING_OBSERVED : FINDING_PREDICTED;
	claim->key = key;
	*vec_push(&claim->events) = pair->end;
	*vec_push(&claim->events) = pair->use;
}

/* Adds a claim whose witness respects the edges of `window`. */
static void add_claim_in_window(struct lifetime_search *f, const struct lifetime_window *window,
				const struct order_solution *solution,
				const struct lifetime_pair *pair, uint64_t key)
{
	struct analysis alone = { .window = &window->window };
	struct analysis_claim *claim = analysis_add_claim_fixed(
		&alone, solution, f->query.required, f->fixed.items, (uint32_t)f->fixed.count);

	fill_claim(f, claim, pair, key);
	*vec_push(&f->analysis->claims) = *claim;
	vec_free(&alone.claims);
}

/* ---- asking ---------------------------------------------------------------------------------- */

/* Asks the query in a window that was made for this end. */
static enum order_answer ask_in_own_window(struct lifetime_search *f,
					   const struct lifetime_window *window,
					   const struct lifetime_pair *pair, uint64_t key)
{
	struct analysis alone = {
		.window = &window->window,
		.clock = &window->clock,
		.options = f->analysis->options,
		.seen = f->analysis->seen,
		.deadline = f->analysis->deadline,
	};
	struct order_solution solution;
	enum order_answer answer = analysis_ask(&alone, &f->query.query, &solution);

	if (answer == ORDER_POSSIBLE)
		add_claim_in_window(f, window, &solution, pair, key);
	predict_stats_add(&f->analysis->stats, &alone.stats);
	analysis_free(&alone);
	return answer;
}

static enum order_answer ask_with_end_inside(struct lifetime_search *f,
					     const struct lifetime_pair *pair, uint64_t key)
{
	uint64_t unknown = f->loose.stats.unknown;
	struct order_solution solution;
	struct lifetime_window window;
	enum order_answer answer;

	make_query(f, pair, true);
	answer = analysis_ask(&f->loose, &f->query.query, &solution);
	if (answer == ORDER_IMPOSSIBLE)
		return answer;
	f->loose.stats.unknown = unknown; /* not counted: the query is asked again */
	lifetime_window_make(&window, &f->early, pair->end);
	if (answer == ORDER_POSSIBLE &&
	    lifetime_window_accepts(&window, solution.inside, solution.count))
		add_claim_in_window(f, &window, &solution, pair, key);
	else
		answer = ask_in_own_window(f, &window, pair, key);
	lifetime_window_free(&window);
	return answer;
}

/*
 * Does any node come after the end in program order or by an edge? If not, the end could as well be
 * next, and the second query is not needed.
 */
static bool can_be_followed(const struct lifetime_search *f, uint32_t end)
{
	return order_model_next(f->model, end) != ORDER_NONE || f->early.has_outgoing[end];
}

static enum order_answer ask_about_pair(struct lifetime_search *f, const struct lifetime_pair *pair,
					uint64_t key)
{
	struct order_solution solution;
	enum order_answer answer;

	make_query(f, pair, false);
	answer = analysis_ask(f->analysis, &f->query.query, &solution);
	if (answer == ORDER_POSSIBLE)
		fill_claim(f, analysis_add_claim(f->analysis, &solution, f->query.required), pair,
			   key);
	if (answer == ORDER_IMPOSSIBLE && can_be_followed(f, pair->end))
		answer = ask_with_end_inside(f, pair, key);
	return answer;
}

static bool ask_about_candidate(void *context, const void *candidate, uint64_t key)
{
	return ask_about_pair(context, candidate, key) == ORDER_POSSIBLE;
}

/* ---- the analysis ---------------------------------------------------------------------------- */

static void ask_about_each(void *context, const struct lifetime_pair *pair)
{
	struct lifetime_search *f = context;

	f->analysis->stats.candidates++;
	ask_about_pair(f, pair, 0);
}

void predict_use_after_end(struct analysis *analysis)
{
	struct lifetime_search f = { .analysis = analysis, .model = &analysis->window->model };

	if (!lifetime_pairs_exist(analysis->window))
		return;
	lifetime_early_end_make(&f.early, analysis->window);
	lifetime_pairs_open(&f.pairs, analysis, &f.early);
	f.quick = *analysis->options;
	if (!f.quick.steps || f.quick.steps > LOOSE_STEPS)
		f.quick.steps = LOOSE_STEPS;
	f.loose = (struct analysis){
		.window = &f.early.loose.window,
		.clock = &f.early.loose.clock,
		.options = &f.quick,
		.seen = analysis->seen,
	};
	node_query_open(&f.query, f.model);
	if (analysis->options->every) {
		lifetime_pairs_each(&f.pairs, &f.early, ask_about_each, &f);
	} else {
		lifetime_pairs_collect(&f.pairs, &f.early);
		site_groups_ask(&f.pairs.by_sites, analysis, ask_about_candidate, &f);
	}
	predict_stats_add(&analysis->stats, &f.loose.stats);
	analysis_free(&f.loose);
	lifetime_pairs_close(&f.pairs);
	lifetime_early_end_free(&f.early);
	node_query_close(&f.query);
	vec_free(&f.fixed);
}
