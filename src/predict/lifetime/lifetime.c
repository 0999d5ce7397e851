/*
 * Uses after the end of a lifetime: use after free and double free, use after destroy, use after
 * close (doc/prediction.md).
 *
 * There are two queries for each end of a lifetime f and use u. First: can both be next? Neither is
 * inside then, and edges only bind events inside, so the window's model is used as it is. The only
 * difference from a race is that the sources of lifetime edges into the two need not be inside. If
 * that is impossible: can f be inside, and u next? This is the case when both hold the same lock,
 * for example. Then each use that was recorded before f is before it or outside, in a model whose
 * lifetimes do not bind f (lifetime_early_end.h).
 */
#include "predict/lifetime/lifetime_pairs.h"

#include "predict/driver/node_query.h"

/*
 * Budget of a query without lifetimes. Nearly all of these are decided at once; the others are
 * easier with lifetimes.
 */
#define LOOSE_STEPS 50000

struct lifetime_search {
	struct analysis *analysis;
	const struct order_model *model;
	struct lifetime_early_end early;
	struct lifetime_pairs pairs;
	struct analysis loose; /* asks the window without the edges of lifetimes */
	struct predict_options quick;
	struct node_query query;
	VEC(uint32_t) fixed; /* nodes that keep their order relative to the end */
	bool observed;	     /* as recorded, no lifetime begins between the end and the use */
};

/* ---- the query ------------------------------------------------------------------------------- */

/* Demands for this place that what ends has begun. */
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

/* The end is inside: demands that no other touch of that lifetime comes after it. */
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

/* If the use touches this place: demands that no new lifetime has begun there after the end. */
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

/* The end is next, or inside. */
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

/* The witness must respect that window's edges. */
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

/* Asks in a window that was made for this end. */
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
	struct order_solution solution;
	struct lifetime_window window;
	enum order_answer answer;

	make_query(f, pair, true);
	answer = analysis_ask(&f->loose, &f->query.query, &solution);
	if (answer == ORDER_IMPOSSIBLE)
		return answer;
	f->loose.stats.unknown = 0; /* it is asked once more */
	lifetime_window_make(&window, &f->early, pair->end);
	if (answer == ORDER_POSSIBLE &&
	    lifetime_window_accepts(&window, solution.inside, solution.count))
		add_claim_in_window(f, &window, &solution, pair, key);
	else
		answer = ask_in_own_window(f, &window, pair, key);
	lifetime_window_free(&window);
	return answer;
}

/* Can any node inside come after the end? If not, the end may as well be next. */
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
