/*
 * Atomicity: a region that another thread tears apart, so that no run in which it is left alone has
 * the same order of conflicts. Annotated regions and critical sections; doc/prediction.md is the law.
 *
 * The four patterns of one variable are those of AVIO (Lu, Tucek, Qin, Zhou, "AVIO: Detecting Atomicity
 * Violations via Access Interleaving Invariants", ASPLOS 2006); several variables and prediction as
 * for GPredict's patterns (Huang, Luo, Rosu, ICSE 2015). A cycle of conflicts through one other
 * thread is what conflict-serialisability of transactions forbids (Flanagan, Freund, Yi, "Velodrome",
 * PLDI 2008). The solver is asked for l1 < r1, r2 inside, l2 next; r1 and r2 have their order by their
 * thread.
 */
#include "predict/atomicity/atomicity_conflict.h"
#include "predict/atomicity/atomicity_learned.h"
#include "predict/driver/seen_sites.h"

#include "base/mem.h"

#include <string.h>

#define EVERY_MOST 20000 /* tears of a window, with `every` */
#define ROUNDS 4 /* an answer in which the thread learns of r2 is asked for otherwise, so often */

struct atomicity_search {
	struct analysis *analysis;
	const struct order_model *model;
	struct tears tears;
	struct order_query query;
	uint32_t *required;  /* by thread */
	VEC(uint32_t) fixed; /* l1, r1, r2, and who must not learn of r2: in their order */
	struct order_sources sources;
};

/* ---- asking --------------------------------------------------------------------------------- */

static void demand(struct atomicity_search *s, uint32_t before, uint32_t after)
{
	int32_t literal = order_query_before(&s->query, before, after);

	order_query_clause(&s->query, &literal, 1);
}

static void need(struct atomicity_search *s, uint32_t node)
{
	uint32_t *required = &s->required[s->model->thread.items[node]];

	if (*required <= s->model->position.items[node])
		*required = s->model->position.items[node] + 1;
}

static void make_query(struct atomicity_search *s, const struct tear *tear)
{
	uint32_t previous = order_model_previous(s->model, tear->l2);

	order_query_clear(&s->query);
	s->fixed.count = 0;
	*vec_push(&s->fixed) = tear->l1;
	*vec_push(&s->fixed) = tear->r1;
	if (tear->r2 != tear->r1)
		*vec_push(&s->fixed) = tear->r2;
	memset(s->required, 0, s->model->thread_count * sizeof *s->required);
	demand(s, tear->l1, tear->r1);
	demand(s, tear->r2, ORDER_CUT);
	order_query_next(&s->query, s->model, tear->l2);
	need(s, previous);
	need(s, tear->r2);
	for (uint32_t i = s->sources.start[tear->l2]; i < s->sources.start[tear->l2 + 1]; i++) {
		demand(s, s->sources.from[i], ORDER_CUT);
		need(s, s->sources.from[i]);
	}
}

/* ---- claiming ------------------------------------------------------------------------------- */

/* Of the accesses that r1 comes behind, the last: what was asked about was the first. */
static uint32_t tighten(struct atomicity_search *s, const struct tear *tear,
			const struct analysis_claim *claim)
{
	const struct part *part = &s->tears.parts.items.items[tear->part];
	const struct window_node *nodes = s->analysis->window->nodes.items;
	uint32_t best = tear->l1, thread = part->thread;

	for (size_t i = 0; i < claim->steps.count && claim->steps.items[i] != tear->r1; i++) {
		uint32_t node = claim->steps.items[i];

		if (s->model->thread.items[node] == thread && node > best &&
		    nodes[node].id.stream == nodes[tear->l1].id.stream &&
		    race_candidates_is_access(&nodes[node]) &&
		    tears_conflict(&s->tears, part, node, tear->r1) &&
		    tears_fit(&s->tears, node, tear->l2))
			best = node;
	}
	return best;
}

static void drop_claim(struct analysis *analysis)
{
	struct analysis_claim *claim = &analysis->claims.items[--analysis->claims.count];

	vec_free(&claim->steps);
}

static void fill_claim(struct atomicity_search *s, const struct tear *tear, uint64_t key,
		       struct analysis_claim *claim)
{
	const struct part *part = &s->tears.parts.items.items[tear->part];
	uint32_t l1 = s->analysis->options->every ? tear->l1 : tighten(s, tear, claim);

