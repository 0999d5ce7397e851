/*
 * Finds atomicity violations: another thread interrupts a region, and no execution in which the
 * region runs uninterrupted has the same order of conflicts. A region is an annotated region or a
 * critical section. The specification is doc/prediction.md, Atomicity.
 *
 * The four patterns with one variable are those of AVIO (Lu, Tucek, Qin, Zhou, "AVIO: Detecting
 * Atomicity Violations via Access Interleaving Invariants", ASPLOS 2006). Several variables and
 * prediction are as for GPredict's patterns (Huang, Luo, Rosu, ICSE 2015). A violation is a cycle
 * of conflicts between the region and one other thread; conflict serialisability of transactions
 * forbids such cycles (Flanagan, Freund, Yi, "Velodrome", PLDI 2008).
 *
 * An interruption consists of the accesses l1, r1, r2, l2 (atomicity_interruptions.h). The query
 * demands l1 < r1, r2 inside, and l2 next. It need not order r1 and r2: both belong to one thread.
 */
#include "predict/atomicity/atomicity_conflict.h"
#include "predict/atomicity/atomicity_dependence.h"
#include "predict/driver/node_query.h"
#include "predict/driver/seen_sites.h"

#define EVERY_MOST 20000 /* largest number of interruptions per window with the option `every` */
/*
 * largest number of queries about one interruption; another query follows if the region's thread
 * learns of r2
 */
#define ROUNDS 4

struct atomicity_search {
	struct analysis *analysis;
	const struct order_model *model;
	struct interruptions interruptions;
	struct node_query query;
	/* nodes whose order the witness keeps: l1, r1, r2, and nodes that must not learn of r2 */
	VEC(uint32_t) fixed;
	struct order_sources sources;
};

/* ---- queries --------------------------------------------------------------------------------- */

static void make_query(struct atomicity_search *s, const struct interruption *candidate)
{
	node_query_clear(&s->query);
	s->fixed.count = 0;
	*vec_push(&s->fixed) = candidate->l1;
	*vec_push(&s->fixed) = candidate->r1;
	if (candidate->r2 != candidate->r1)
		*vec_push(&s->fixed) = candidate->r2;
	node_query_before(&s->query, candidate->l1, candidate->r1);
	node_query_inside(&s->query, candidate->r2);
	node_query_next(&s->query, &s->sources, candidate->l2);
}

/* ---- claims ---------------------------------------------------------------------------------- */

/*
 * Returns the last access before r1 in the schedule that can serve as l1. (The query used the
 * fragment's first one.)
 */
static uint32_t find_last_l1(struct atomicity_search *s, const struct interruption *candidate,
			     const struct analysis_claim *claim)
{
	const struct region_fragment *fragment =
		&s->interruptions.fragments.items.items[candidate->fragment];
	const struct window_node *nodes = s->analysis->window->nodes.items;
	uint32_t best = candidate->l1, thread = fragment->thread;

	for (size_t i = 0; i < claim->steps.count && claim->steps.items[i] != candidate->r1; i++) {
		uint32_t node = claim->steps.items[i];

		if (s->model->thread.items[node] == thread && node > best &&
		    nodes[node].id.stream == nodes[candidate->l1].id.stream &&
		    race_is_access(&nodes[node]) &&
		    interruptions_conflict(&s->interruptions, fragment, node, candidate->r1) &&
		    interruptions_can_be_ends(&s->interruptions, node, candidate->l2))
			best = node;
	}
	return best;
}

static void drop_claim(struct analysis *analysis)
{
	struct analysis_claim *claim = &analysis->claims.items[--analysis->claims.count];

	vec_free(&claim->steps);
}

