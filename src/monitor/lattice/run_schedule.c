/*
 * Turns a run of a computation into a schedule of the trace. Before each step come the operations
 * that it needs, in the recorded order. An operation that was merged into another step (a release
 * that moved) comes right after that step.
 */
#include "monitor/computation/project.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct run_schedule_scheduler {
	const struct message_pool *pool;
	const struct project *project;
	uint32_t *done, *wanted; /* by column of the operations: how many */
	computation_schedule *out;
	VEC(uint32_t) batch;
};

static void want(struct run_schedule_scheduler *s, uint32_t act)
{
	const struct message_pool_entry *entry =
		&s->pool->entries.items[s->pool->entry_of[act] - 1];

	for (uint32_t c = 0; c < s->pool->acts->columns; c++) {
		if (s->wanted[c] < entry->past[c])
			s->wanted[c] = entry->past[c];
	}
}

static void want_bonds(struct run_schedule_scheduler *s, uint32_t act)
{
	size_t low = 0, high = s->project->bonds.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->project->bonds.items[middle].act < act)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < s->project->bonds.count && s->project->bonds.items[low].act == act; low++)
		want(s, s->project->bonds.items[low].with);
}

/* Adds the wanted operations that are new to the batch, with those bonded to them. */
static void collect(struct run_schedule_scheduler *s)
{
	for (bool more = true; more;) {
		more = false;
		for (uint32_t c = 0; c < s->pool->acts->columns; c++) {
			for (; s->done[c] < s->wanted[c]; s->done[c]++) {
				uint32_t act = s->pool->run_ops_of[c][s->done[c]];

				*vec_push(&s->batch) = act;
				want_bonds(s, act);
				more = true;
			}
		}
	}
}

static int compare_acts(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/*
 * Appends a step. Consecutive events of one stream become one step, unless a message belongs to the
 * event between.
 */
static void emit(struct run_schedule_scheduler *s, const struct run_op *act, uint32_t message)
{
	computation_schedule *out = s->out;
	struct computation_step *last = out->count ? &out->items[out->count - 1] : NULL;
	bool before = act->flags & RUN_OP_BEFORE;

	if (before && message == UINT32_MAX)
		return; /* a request that is not part of this computation */
	if (last && !last->before && !before && last->message == UINT32_MAX &&
	    last->id.stream == act->id.stream) {
		last->id = act->id;
		last->message = message;
		return;
	}
	*vec_push(out) = (struct computation_step){ act->id, message, before };
}

static void schedule(struct run_schedule_scheduler *s, const struct message *message,
		     uint32_t number)
{
	const uint32_t *parts = s->project->acts[number];

	s->batch.count = 0;
	for (uint32_t i = 0; i < message->part_count; i++)
		want(s, parts[i]);
	collect(s);
	qsort(s->batch.items, s->batch.count, sizeof *s->batch.items, compare_acts);
	for (size_t i = 0; i < s->batch.count; i++) {
		uint32_t act = s->batch.items[i];

		emit(s, &s->pool->acts->list.items[act],
		     act == parts[message->anchor] ? number : UINT32_MAX);
	}
}

void computation_schedule_run(const struct computation *computation, const uint32_t *columns,
			      size_t count, computation_schedule *out)
{
	const struct project *project = computation->owned;
	size_t width = (size_t)project->pool->acts->columns + 1;
	struct run_schedule_scheduler s = { .pool = project->pool, .project = project, .out = out };
	uint32_t *taken = mem_zalloc((size_t)computation->columns + 1, sizeof *taken);

	s.done = mem_zalloc(width, sizeof *s.done);
	s.wanted = mem_zalloc(width, sizeof *s.wanted);
	for (size_t i = 0; i < count; i++) {
		uint32_t column = columns[i];
		uint32_t at = project->first[column] + taken[column]++;

		assert(column < computation->columns && at < project->first[column + 1]);
		schedule(&s, &computation->messages.items[project->by_column[at]],
			 project->by_column[at]);
	}
	free(taken);
	free(s.done);
	free(s.wanted);
	vec_free(&s.batch);
}
