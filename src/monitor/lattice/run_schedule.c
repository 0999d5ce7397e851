/*
 * Turns a run of a computation into a schedule of the trace. Each step of the run adds a batch of
 * operations, in recorded order: those that the step needs, its own, and those that a schedule with
 * them must also contain (`bonds` in project.h).
 */
#include "monitor/computation/project.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct run_scheduler {
	const struct message_pool *pool;
	const struct project *project;
	/* by column of the operations: how many are scheduled, and how many must be */
	uint32_t *done, *wanted;
	computation_schedule *out;
	VEC(uint32_t) batch;
};

static void want_past_of(struct run_scheduler *s, uint32_t op)
{
	const struct message_pool_entry *entry = &s->pool->entries.items[s->pool->entry_of[op] - 1];

	for (uint32_t c = 0; c < s->pool->ops->columns; c++) {
		if (s->wanted[c] < entry->past[c])
			s->wanted[c] = entry->past[c];
	}
}

static void want_bonded(struct run_scheduler *s, uint32_t op)
{
	const struct project_bond *bonds = s->project->bonds.items;
	size_t count = s->project->bonds.count, i;

	SEARCH_FIRST(i, count, bonds[i].op >= op);
	for (; i < count && bonds[i].op == op; i++)
		want_past_of(s, bonds[i].with);
}

/* Adds the wanted operations that are not scheduled yet to the batch, with those bonded to them. */
static void collect_batch(struct run_scheduler *s)
{
	for (bool more = true; more;) {
		more = false;
		for (uint32_t c = 0; c < s->pool->ops->columns; c++) {
			for (; s->done[c] < s->wanted[c]; s->done[c]++) {
				uint32_t op = s->pool->column_ops[c].items[s->done[c]];

				*vec_push(&s->batch) = op;
				want_bonded(s, op);
				more = true;
			}
		}
	}
}

/*
 * Appends a step. Extends the last step instead if that is of the same stream and no message
 * belongs to its event; requests always have steps of their own.
 */
static void append_schedule_step(struct run_scheduler *s, const struct run_op *op, uint32_t message)
{
	computation_schedule *out = s->out;
	struct computation_step *last = out->count ? &out->items[out->count - 1] : NULL;
	bool before = op->flags & RUN_OP_BEFORE;

	if (before && message == UINT32_MAX)
		return; /* a request that is not part of this computation */
	if (last && !last->before && !before && last->message == UINT32_MAX &&
	    last->id.stream == op->id.stream) {
		last->id = op->id;
		last->message = message;
		return;
	}
	*vec_push(out) = (struct computation_step){ op->id, message, before };
}

static void schedule_message(struct run_scheduler *s, const struct message *message,
			     uint32_t number)
{
	const uint32_t *parts = s->project->ops[number];

	s->batch.count = 0;
	for (uint32_t i = 0; i < message->part_count; i++)
		want_past_of(s, parts[i]);
	collect_batch(s);
	vec_sort(&s->batch, sort_u32);
	for (size_t i = 0; i < s->batch.count; i++) {
		uint32_t op = s->batch.items[i];

		append_schedule_step(s, &s->pool->ops->list.items[op],
				     op == parts[message->anchor] ? number : UINT32_MAX);
	}
}

uint32_t computation_message(const struct computation *computation, uint32_t column,
			     uint32_t position)
{
	const struct project *project = computation->owned;
	uint32_t at = project->first[column] + position;

	assert(column < computation->columns && at < project->first[column + 1]);
	return project->by_column[at];
}

void computation_find_messages(const struct computation *computation, const uint32_t *columns,
			       size_t count, computation_messages *out)
{
	uint32_t *taken = mem_zalloc((size_t)computation->columns + 1, sizeof *taken);

	for (size_t i = 0; i < count; i++)
		*vec_push(out) = computation_message(computation, columns[i], taken[columns[i]]++);
	free(taken);
}

void computation_schedule_run(const struct computation *computation, const uint32_t *columns,
			      size_t count, computation_schedule *out)
{
	const struct project *project = computation->owned;
	size_t width = (size_t)project->pool->ops->columns + 1;
	struct run_scheduler s = { .pool = project->pool, .project = project, .out = out };
	computation_messages messages = { 0 };

	computation_find_messages(computation, columns, count, &messages);
	s.done = mem_zalloc(width, sizeof *s.done);
	s.wanted = mem_zalloc(width, sizeof *s.wanted);
	for (size_t i = 0; i < count; i++)
		schedule_message(&s, &computation->messages.items[messages.items[i]],
				 messages.items[i]);
	free(s.done);
	free(s.wanted);
	vec_free(&s.batch);
	vec_free(&messages);
}
