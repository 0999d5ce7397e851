/*
 * Uses of what is over: use after free and double free, use after destroy, use after close
 * (doc/prediction.md).
 *
 * Two questions for each end of a life f and use u. First: can both be next? Neither is inside then,
 * and edges bind only what is inside, so the window's model is asked as it is; all that differs
 * from a race is that the sources of lives' edges into the two need not be inside. If not: can f be
 * inside, and u next? That is so when both hold one lock, say. Then the uses that were recorded
 * before f are before it or outside, in a model whose lives do not bind f (lifetime_early_end.h).
 */
#include "predict/lifetime/lifetime_pairs.h"

#include "base/mem.h"

#include <string.h>

/* Without lives nearly everything is decided at once; what is not is easier with them. */
#define LOOSE_STEPS 50000

struct lifetime {
	struct analysis *analysis;
	const struct order_model *model;
	struct lifetime_early_end early;
	struct lifetime_pairs pairs;
	struct analysis loose; /* asks the window without lives */
	struct predict_options quick;
	struct order_query query;
	uint32_t *required;  /* by thread */
	VEC(uint32_t) fixed; /* what keeps its place before or behind the end */
	bool observed;	     /* nothing began between the end and the use, as recorded */
};

/* ---- the question ------------------------------------------------------------------------ */

static void clause1(struct lifetime *f, uint32_t a, uint32_t b)
{
	int32_t literal = order_query_before(&f->query, a, b);

	order_query_clause(&f->query, &literal, 1);
}

static void need(struct lifetime *f, uint32_t node)
{
	uint32_t thread = f->model->thread.items[node], count = f->model->position.items[node] + 1;

	if (f->required[thread] < count)
		f->required[thread] = count;
}

static void require_inside(struct lifetime *f, uint32_t node)
{
	clause1(f, node, ORDER_CUT);
	need(f, node);
}

/* What is next, but for lives: its thread's creation and what must keep its order are inside. */
static void require_next(struct lifetime *f, uint32_t node)
{
	const struct order_sources *sources = &f->early.sources;
	uint32_t previous = order_model_previous(f->model, node);

	order_query_next(&f->query, f->model, node);
	if (previous != ORDER_NONE)
		need(f, previous);
	for (uint32_t i = sources->start[node]; i < sources->start[node + 1]; i++)
		require_inside(f, sources->from[i]);
}

/* In this place: what ends has begun. */
static void require_begin(struct lifetime *f, const struct window_touch *t,
			  const struct lifetime_place *where, bool inside)
{
	uint32_t begin = lifetime_begin_before(t, where->at);

	if (begin == ORDER_NONE)
		return;
	require_inside(f, t[begin].node);
	if (inside)
		clause1(f, t[begin].node, t[where->at].node);
}

/* The end is inside: of what else touches that life nothing is behind it. */
static void forbid_behind(struct lifetime *f, const struct window_touch *t, uint32_t count,
			  uint32_t at, uint32_t use)
{
	uint32_t begin = lifetime_begin_before(t, at), next = lifetime_begin_behind(t, count, at);
	uint32_t end = t[at].node;

	for (uint32_t i = begin == ORDER_NONE ? 0 : begin + 1; i < next; i++) {
		int32_t literals[2];

		if (i == at || t[i].node == use ||
		    order_clock_before(&f->early.loose.clock, f->model, t[i].node, end))
			continue;
		literals[0] = order_query_before(&f->query, t[i].node, end);
		literals[1] = order_query_before(&f->query, ORDER_CUT, t[i].node);
		order_query_clause(&f->query, literals, 2);
		*vec_push(&f->fixed) = t[i].node;
	}
}

/* No new life of common bytes has begun behind the end, if the use touches this place. */
static void forbid_begin(struct lifetime *f, const struct window_touch *t, uint32_t count,
			 uint32_t at, uint32_t use)
{
	uint32_t next = lifetime_begin_behind(t, count, at), i = 0;

	while (i < count && t[i].node != use)
		i++;
	if (i == count || next == count)
		return;
	clause1(f, ORDER_CUT, t[next].node);
	f->observed &= next > i;
}

static void ask_both_next(struct lifetime *f, const struct lifetime_pair *pair)
{
	const struct lifetime_early_end *e = &f->early;

	order_query_clear(&f->query);
	memset(f->required, 0, f->model->thread_count * sizeof *f->required);
	f->observed = pair->use > pair->end;
	require_next(f, pair->end);
	require_next(f, pair->use);
	for (uint32_t i = e->start[pair->end]; i < e->start[pair->end + 1]; i++) {
		uint32_t count;
		const struct window_touch *t = lifetime_touches(e, e->places[i].place, &count);

		require_begin(f, t, &e->places[i], false);
		forbid_begin(f, t, count, e->places[i].at, pair->use);
	}
}

