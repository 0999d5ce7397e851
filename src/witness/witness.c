/*
 * Makes a readable schedule in three steps: find the nodes that are needed (needed_steps.h), find
 * out which operations depend on each other (operations.h), and reorder by list scheduling.
 */
#include "witness/witness.h"

#include "base/mem.h"
#include "witness/needed_steps.h"
#include "witness/operations.h"

#include <assert.h>
#include <string.h>

/* At most this many threads are tried as the first one. The schedule with fewest slices is used. */
#define STARTS_MAX 8

/* List scheduling: a thread runs as long as it can. */
struct witness_scheduler {
	const struct order_model *model;
	const struct operations *ops;
	const uint32_t *need;
	uint32_t *next; /* for each thread: position of its next node */
	uint32_t *done; /* for each object: number of operations so far */
};

static uint32_t next_rank(const struct witness_scheduler *s, uint32_t thread)
{
	uint32_t at = s->model->thread_start.items[thread] + s->next[thread];

	if (s->next[thread] == s->need[thread])
		return ORDER_NONE;
	return s->ops->rank[s->model->thread_nodes.items[at]];
}

static bool is_ready(const struct witness_scheduler *s, uint32_t rank)
{
	for (uint32_t i = s->ops->start[rank]; i < s->ops->start[rank + 1]; i++) {
		if (s->done[s->ops->items[i].object] < s->ops->items[i].before)
			return false;
	}
	return true;
}

static void run_thread(struct witness_scheduler *s, uint32_t thread, witness_nodes *out)
{
	uint32_t rank;

	while ((rank = next_rank(s, thread)) != ORDER_NONE && is_ready(s, rank)) {
		uint32_t at = s->model->thread_start.items[thread] + s->next[thread]++;

		*vec_push(out) = s->model->thread_nodes.items[at];
		for (uint32_t i = s->ops->start[rank]; i < s->ops->start[rank + 1]; i++)
			s->done[s->ops->items[i].object]++;
	}
}

/* The thread whose next node comes first in the solution can always continue. */
static uint32_t earliest_thread(const struct witness_scheduler *s)
{
	uint32_t best = ORDER_NONE, rank = ORDER_NONE;

	for (uint32_t t = 0; t < s->model->thread_count; t++) {
		if (next_rank(s, t) < rank) {
			rank = next_rank(s, t);
			best = t;
		}
	}
	return best;
}

/* Returns the number of slices, that is, of consecutive steps of one thread. */
static uint32_t schedule(struct witness_scheduler *s, uint32_t thread, witness_nodes *out)
{
	uint32_t slices = 0;
	size_t before;

	memset(s->next, 0, s->model->thread_count * sizeof *s->next);
	memset(s->done, 0, s->ops->objects * sizeof *s->done);
	out->count = 0;
	while (thread != ORDER_NONE) {
		before = out->count;
		run_thread(s, thread, out);
		assert(out->count > before);
		slices++;
		thread = earliest_thread(s);
	}
	return slices;
}

static void schedule_best(struct witness_scheduler *s, witness_nodes *out)
{
	witness_nodes other = { 0 }, kept;
	uint32_t fewest = schedule(s, earliest_thread(s), out), tried = 0;

	for (uint32_t t = 0; t < s->model->thread_count && tried < STARTS_MAX; t++) {
		uint32_t slices;

		memset(s->next, 0, s->model->thread_count * sizeof *s->next);
		memset(s->done, 0, s->ops->objects * sizeof *s->done);
		if (next_rank(s, t) == ORDER_NONE || !is_ready(s, next_rank(s, t)))
			continue;
		tried++;
		slices = schedule(s, t, &other);
		if (slices >= fewest)
			continue;
		fewest = slices;
		kept = other;
		other = *out;
		*out = kept;
	}
	vec_free(&other);
}

static uint32_t *nodes_inside(const struct order_model *model,
			      const struct order_solution *solution)
{
	uint32_t *count = mem_zalloc(model->thread_count + 1, sizeof *count);

	for (uint32_t i = 0; i < solution->count; i++)
		count[model->thread.items[solution->inside[i]]]++;
	return count;
}

void witness_make(const struct order_model *model, const struct order_solution *solution,
		  const uint32_t *required, const uint32_t *fixed, uint32_t fixed_count,
		  witness_nodes *out)
{
	uint32_t *need = nodes_inside(model, solution);
	struct operations ops;
	struct witness_scheduler s = { .model = model, .ops = &ops, .need = need };

	operations_make(&ops, model, solution, fixed, fixed_count);
	if (required) {
		for (uint32_t t = 0; t < model->thread_count; t++) {
			assert(required[t] <= need[t]);
			need[t] = required[t];
		}
		needed_steps_close(model, solution, &ops, need);
	}
	operations_arrange(&ops, model, solution, need);
	s.next = mem_zalloc(model->thread_count + 1, sizeof *s.next);
	s.done = mem_zalloc(ops.objects + 1, sizeof *s.done);
	schedule_best(&s, out);
	free(s.next);
	free(s.done);
	operations_free(&ops);
	free(need);
}
