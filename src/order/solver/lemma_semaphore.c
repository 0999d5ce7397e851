/*
 * Lemmas about semaphores. For a down d that finds no token after the posts P and the downs D:
 *
 *	d is outside, or some post not in P comes before d, or d comes before one of D'
 *
 * Here D' is any subset of D with as many downs as there were tokens. The mirror image is a failed
 * try that finds a token, or the cut if the semaphore must be empty there and is not: some down not
 * in D comes before it, or it comes before one of P'. Here P' is any subset of P that, together
 * with the initial tokens, has one token more than the downs D take.
 *
 * Of one thread's nodes that could come before d, only the first matters. Of those that d could
 * come before, only the last matters. So each clause has at most two literals for each thread.
 */
#include "order/solver/lemma.h"

#include <assert.h>

/* Adds "one of the `nodes` that are not before `node` in the current order comes before it". */
static void add_first_missing(struct lemma *l, const uint32_t *nodes, uint32_t count, uint32_t node)
{
	const struct order_model *m = l->index->model;

	for (uint32_t t = 0; t < m->thread_count; t++)
		l->latest[t] = ORDER_NONE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *first = &l->latest[m->thread.items[nodes[i]]];

		if (nodes[i] == node || topo_order_before(l->total, nodes[i], node))
			continue;
		if (*first == ORDER_NONE || m->position.items[nodes[i]] < m->position.items[*first])
			*first = nodes[i];
	}
	for (uint32_t t = 0; t < m->thread_count; t++)
		if (l->latest[t] != ORDER_NONE)
			lemma_add_literal(l, lemma_before(l, l->latest[t], node));
	l->cdcl->steps += count;
}

/*
 * Adds "`node` comes before one of them" for a set of `needed` nodes that are before it in the
 * current order. The set has first the nodes that are certainly before `node`, for which no literal
 * is needed, then the first of the others in the list.
 */
static void add_last_present(struct lemma *l, const uint32_t *nodes, uint32_t count, uint32_t node,
			     uint64_t needed)
{
	const struct order_model *m = l->index->model;

	for (uint32_t t = 0; t < m->thread_count; t++)
		l->latest[t] = ORDER_NONE;
	for (uint32_t i = 0; i < count && needed; i++)
		needed -= closure_before(l->closure, nodes[i], node);
	for (uint32_t i = 0; i < count && needed; i++) {
		uint32_t *last = &l->latest[m->thread.items[nodes[i]]];

		if (nodes[i] == node || !topo_order_before(l->total, nodes[i], node) ||
		    closure_before(l->closure, nodes[i], node))
			continue;
		needed--;
		if (*last == ORDER_NONE || m->position.items[nodes[i]] > m->position.items[*last])
			*last = nodes[i];
	}
	assert(needed == 0);
	for (uint32_t t = 0; t < m->thread_count; t++)
		if (l->latest[t] != ORDER_NONE)
			lemma_add_literal(l, lemma_before(l, node, l->latest[t]));
	l->cdcl->steps += count;
}

void lemma_add_down(struct lemma *l, uint32_t semaphore, uint32_t node)
{
	const struct order_model *m = l->index->model;
	const struct order_semaphore *s = &m->semaphores.items[semaphore];

	lemma_begin_clause(l);
	lemma_add_literal(l, lemma_before(l, l->total->cut, node));
	add_first_missing(l, m->posts.items + s->post_start, s->post_count, node);
	add_last_present(l, m->downs.items + s->down_start, s->down_count, node,
			 s->initial + l->semaphores[semaphore].posts);
	lemma_end_clause(l);
}

void lemma_add_zero(struct lemma *l, uint32_t semaphore, uint32_t node, int32_t guard)
{
	const struct order_model *m = l->index->model;
	const struct order_semaphore *s = &m->semaphores.items[semaphore];
	uint64_t downs = l->semaphores[semaphore].downs;

	lemma_begin_clause(l);
	lemma_add_literal(l, guard);
	add_first_missing(l, m->downs.items + s->down_start, s->down_count, node);
	add_last_present(l, m->posts.items + s->post_start, s->post_count, node,
			 downs + 1 > s->initial ? downs + 1 - s->initial : 0);
	lemma_end_clause(l);
}