static void ask_end_inside(struct lifetime *f, const struct lifetime_pair *pair)
{
	const struct lifetime_early_end *e = &f->early;

	order_query_clear(&f->query);
	memset(f->required, 0, f->model->thread_count * sizeof *f->required);
	f->fixed.count = 0;
	*vec_push(&f->fixed) = pair->end;
	require_inside(f, pair->end);
	require_next(f, pair->use);
	for (uint32_t i = e->start[pair->end]; i < e->start[pair->end + 1]; i++) {
		uint32_t count;
		const struct window_touch *t = lifetime_touches(e, e->places[i].place, &count);

		require_begin(f, t, &e->places[i], true);
		forbid_begin(f, t, count, e->places[i].at, pair->use);
		forbid_behind(f, t, count, e->places[i].at, pair->use);
	}
}

/* ---- claims ------------------------------------------------------------------------------ */

static void fill_claim(const struct lifetime *f, struct analysis_claim *claim,
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

/* The witness leans on that window's edges. */
static void claim_in(struct lifetime *f, const struct lifetime_window *window,
		     const struct order_solution *solution, const struct lifetime_pair *pair,
		     uint64_t key)
{
	struct analysis alone = { .window = &window->window };
	struct analysis_claim *claim = analysis_add_claim_fixed(
		&alone, solution, f->required, f->fixed.items, (uint32_t)f->fixed.count);

	fill_claim(f, claim, pair, key);
	*vec_push(&f->analysis->claims) = *claim;
	vec_free(&alone.claims);
}

/* ---- asking ------------------------------------------------------------------------------ */

static void add_counts(struct predict_stats *to, const struct predict_stats *from)
{
	to->queries += from->queries;
	to->impossible += from->impossible;
	to->possible += from->possible;
	to->unknown += from->unknown;
	to->not_asked += from->not_asked;
}

/* The end has a window of its own. */
static enum order_answer ask_alone(struct lifetime *f, const struct lifetime_window *window,
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
	enum order_answer answer = analysis_ask(&alone, &f->query, &solution);

	if (answer == ORDER_POSSIBLE)
		claim_in(f, window, &solution, pair, key);
	add_counts(&f->analysis->stats, &alone.stats);
	analysis_free(&alone);
	return answer;
}

static enum order_answer ask_inside(struct lifetime *f, const struct lifetime_pair *pair,
				    uint64_t key)
{
	struct order_solution solution;
	struct lifetime_window window;
	enum order_answer answer;

	ask_end_inside(f, pair);
	answer = analysis_ask(&f->loose, &f->query, &solution);
	if (answer == ORDER_IMPOSSIBLE)
		return answer;
	f->loose.stats.unknown = 0; /* it is asked once more */
	lifetime_window_make(&window, &f->early, pair->end);
	if (answer == ORDER_POSSIBLE &&
	    lifetime_window_accepts(&window, solution.inside, solution.count))
		claim_in(f, &window, &solution, pair, key);
	else
		answer = ask_alone(f, &window, pair, key);
	lifetime_window_free(&window);
	return answer;
}

/* Can anything inside be behind the end? If not, it may as well be next. */
static bool is_followed(const struct lifetime *f, uint32_t end)
{
	return order_model_next(f->model, end) != ORDER_NONE || f->early.leads[end];
}

static enum order_answer ask(struct lifetime *f, const struct lifetime_pair *pair, uint64_t key)
{
	struct order_solution solution;
	enum order_answer answer;

	ask_both_next(f, pair);
	answer = analysis_ask(f->analysis, &f->query, &solution);
	if (answer == ORDER_POSSIBLE)
		fill_claim(f, analysis_add_claim(f->analysis, &solution, f->required), pair, key);
	if (answer == ORDER_IMPOSSIBLE && is_followed(f, pair->end))
		answer = ask_inside(f, pair, key);
	return answer;
}

/* ---- one finding for each pair of sites ---------------------------------------------------- */

static struct site_group *pool_at(void *context, size_t i, size_t *kept)
{
	struct lifetime *f = context;

	*kept = f->pairs.pools.items[i].pairs.count;
	return &f->pairs.pools.items[i].pool;
}

static bool ask_in_pool(void *context, size_t i, size_t candidate)
{
	struct lifetime *f = context;
	const struct lifetime_pool *pool = &f->pairs.pools.items[i];

	return ask(f, &pool->pairs.items[candidate], pool->pool.key) == ORDER_POSSIBLE;
}

static void find_by_sites(struct lifetime *f)
{
	struct site_groups pools = { .at = pool_at, .ask = ask_in_pool, .context = f };

	lifetime_pairs_pool(&f->pairs, &f->early);
	pools.count = f->pairs.pools.count;
	site_groups_ask(&pools, f->analysis);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void ask_each(void *context, const struct lifetime_pair *pair)
{
	struct lifetime *f = context;

	f->analysis->stats.candidates++;
	ask(f, pair, 0);
}

void predict_use_after_end(struct analysis *analysis)
{
	struct lifetime f = { .analysis = analysis, .model = &analysis->window->model };

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
	f.required = mem_zalloc(f.model->thread_count + (size_t)1, sizeof *f.required);
	if (analysis->options->every)
		lifetime_pairs_each(&f.pairs, &f.early, ask_each, &f);
	else
		find_by_sites(&f);
	add_counts(&analysis->stats, &f.loose.stats);
	analysis_free(&f.loose);
	lifetime_pairs_close(&f.pairs);
	lifetime_early_end_free(&f.early);
	order_query_free(&f.query);
	vec_free(&f.fixed);
	free(f.required);
}