static void fill_claim(struct atomicity_search *s, const struct interruption *candidate,
		       uint64_t key, struct analysis_claim *claim)
{
	const struct region_fragment *fragment =
		&s->interruptions.fragments.items.items[candidate->fragment];
	uint32_t l1 =
		s->analysis->options->every ? candidate->l1 : find_last_l1(s, candidate, claim);

	claim->kind = FINDING_ATOMICITY;
	claim->claim = CHECKER_ATOMICITY;
	claim->key = key;
	claim->inferred = fragment->inferred;
	claim->region = fragment->begin;
	claim->region_lock = fragment->annotated ? 0 : fragment->lock;
	claim->region_name = fragment->annotated ? intern_text(&s->analysis->seen->regions->names,
							       fragment->name)
						 : NULL;
	if (s->analysis->before)
		claim->status = FINDING_WARNING;
	else if (l1 < candidate->r1 && candidate->r2 < candidate->l2)
		claim->status = FINDING_OBSERVED;
	*vec_push(&claim->events) = l1;
	*vec_push(&claim->events) = candidate->r1;
	if (candidate->r2 != candidate->r1)
		*vec_push(&claim->events) = candidate->r2;
	*vec_push(&claim->events) = candidate->l2;
}

/*
 * Adds a claim, unless the region's thread learns of r2 in this schedule. In that case returns the
 * first node that depends on r2, for the next query; otherwise ORDER_NONE.
 */
static uint32_t claim_interruption(struct atomicity_search *s, const struct interruption *candidate,
				   uint64_t key, const struct order_solution *solution)
{
	struct analysis_claim *claim = analysis_add_claim_fixed(
		s->analysis, solution, s->query.required, s->fixed.items, (uint32_t)s->fixed.count);
	uint32_t learned = ORDER_NONE;

	/*
	 * Learning is not tested for inferred regions: a thread that acts on an outdated check
	 * often reads the variable again before it changes it, and does not wait for the other
	 * thread.
	 */
	if (!s->interruptions.fragments.items.items[candidate->fragment].inferred)
		learned = first_dependent_node(s->analysis->window, &s->sources, claim->steps.items,
					       claim->steps.count, candidate->r2,
					       s->model->thread.items[candidate->l2]);
	if (learned == ORDER_NONE)
		fill_claim(s, candidate, key, claim);
	else
		drop_claim(s->analysis);
	return learned;
}

static bool ask(struct atomicity_search *s, const struct interruption *candidate, uint64_t key)
{
	struct order_solution solution;

	make_query(s, candidate);
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint32_t learned;

		if (analysis_ask(s->analysis, &s->query.query, &solution) != ORDER_POSSIBLE)
			return false;
		learned = claim_interruption(s, candidate, key, &solution);
		if (learned == ORDER_NONE)
			return true;
		node_query_before(&s->query, learned, candidate->r2);
		*vec_push(&s->fixed) = learned;
	}
	return false;
}

/* ---- the analysis ---------------------------------------------------------------------------- */

static bool ask_about_candidate(void *context, const void *candidate, uint64_t key)
{
	return ask(context, candidate, key);
}

static void ask_each(void *context, const struct interruption *candidate)
{
	struct atomicity_search *s = context;

	s->analysis->stats.candidates++;
	ask(s, candidate, 0);
}

void predict_atomicity(struct analysis *analysis)
{
	struct atomicity_search s = { .analysis = analysis, .model = &analysis->window->model };
	struct fragments_wanted wanted = { .regions = analysis->seen->regions };

	/*
	 * Leads are for inferred and annotated regions only. An interrupted critical section also
	 * contains a race, which is found without a lead.
	 */
	if (analysis->before) {
		wanted.calls = analysis->seen->calls;
		wanted.regions = analysis->options->leads ? wanted.regions : NULL;
	}
	wanted.sections = !analysis->before;
	if (analysis->before && !wanted.calls && !(wanted.regions && wanted.regions->items.count))
		return;
	interruptions_open(&s.interruptions, analysis, &wanted);
	node_query_open(&s.query, s.model);
	order_sources_make(&s.sources, s.model);
	if (analysis->options->every) {
		interruptions_each(&s.interruptions, ask_each, &s, EVERY_MOST);
	} else {
		interruptions_collect(&s.interruptions);
		site_groups_ask(&s.interruptions.by_sites, analysis, ask_about_candidate, &s);
	}
	analysis->stats.not_asked += s.interruptions.cut;
	interruptions_close(&s.interruptions);
	node_query_close(&s.query);
	vec_free(&s.fixed);
	order_sources_free(&s.sources);
}
