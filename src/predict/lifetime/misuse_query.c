/* Builds queries about misuse, counts the queries for each pair of sites, and adds claims. */
#include "predict/lifetime/misuse_query.h"

#include "base/mem.h"
#include "predict/driver/site_group.h"

#include <assert.h>

#define ASK_MOST 16 /* queries about one pair of sites in a window */
#define FOUND UINT64_MAX

/* ---- edges ----------------------------------------------------------------------------------- */

static void index_edges(struct misuse_query *q)
{
	order_sources_make(&q->sources, q->model);
	q->is_lifetime = mem_zalloc(q->model->edges.count + 1, sizeof *q->is_lifetime);
	for (size_t i = 0; i < q->window->lifetime_edges.count; i++) {
		assert(q->window->lifetime_edges.items[i] < q->model->edges.count);
		q->is_lifetime[q->window->lifetime_edges.items[i]] = true;
	}
}

static uint32_t creation_of(const struct misuse_query *q, uint32_t node)
{
	return q->window->threads.items[q->model->thread.items[node]].create;
}

/* Must the source of this edge be inside when the event is next? `at`: position in sources. */
static bool binds(const struct misuse_query *q, struct misuse_next next, uint32_t at)
{
	uint32_t from = q->sources.from[at];

	switch (next.ignored) {
	case MISUSE_IGNORE_NONE: return true;
	case MISUSE_IGNORE_LIFETIMES: return !q->is_lifetime[q->sources.edge[at]];
	case MISUSE_IGNORE_NODE: return from != next.from;
	case MISUSE_IGNORE_THREAD:
		return q->model->thread.items[from] != next.from ||
		       from == creation_of(q, next.node);
	}
	return true;
}

void misuse_query_open(struct misuse_query *q, struct analysis *analysis)
{
	*q = (struct misuse_query){ .analysis = analysis,
				    .window = analysis->window,
				    .model = &analysis->window->model };
	node_query_open(&q->query, q->model);
	index_edges(q);
}

void misuse_query_close(struct misuse_query *q)
{
	for (size_t i = 0; q->asked.slots && i <= q->asked.mask; i++) {
		if (q->asked.slots[i].key && q->asked.slots[i].value != FOUND)
			analysis_count_failures(q->analysis, q->asked.slots[i].key,
						q->asked.slots[i].value);
	}
	if (q->has_must_precede)
		must_precede_free(&q->must_precede);
	node_query_close(&q->query);
	map_free(&q->asked);
	free(q->is_lifetime);
	order_sources_free(&q->sources);
}

/* ---- what must be inside --------------------------------------------------------------------- */

/* Is `a` this node, or must it be inside when this node is? */
static bool must_be_inside(struct misuse_query *q, uint32_t node, uint32_t a)
{
	if (node == a || order_clock_before(q->analysis->clock, q->model, a, node))
		return true;
	if (!q->has_must_precede) {
		must_precede_make(&q->must_precede, q->window, q->analysis->clock);
		q->has_must_precede = true;
	}
	return must_precede_inside(&q->must_precede, a, node);
}

bool misuse_query_implies_inside(struct misuse_query *q, struct misuse_next next, uint32_t a)
{
	uint32_t previous = order_model_previous(q->model, next.node);
	const uint32_t *start = q->sources.start;

	if (previous != ORDER_NONE && must_be_inside(q, previous, a))
		return true;
	for (uint32_t i = start[next.node]; i < start[next.node + 1]; i++) {
		if (binds(q, next, i) && must_be_inside(q, q->sources.from[i], a))
			return true;
	}
	return false;
}

/* ---- building the query ---------------------------------------------------------------------- */

void misuse_query_next(struct misuse_query *q, struct misuse_next next)
{
	const uint32_t *start = q->sources.start;

	node_query_clear(&q->query);
	node_query_next(&q->query, NULL, next.node);
	for (uint32_t i = start[next.node]; i < start[next.node + 1]; i++) {
		if (binds(q, next, i))
			misuse_query_inside(q, q->sources.from[i]);
	}
}

void misuse_query_inside(struct misuse_query *q, uint32_t node)
{
	node_query_inside(&q->query, node);
}

void misuse_query_outside(struct misuse_query *q, uint32_t node)
{
	if (node != ORDER_NONE)
		node_query_before(&q->query, ORDER_CUT, node);
}

/* ---- asking ---------------------------------------------------------------------------------- */

uint64_t misuse_query_key(const struct misuse_query *q, enum event_misuse misuse, uint32_t a,
			  uint32_t b)
{
	uint64_t sites[3] = { q->window->nodes.items[a].site, misuse, 0 };

	if (b != ORDER_NONE)
		sites[2] = q->window->nodes.items[b].site;
	/* Bit 62 distinguishes the kind of misuse from a site. */
	sites[1] |= 1ull << 62;
	return analysis_key(FINDING_MISUSE, sites, b != ORDER_NONE ? 3 : 2);
}

bool misuse_query_is_wanted(struct misuse_query *q, uint64_t key)
{
	struct predict_stats *stats = &q->analysis->stats;
	const uint64_t *asked = map_get(&q->asked, key);

	stats->candidates++;
	if (q->analysis->options->every)
		return true;
	if ((asked && *asked == FOUND) || analysis_has_finding(q->analysis, key)) {
		stats->same_sites++;
		return false;
	}
	if (analysis_out_of_time(q->analysis) ||
	    (asked && *asked >= site_group_query_limit(q->analysis, key, ASK_MOST))) {
		stats->not_asked++;
		return false;
	}
	return true;
}

void misuse_query_ask(struct misuse_query *q, enum event_misuse misuse, uint32_t a, uint32_t b,
		      uint64_t key, bool observed)
{
	uint64_t *asked = map_put(&q->asked, key, NULL);
	struct order_solution solution;
	struct analysis_claim *claim;

	if (analysis_ask(q->analysis, &q->query.query, &solution) != ORDER_POSSIBLE) {
		++*asked;
		return;
	}
	*asked = FOUND;
	/*
	 * Perhaps nothing wakes a wait because other waits take the signals. These must stay in the
	 * witness, so nothing is dropped from it.
	 */
	claim = analysis_add_claim(q->analysis, &solution,
				   q->query.query.unwoken.count ? NULL : q->query.required);
	claim->kind = FINDING_MISUSE;
	claim->claim = CHECKER_MISUSE;
	claim->misuse = misuse;
	claim->status = observed ? FINDING_OBSERVED : FINDING_PREDICTED;
	claim->key = key;
	*vec_push(&claim->events) = a;
	*vec_push(&claim->events) = b;
}
