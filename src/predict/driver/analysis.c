/*
 * Services for the analyses: asking the solver within the budget and the deadline, keys of code
 * sites, and new claims with their witnesses.
 */
#include "predict/driver/analysis.h"

#include "base/hash.h"
#include "base/seconds.h"
#include "predict/driver/seen_sites.h"

#include <assert.h>

void analysis_free(struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->claims.count; i++) {
		vec_free(&analysis->claims.items[i].events);
		vec_free(&analysis->claims.items[i].waits_for);
		vec_free(&analysis->claims.items[i].steps);
		vec_free(&analysis->claims.items[i].choices);
		vec_free(&analysis->claims.items[i].pauses);
	}
	vec_free(&analysis->claims);
	vec_free(&analysis->failures);
	if (analysis->solver)
		order_solver_close(analysis->solver);
	free(analysis->z3_inside);
}

void predict_stats_add(struct predict_stats *sum, const struct predict_stats *one)
{
	sum->windows += one->windows;
	sum->candidates += one->candidates;
	sum->queries += one->queries;
	sum->impossible += one->impossible;
	sum->possible += one->possible;
	sum->unknown += one->unknown;
	sum->not_asked += one->not_asked;
	sum->windows_left += one->windows_left;
	sum->same_sites += one->same_sites;
	sum->unexplained += one->unexplained;
	sum->choices += one->choices;
	sum->far_choices += one->far_choices;
	sum->apart += one->apart;
	sum->solver.queries += one->solver.queries;
	sum->solver.by_projection += one->solver.by_projection;
	sum->solver.by_saturation += one->solver.by_saturation;
	sum->solver.by_greedy += one->solver.by_greedy;
	sum->solver.by_search += one->solver.by_search;
	sum->solver.unknown += one->solver.unknown;
	sum->solver.conflicts += one->solver.conflicts;
	sum->solver.decisions += one->solver.decisions;
	sum->solver.lemmas += one->solver.lemmas;
	sum->solver.moves += one->solver.moves;
}

bool analysis_out_of_time(const struct analysis *analysis)
{
	return analysis->deadline != 0 && seconds_now() >= analysis->deadline;
}

static enum order_answer solve(struct analysis *analysis, const struct order_query *query,
			       struct order_solution *solution)
{
	const struct order_model *model = &analysis->window->model;
	enum order_answer answer;

	if (!analysis->options->z3) {
		if (!analysis->solver)
			analysis->solver = order_solver_open(model, analysis->clock);
		return order_solve(analysis->solver, query, analysis->options->steps, solution);
	}
	free(analysis->z3_inside);
	analysis->z3_inside = NULL;
	*solution = (struct order_solution){ 0 };
	/* Z3's limit is in milliseconds. A step takes about a tenth of a microsecond. */
	answer = analysis->options->z3(model, analysis->clock, query,
				       (unsigned)(analysis->options->steps / 10000),
				       &analysis->z3_inside, &solution->count);
	solution->inside = analysis->z3_inside;
	return answer;
}

enum order_answer analysis_ask(struct analysis *analysis, const struct order_query *query,
			       struct order_solution *solution)
{
	struct predict_stats *stats = &analysis->stats;
	enum order_answer answer;

	if (analysis_out_of_time(analysis)) {
		stats->not_asked++;
		return ORDER_UNKNOWN;
	}
	stats->queries++;
	answer = solve(analysis, query, solution);
	switch (answer) {
	case ORDER_IMPOSSIBLE: stats->impossible++; break;
	case ORDER_POSSIBLE: stats->possible++; break;
	case ORDER_UNKNOWN: stats->unknown++; break;
	}
	return answer;
}

/* ---- keys ------------------------------------------------------------------------------------ */

uint64_t analysis_site(const struct window_node *node)
{
	return hash_mix(hash_mix(0, node->site ? node->site : ~node->address), node->kind);
}

/*
 * Keys are made from a sum, so that the order of the sites does not matter. Collisions are ignored.
 */
uint64_t analysis_key(enum finding_kind kind, const uint64_t *sites, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += hash_number(sites[i] + HASH_GOLDEN);
	return hash_number(sum + (uint64_t)kind * FINDING_KINDS + count);
}

bool analysis_has_finding(const struct analysis *analysis, uint64_t key)
{
	const uint64_t *value;

	if (analysis->options->every)
		return false;
	value = map_get(&analysis->seen->keys, key);
	if (value && *value & SEEN_SITES_FOUND)
		return true;
	for (size_t i = 0; i < analysis->claims.count; i++) {
		if (analysis->claims.items[i].key == key)
			return true;
	}
	return analysis->before && analysis_has_finding(analysis->before, key);
}

uint64_t analysis_earlier_failures(const struct analysis *analysis, uint64_t key)
{
	const uint64_t *value = map_get(&analysis->seen->keys, key);

	return value ? *value & ~SEEN_SITES_FOUND : 0;
}

void analysis_count_failures(struct analysis *analysis, uint64_t key, uint64_t count)
{
	*vec_push(&analysis->failures) = (struct failed_queries){ key, count };
}

/* ---- claims ---------------------------------------------------------------------------------- */

struct analysis_claim *analysis_add_claim(struct analysis *analysis,
					  const struct order_solution *solution,
					  const uint32_t *required)
{
	return analysis_add_claim_fixed(analysis, solution, required, NULL, 0);
}

struct analysis_claim *analysis_add_claim_fixed(struct analysis *analysis,
						const struct order_solution *solution,
						const uint32_t *required, const uint32_t *fixed,
						uint32_t fixed_count)
{
	struct analysis_claim *claim = vec_push(&analysis->claims);

	*claim = (struct analysis_claim){ .status = FINDING_PREDICTED };
	witness_make(&analysis->window->model, solution, required, fixed, fixed_count,
		     &claim->steps);
	return claim;
}