	claim->kind = FINDING_ATOMICITY;
	claim->claim = CHECKER_ATOMICITY;
	claim->key = key;
	claim->inferred = part->inferred;
	claim->region = part->begin;
	claim->region_lock = part->annotated ? 0 : part->lock;
	claim->region_name = part->annotated
				     ? intern_text(&s->analysis->seen->regions->names, part->name)
				     : NULL;
	if (s->analysis->before)
		claim->status = FINDING_WARNING;
	else if (l1 < tear->r1 && tear->r2 < tear->l2)
		claim->status = FINDING_OBSERVED;
	*vec_push(&claim->events) = l1;
	*vec_push(&claim->events) = tear->r1;
	if (tear->r2 != tear->r1)
		*vec_push(&claim->events) = tear->r2;
	*vec_push(&claim->events) = tear->l2;
}

/* A claim, unless the thread learns of r2 in this schedule: then where, to ask otherwise. */
static uint32_t claim_tear(struct atomicity_search *s, const struct tear *tear, uint64_t key,
			   const struct order_solution *solution)
{
	struct analysis_claim *claim = analysis_add_claim_fixed(
		s->analysis, solution, s->required, s->fixed.items, (uint32_t)s->fixed.count);
	uint32_t learned = ORDER_NONE;

	/* What acts on an old check often reads again what it changes: that is no waiting. */
	if (!s->tears.parts.items.items[tear->part].inferred)
		learned = learned_from(s->analysis->window, &s->sources, claim->steps.items,
				       claim->steps.count, tear->r2,
				       s->model->thread.items[tear->l2]);
	if (learned == ORDER_NONE)
		fill_claim(s, tear, key, claim);
	else
		drop_claim(s->analysis);
	return learned;
}

static bool ask(struct atomicity_search *s, const struct tear *tear, uint64_t key)
{
	struct order_solution solution;

	make_query(s, tear);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t learned;

		if (analysis_ask(s->analysis, &s->query, &solution) != ORDER_POSSIBLE)
			return false;
		learned = claim_tear(s, tear, key, &solution);
		if (learned == ORDER_NONE)
			return true;
		demand(s, learned, tear->r2);
		*vec_push(&s->fixed) = learned;
	}
	return false;
}

/* ---- one finding for each region and place of r2 -------------------------------------------- */

static struct site_group *pool_at(void *context, size_t i, size_t *kept)
{
	struct atomicity_search *s = context;

	*kept = s->tears.pools.items[i].kept.count;
	return &s->tears.pools.items[i].pool;
}

static bool ask_in_pool(void *context, size_t i, size_t candidate)
{
	struct atomicity_search *s = context;
	const struct tear_pool *pool = &s->tears.pools.items[i];

	return ask(s, &pool->kept.items[candidate], pool->pool.key);
}

static void find_by_places(struct atomicity_search *s)
{
	struct site_groups pools = { .at = pool_at, .ask = ask_in_pool, .context = s };

	tears_pool(&s->tears);
	pools.count = s->tears.pools.count;
	site_groups_ask(&pools, s->analysis);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void ask_each(void *context, const struct tear *tear)
{
	struct atomicity_search *s = context;

	s->analysis->stats.candidates++;
	ask(s, tear, 0);
}

void predict_atomicity(struct analysis *analysis)
{
	struct atomicity_search s = { .analysis = analysis, .model = &analysis->window->model };
	struct parts_wanted wanted = { .regions = analysis->seen->regions };

	/* Critical sections have a race, which is found anyhow: leads need not be of them. */
	if (analysis->before) {
		wanted.calls = analysis->seen->calls;
		wanted.regions = analysis->options->leads ? wanted.regions : NULL;
	}
	wanted.sections = !analysis->before;
	if (analysis->before && !wanted.calls && !(wanted.regions && wanted.regions->items.count))
		return;
	tears_open(&s.tears, analysis, &wanted);
	s.required = mem_zalloc(s.model->thread_count + 1, sizeof *s.required);
	order_sources_make(&s.sources, s.model);
	if (analysis->options->every)
		tears_each(&s.tears, ask_each, &s, EVERY_MOST);
	else
		find_by_places(&s);
	analysis->stats.not_asked += s.tears.cut;
	tears_close(&s.tears);
	order_query_free(&s.query);
	vec_free(&s.fixed);
	free(s.required);
	order_sources_free(&s.sources);
}
