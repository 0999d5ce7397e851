/*
 * Data races: two conflicting accesses of different threads, not both atomic, both next.
 *
 * One finding for each pair of code sites is wanted, so of candidates with the same sites only
 * some are asked about, until one is possible. With `every` all of them are.
 */
#include "predict/candidate.h"

#include "base/mem.h"
#include "order/sources.h"

#include <string.h>

/* So many pairs of two sites are asked about in one window; fewer when earlier ones were in vain. */
#define ASK_MOST CANDIDATE_MOST
#define ASK_LEAST 2
#define ASK_TIRED 64 /* so many in vain halve the number */

struct races {
	struct analysis *analysis;
	const struct order_model *model;
	struct order_query query;
	uint32_t *required; /* by thread */
	struct order_sources sources;
	struct candidates candidates;
};

/* ---- asking ------------------------------------------------------------------------------ */

static void need(struct races *r, uint32_t thread, uint32_t count)
{
	if (r->required[thread] < count)
		r->required[thread] = count;
}

/*
 * The access is next: edges into it (its thread's creation, the allocation of what it touches,
 * an order that must be kept) come from inside.
 */
static void require_next(struct races *r, uint32_t node)
{
	order_query_next(&r->query, r->model, node);
	need(r, r->model->thread.items[node], r->model->position.items[node]);
	for (uint32_t i = r->sources.start[node]; i < r->sources.start[node + 1]; i++) {
		uint32_t from = r->sources.from[i];
		int32_t inside = order_query_before(&r->query, from, ORDER_CUT);

		order_query_clause(&r->query, &inside, 1);
		need(r, r->model->thread.items[from], r->model->position.items[from] + 1);
	}
}

static void claim_race(struct races *r, struct candidate pair, uint64_t key,
		       const struct order_solution *solution)
{
	struct analysis_claim *claim = analysis_add(r->analysis, solution, r->required);

	claim->kind = FINDING_RACE;
	claim->claim = CHECKER_RACE;
	claim->key = key;
	*vec_push(&claim->events) = pair.a;
	*vec_push(&claim->events) = pair.b;
}

static enum order_answer ask(struct races *r, struct candidate pair, uint64_t key)
{
	struct order_solution solution;
	enum order_answer answer;

	order_query_clear(&r->query);
	memset(r->required, 0, r->model->thread_count * sizeof *r->required);
	require_next(r, pair.a);
	require_next(r, pair.b);
	answer = analysis_ask(r->analysis, &r->query, &solution);
	if (answer == ORDER_POSSIBLE)
		claim_race(r, pair, key, &solution);
	return answer;
}

/* ---- one finding for each pair of sites ---------------------------------------------------- */

static uint64_t limit_of(const struct races *r, uint64_t key)
{
	uint64_t halvings = analysis_tries(r->analysis, key) / ASK_TIRED;
	uint64_t limit = halvings < 8 ? ASK_MOST >> halvings : 0;

	return limit < ASK_LEAST ? ASK_LEAST : limit;
}

/* The i-th pair of each pool before the next of any: most races show at once, others never. */
static void ask_pools(struct races *r)
{
	bool more = true;

	for (size_t i = 0; more && i < ASK_MOST; i++) {
		more = false;
		for (size_t j = 0; j < r->candidates.pools.count; j++) {
			struct candidate_pool *pool = &r->candidates.pools.items[j];

			if (pool->found || i >= pool->pairs.count || i >= limit_of(r, pool->key))
				continue;
			if (analysis_is_over(r->analysis))
				return;
			more = true;
			pool->asked++;
			pool->found = ask(r, pool->pairs.items[i], pool->key) == ORDER_POSSIBLE;
		}
	}
}

static void find_by_sites(struct races *r)
{
	struct predict_stats *stats = &r->analysis->stats;

	candidates_pool(&r->candidates);
	ask_pools(r);
	for (size_t i = 0; i < r->candidates.pools.count; i++) {
		const struct candidate_pool *pool = &r->candidates.pools.items[i];

		stats->candidates += pool->total;
		if (pool->found)
			stats->same_sites += pool->total - pool->asked;
		else
			stats->not_asked += pool->total - pool->asked;
		if (!pool->found && pool->asked)
			analysis_tried(r->analysis, pool->key, pool->asked);
	}
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void ask_each(void *context, struct candidate pair)
{
	struct races *r = context;

	r->analysis->stats.candidates++;
	ask(r, pair, 0);
}

void predict_races(struct analysis *analysis)
{
	struct races r = {
		.analysis = analysis,
		.model = &analysis->window->model,
	};

	r.required = mem_zalloc(r.model->thread_count + 1, sizeof *r.required);
	order_sources_make(&r.sources, r.model);
	candidates_open(&r.candidates, analysis);
	if (analysis->options->every)
		candidates_each(&r.candidates, ask_each, &r);
	else
		find_by_sites(&r);
	candidates_close(&r.candidates);
	order_query_free(&r.query);
	free(r.required);
	order_sources_free(&r.sources);
}
