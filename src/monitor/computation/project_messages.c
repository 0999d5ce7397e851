/* Writes the remaining steps of a projection as messages, and the index that schedules need. */
#include "monitor/computation/projection.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

/* ---- filling a message ----------------------------------------------------------------------- */

struct member_sum {
	struct message_member member;
	uint32_t count;
	bool opens, closes;
};

static void add_to_sums(struct member_sum *sums, uint32_t *count,
			const struct message_pool_member *m)
{
	uint32_t i = 0;

	while (i < *count && sums[i].member.set != m->set)
		i++;
	if (i == *count)
		sums[(*count)++] = (struct member_sum){ .member = { .object = m->object,
								    .set = m->set,
								    .lock = m->lock,
								    .shared = m->shared } };
	sums[i].count++;
	sums[i].opens |= m->role == RUN_OP_OPENS;
	sums[i].closes |= m->role == RUN_OP_CLOSES;
}

static enum message_role role_of(const struct projection *p, const struct member_sum *sum)
{
	if (sum->member.lock ? sum->opens && sum->closes
			     : sum->count == p->pool->set_sizes[sum->member.set])
		return MESSAGE_PASSES;
	return sum->opens ? MESSAGE_OPENS : sum->closes ? MESSAGE_CLOSES : MESSAGE_JOINS;
}

static void fill_members(struct projection *p, const struct projection_step *step,
			 struct message *message)
{
	uint32_t room = 0, count = 0;
	struct message_member *members;
	struct member_sum *sums;

	for (uint32_t e = step->head; e != PROJECTION_NONE; e = p->next[e])
		room += p->pool->entries.items[e].member_count;
	if (!room)
		return;
	sums = mem_zalloc(room, sizeof *sums);
	PROJECTION_EACH_MEMBER(p, step, e, m)
	{
		if (!p->dead[m->object])
			add_to_sums(sums, &count, m);
	}
	members = arena_alloc(&p->project->arena, count * sizeof *members + 1);
	for (uint32_t i = 0; i < count; i++) {
		members[i] = sums[i].member;
		members[i].role = (uint8_t)role_of(p, &sums[i]);
	}
	free(sums);
	message->members = members;
	message->member_count = count;
}

static const struct message_need *fill_needs(struct projection *p, uint32_t rep,
					     const uint32_t *columns, uint32_t *count)
{
	const uint32_t *clock = projection_clock(p, rep);
	uint32_t own = p->pool->entries.items[rep].column;
	struct message_need *to;

	*count = 0;
	for (uint32_t c = 0; c < p->columns; c++)
		*count += c != own && projection_steps(p, c, clock[c]);
	to = arena_alloc(&p->project->arena, *count * sizeof *to + 1);
	*count = 0;
	for (uint32_t c = 0; c < p->columns; c++) {
		uint32_t steps = c == own ? 0 : projection_steps(p, c, clock[c]);

		if (steps)
			to[(*count)++] = (struct message_need){ columns[c], steps };
	}
	return to;
}

static const struct message_need *fill_fences(struct projection *p,
					      const struct message_pool_entry *entry,
					      const uint32_t *columns, uint32_t *count)
{
	struct message_need *to =
		arena_alloc(&p->project->arena, entry->fence_count * sizeof *to + 1);

	*count = 0;
	for (uint32_t i = 0; i < entry->fence_count; i++) {
		uint32_t column = entry->fences[i].column;
		uint32_t steps = projection_steps(p, column, entry->fences[i].count);

		if (steps)
			to[(*count)++] = (struct message_need){ columns[column], steps };
	}
	return to;
}

static const uint32_t *fill_parts(struct projection *p, const struct projection_step *step,
				  struct message *message)
{
	struct event_id *parts;
	uint32_t *ops, n = 0;

	for (uint32_t e = step->head; e != PROJECTION_NONE; e = p->next[e])
		n++;
	parts = arena_alloc(&p->project->arena, n * sizeof *parts);
	ops = arena_alloc(&p->project->arena, n * sizeof *ops);
	message->parts = parts;
	message->part_count = n;
	n = 0;
	for (uint32_t e = step->head; e != PROJECTION_NONE; e = p->next[e], n++) {
		ops[n] = p->pool->entries.items[e].op;
		parts[n] = p->pool->ops->list.items[ops[n]].id;
		if (e == step->rep)
			message->anchor = n;
	}
	message->before = projection_is_request(p, step);
	return ops;
}

/* Returns, by old column, the new number of each column that has messages. */
static uint32_t *number_columns(const struct projection *p, uint32_t *count)
{
	uint32_t *columns = mem_zalloc((size_t)p->columns + 1, sizeof *columns);

	*count = 0;
	for (uint32_t c = 0; c < p->columns; c++) {
		columns[c] = *count;
		*count += p->by_column[c].steps.count > 0;
	}
	return columns;
}

/* Writes messages in the recorded order of their reps, which is the order of the entries. */
static void write_messages(struct projection *p, struct computation *out)
{
	struct project *project = p->project;
	uint32_t *columns = number_columns(p, &out->columns);
	uint32_t *taken = mem_zalloc((size_t)p->columns + 1, sizeof *taken);
	size_t total = 0;

	for (uint32_t c = 0; c < p->columns; c++)
		total += p->by_column[c].steps.count;
	project->ops = arena_alloc(&project->arena, (total + 1) * sizeof *project->ops);
	for (uint32_t e = 0; e < p->pool->entries.count; e++) {
		const struct message_pool_entry *entry = &p->pool->entries.items[e];
		struct projection_column *in = &p->by_column[entry->column];
		const struct projection_step *step = &in->steps.items[taken[entry->column]];
		struct message message = { .label = p->labels[e] };

		if (taken[entry->column] == in->steps.count || step->rep != e)
			continue;
		message.column = columns[entry->column];
		message.position = taken[entry->column]++;
		message.needs = fill_needs(p, e, columns, &message.need_count);
		message.fences = fill_fences(p, entry, columns, &message.fence_count);
		fill_members(p, step, &message);
		project->ops[out->messages.count] = fill_parts(p, step, &message);
		out->silent += message.label == LABEL_SILENT;
		*vec_push(&out->messages) = message;
	}
	assert(out->messages.count == total);
	free(taken);
	free(columns);
}

static void index_columns(struct project *project, const struct computation *out)
{
	project->first = mem_zalloc((size_t)out->columns + 2, sizeof *project->first);
	project->by_column = mem_zalloc(out->messages.count + 1, sizeof *project->by_column);
	for (size_t i = 0; i < out->messages.count; i++)
		project->first[out->messages.items[i].column + 1]++;
	for (uint32_t c = 0; c < out->columns; c++)
		project->first[c + 1] += project->first[c];
	for (uint32_t i = 0; i < out->messages.count; i++) {
		const struct message *message = &out->messages.items[i];

		project->by_column[project->first[message->column] + message->position] = i;
	}
}

SORT_COMPARISON(by_op, struct project_bond, a, b, sort_order(a->op, b->op))

void projection_write(struct projection *p, struct computation *out)
{
	write_messages(p, out);
	index_columns(p->project, out);
	vec_sort(&p->project->bonds, by_op);
}
