#include "predict/lifetime/misuse_ask.h"

#include "base/mem.h"
#include "predict/driver/site_pool.h"

#include <assert.h>
#include <string.h>

#define ASK_MOST 16 /* pairs of two places, in a window */
#define FOUND UINT64_MAX

/* ---- edges -------------------------------------------------------------------------------- */

static void list_edges(struct misuse_ask *q)
{
	order_sources_make(&q->sources, q->model);
	q->is_life = mem_zalloc(q->model->edges.count + 1, sizeof *q->is_life);
	for (size_t i = 0; i < q->window->life_edges.count; i++) {
		assert(q->window->life_edges.items[i] < q->model->edges.count);
		q->is_life[q->window->life_edges.items[i]] = true;
	}
}

static uint32_t creation_of(const struct misuse_ask *q, uint32_t node)
{
	return q->window->threads.items[q->model->thread.items[node]].create;
}

/* `at`: a position in sources. */
static bool binds(const struct misuse_ask *q, struct misuse_next next, uint32_t at)
{
	uint32_t from = q->sources.from[at];

	switch (next.free) {
	case MISUSE_BOUND: return true;
	case MISUSE_NO_LIVES: return !q->is_life[q->sources.edge[at]];
	case MISUSE_NOT_FROM: return from != next.from;
	case MISUSE_NOT_THREAD:
		return q->model->thread.items[from] != next.from ||
		       from == creation_of(q, next.node);
	}
	return true;
}

void misuse_ask_open(struct misuse_ask *q, struct analysis *analysis)
{
	*q = (struct misuse_ask){ .analysis = analysis,
				  .window = analysis->window,
				  .model = &analysis->window->model };
	q->required = mem_zalloc(q->model->thread_count + 1, sizeof *q->required);
	list_edges(q);
}

void misuse_ask_close(struct misuse_ask *q)
{
	for (size_t i = 0; q->asked.slots && i <= q->asked.mask; i++) {
		if (q->asked.slots[i].key && q->asked.slots[i].value != FOUND)
			analysis_count_failures(q->analysis, q->asked.slots[i].key,
						q->asked.slots[i].value);
	}
	if (q->has_needs)
		must_precede_free(&q->needs);
	order_query_free(&q->query);
	map_free(&q->asked);
	free(q->required);
	free(q->is_life);
	order_sources_free(&q->sources);
}

/* ---- what follows ------------------------------------------------------------------------- */

/* Is `a` this node, or must it be inside when this node is? */
static bool leans_on(struct misuse_ask *q, uint32_t node, uint32_t a)
{
	const struct order_model *model = q->model;

	if (node == a || order_clock_before(q->analysis->clock, model, a, node))
		return true;
	if (!q->has_needs) {
		must_precede_make(&q->needs, q->window, q->analysis->clock);
		q->has_needs = true;
	}
	return q->needs.count[(size_t)node * model->thread_count + model->thread.items[a]] >
	       model->position.items[a];
}

bool misuse_ask_pulls(struct misuse_ask *q, struct misuse_next next, uint32_t a)
{
	uint32_t previous = order_model_previous(q->model, next.node);
	const uint32_t *start = q->sources.start;

	if (previous != ORDER_NONE && leans_on(q, previous, a))
		return true;
	for (uint32_t i = start[next.node]; i < start[next.node + 1]; i++) {
		if (binds(q, next, i) && leans_on(q, q->sources.from[i], a))
			return true;
	}
	return false;
}

/* ---- the question ------------------------------------------------------------------------- */

static void say(struct misuse_ask *q, uint32_t a, uint32_t b)
{
	int32_t literal = order_query_before(&q->query, a, b);

	order_query_clause(&q->query, &literal, 1);
}

static void need(struct misuse_ask *q, uint32_t node, uint32_t more)
{
	uint32_t *required = &q->required[q->model->thread.items[node]];
	uint32_t count = q->model->position.items[node] + more;

	if (*required < count)
		*required = count;
}

void misuse_ask_next(struct misuse_ask *q, struct misuse_next next)
{
	const uint32_t *start = q->sources.start;

	order_query_clear(&q->query);
	memset(q->required, 0, q->model->thread_count * sizeof *q->required);
	order_query_next(&q->query, q->model, next.node);
	need(q, next.node, 0);
	for (uint32_t i = start[next.node]; i < start[next.node + 1]; i++) {
		if (binds(q, next, i))
			misuse_ask_inside(q, q->sources.from[i]);
	}
}

void misuse_ask_inside(struct misuse_ask *q, uint32_t node)
{
	say(q, node, ORDER_CUT);
	need(q, node, 1);
}

void misuse_ask_outside(struct misuse_ask *q, uint32_t node)
{
	if (node != ORDER_NONE)
		say(q, ORDER_CUT, node);
}

/* ---- answers ------------------------------------------------------------------------------ */

uint64_t misuse_ask_key(const struct misuse_ask *q, enum event_misuse misuse, uint32_t a,
			uint32_t b)
{
	uint64_t sites[3] = { q->window->nodes.items[a].site, misuse, 0 };

	if (b != ORDER_NONE)
		sites[2] = q->window->nodes.items[b].site;
	/* The sort is no site: far from any of them. */
	sites[1] |= 1ull << 62;
	return analysis_key(FINDING_MISUSE, sites, b != ORDER_NONE ? 3 : 2);
}

bool misuse_ask_wanted(struct misuse_ask *q, uint64_t key)
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

void misuse_ask_now(struct misuse_ask *q, enum event_misuse misuse, uint32_t a, uint32_t b,
		    uint64_t key, bool observed)
{
	uint64_t *asked = map_put(&q->asked, key, NULL);
	struct order_solution solution;
	struct analysis_claim *claim;

	if (analysis_ask(q->analysis, &q->query, &solution) != ORDER_POSSIBLE) {
		++*asked;
		return;
	}
	*asked = FOUND;
	/* That nothing wakes a wait may be because others are there to be woken: they stay. */
	claim = analysis_add_claim(q->analysis, &solution,
				   q->query.deaf.count ? NULL : q->required);
	claim->kind = FINDING_MISUSE;
	claim->claim = CHECKER_MISUSE;
	claim->misuse = misuse;
	claim->status = observed ? FINDING_OBSERVED : FINDING_PREDICTED;
	claim->key = key;
	*vec_push(&claim->events) = a;
	*vec_push(&claim->events) = b;
}
