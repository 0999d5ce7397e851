/*
 * Data races: two conflicting accesses of different threads, not both atomic, both next.
 *
 * One finding for each pair of code sites is wanted, so of candidates with the same sites only
 * some are asked about, until one is possible. With `every` all of them are.
 */
#include "predict/race/race_candidates.h"

#include "base/mem.h"
#include "order/model/sources.h"

#include <string.h>

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

static void claim_race(struct races *r, struct race_candidates pair, uint64_t key,
		       const struct order_solution *solution)
{
	struct analysis_claim *claim = analysis_add_claim(r->analysis, solution, r->required);

	claim->kind = FINDING_RACE;
	claim->claim = CHECKER_RACE;
	claim->key = key;
	*vec_push(&claim->events) = pair.a;
	*vec_push(&claim->events) = pair.b;
}

static enum order_answer ask(struct races *r, struct race_candidates pair, uint64_t key)
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

static struct site_group *pool_at(void *context, size_t i, size_t *kept)
{
	struct races *r = context;

	*kept = r->candidates.pools.items[i].pairs.count;
	return &r->candidates.pools.items[i].pool;
}

static bool ask_in_pool(void *context, size_t i, size_t candidate)
{
	struct races *r = context;
	const struct race_candidates_pool *pool = &r->candidates.pools.items[i];

	return ask(r, pool->pairs.items[candidate], pool->pool.key) == ORDER_POSSIBLE;
}

static void find_by_sites(struct races *r)
{
	struct site_groups pools = { .at = pool_at, .ask = ask_in_pool, .context = r };

	candidates_pool(&r->candidates);
	pools.count = r->candidates.pools.count;
	site_groups_ask(&pools, r->analysis);
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void ask_each(void *context, struct race_candidates pair)
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
