/*
 * Data races: two conflicting accesses by different threads, not both atomic, that are next at the
 * same time.
 *
 * Only one finding for each pair of code sites is wanted, so the solver is asked about some of the
 * candidates with the same sites, until one is possible. With the option `every` it is asked about
 * all.
 */
#include "predict/race/race_candidates.h"

#include "predict/driver/node_query.h"

struct race_search {
	struct analysis *analysis;
	struct node_query query;
	struct order_sources sources;
	struct race_candidates candidates;
};

/* ---- queries --------------------------------------------------------------------------------- */

static void claim_race(struct race_search *r, struct race_pair pair, uint64_t key,
		       const struct order_solution *solution)
{
	struct analysis_claim *claim = analysis_add_claim(r->analysis, solution, r->query.required);

	claim->kind = FINDING_RACE;
	claim->claim = CHECKER_RACE;
	claim->key = key;
	claim->benign = pair.benign;
	*vec_push(&claim->events) = pair.a;
	*vec_push(&claim->events) = pair.b;
}

static bool ask_about_pair(struct race_search *r, struct race_pair pair, uint64_t key)
{
	struct order_solution solution;

	node_query_clear(&r->query);
	node_query_next(&r->query, &r->sources, pair.a);
	node_query_next(&r->query, &r->sources, pair.b);
	if (analysis_ask(r->analysis, &r->query.query, &solution) != ORDER_POSSIBLE)
		return false;
	claim_race(r, pair, key, &solution);
	return true;
}

static bool ask_candidate(void *context, const void *candidate, uint64_t key)
{
	return ask_about_pair(context, *(const struct race_pair *)candidate, key);
}

/* ---- the analysis ---------------------------------------------------------------------------- */

static void ask_about_each(void *context, struct race_pair pair)
{
	struct race_search *r = context;

	r->analysis->stats.candidates++;
	ask_about_pair(r, pair, 0);
}

void predict_races(struct analysis *analysis)
{
	const struct order_model *model = &analysis->window->model;
	struct race_search r = { .analysis = analysis };

	node_query_open(&r.query, model);
	order_sources_make(&r.sources, model);
	race_candidates_open(&r.candidates, analysis);
	if (analysis->options->every) {
		race_candidates_each(&r.candidates, ask_about_each, &r);
	} else {
		race_candidates_collect(&r.candidates);
		site_groups_ask(&r.candidates.by_sites, analysis, ask_candidate, &r);
	}
	race_candidates_close(&r.candidates);
	node_query_close(&r.query);
	order_sources_free(&r.sources);
}
