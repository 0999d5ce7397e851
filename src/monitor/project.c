#include "monitor/project.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* Entries of one column that happen together. */
struct step {
	uint32_t rep;	     /* when they happen: the others have moved to it */
	uint32_t head, tail; /* entries, by `next` */
};
struct lane {
	VEC(struct step) steps;
	uint32_t *before;      /* by position of an entry: steps whose rep is in front of it */
	uint8_t *needed_alone; /* by step: somebody needs it, and not the one behind it */
};

struct projection {
	const struct pool *pool;
	const uint32_t *labels;
	uint32_t columns;
	struct lane *lanes;
	uint32_t *next;	   /* by entry: the next of its step, NONE */
	uint32_t *step_of; /* by entry: which step, over all columns; NONE: dropped */
	uint8_t *dead;	   /* by object: decides nothing */
	struct project *project;
};

static bool is_silent(const struct projection *p, const struct step *step)
{
	return p->labels[step->rep] == LABEL_SILENT;
}

static bool is_request(const struct projection *p, const struct step *step)
{
	return p->pool->acts->list.items[p->pool->entries.items[step->rep].act].flags & ACT_BEFORE;
}

/* ---- what leaves ------------------------------------------------------------------------------ */

static bool has_members(const struct projection *p, const struct step *step)
{
	for (uint32_t e = step->head; e != NONE; e = p->next[e]) {
		const struct pool_entry *entry = &p->pool->entries.items[e];

		for (uint32_t i = 0; i < entry->member_count; i++) {
			if (!p->dead[p->pool->members.items[entry->members + i].object])
				return true;
		}
	}
	return false;
}

/* It leaves, but what had become one with it still does not come apart in a schedule. */
static void keep_glue(struct projection *p, const struct step *step)
{
	for (uint32_t e = step->rep; p->next[e] != NONE; e = p->next[e])
		*map_put(&p->project->glue, p->pool->entries.items[e].act, NULL) =
			p->pool->entries.items[p->next[e]].act + 1ull;
}

static void sweep(struct projection *p)
{
	for (uint32_t c = 0; c < p->columns; c++) {
		struct lane *lane = &p->lanes[c];
		size_t kept = 0;

		for (size_t i = 0; i < lane->steps.count; i++) {
			struct step step = lane->steps.items[i];

			if (!is_silent(p, &step) || has_members(p, &step))
				lane->steps.items[kept++] = step;
			else
				keep_glue(p, &step);
		}
		lane->steps.count = kept;
	}
}

/* ---- numbers ---------------------------------------------------------------------------------- */

static void number(struct projection *p)
{
	for (uint32_t c = 0; c < p->columns; c++) {
		struct lane *lane = &p->lanes[c];
		size_t k = 0;

		for (uint32_t at = 0; at <= p->pool->column_entries[c]; at++) {
			while (k < lane->steps.count &&
			       p->pool->entries.items[lane->steps.items[k].rep].position < at)
				k++;
			lane->before[at] = (uint32_t)k;
		}
	}
}

static uint32_t steps_needed(const struct projection *p, const struct message_need *need)
{
	return p->lanes[need->column].before[need->count];
}

static void mark_needed(struct projection *p)
{
	for (uint32_t c = 0; c < p->columns; c++)
		memset(p->lanes[c].needed_alone, 0, p->lanes[c].steps.count);
	for (uint32_t c = 0; c < p->columns; c++) {
		for (size_t i = 0; i < p->lanes[c].steps.count; i++) {
			const struct pool_entry *entry =
				&p->pool->entries.items[p->lanes[c].steps.items[i].rep];

			for (uint32_t k = 0; k < entry->need_count; k++) {
				uint32_t count = steps_needed(p, &entry->needs[k]);

				if (count)
					p->lanes[entry->needs[k].column].needed_alone[count - 1] =
						1;
			}
		}
	}
}

/* ---- what moves ------------------------------------------------------------------------------- */

/* Behind its place: what opens a set that goes on, and reads inside of a set of one thread. */
static bool member_moves_right(const struct pool *pool, const struct pool_member *m)
{
	switch (m->role) {
	case ACT_OPENS: return m->lock || pool->set_sizes[m->set] > 1;
	case ACT_JOINS: return !m->lock && pool->set_column[m->set] != POOL_MANY && !m->last;
	}
	return false;
}

static bool member_moves_left(const struct pool *pool, const struct pool_member *m)
{
	switch (m->role) {
	case ACT_CLOSES: return true;
	case ACT_JOINS: return !m->lock && pool->set_column[m->set] != POOL_MANY;
	}
	return false;
}

static bool moves(const struct projection *p, const struct step *step,
		  bool (*member_moves)(const struct pool *pool, const struct pool_member *m))
{
	if (!is_silent(p, step))
		return false;
	for (uint32_t e = step->head; e != NONE; e = p->next[e]) {
		const struct pool_entry *entry = &p->pool->entries.items[e];

		for (uint32_t i = 0; i < entry->member_count; i++) {
			const struct pool_member *m = &p->pool->members.items[entry->members + i];

			if (!p->dead[m->object] && !member_moves(p->pool, m))
				return false;
		}
	}
	return true;
}

/* Does `later`, of the same column, need no more steps of others? */
static bool needs_no_more(const struct projection *p, const struct step *later,
			  const struct step *earlier)
{
	const struct pool_entry *a = &p->pool->entries.items[earlier->rep];
	const struct pool_entry *b = &p->pool->entries.items[later->rep];
	uint32_t k = 0;

	for (uint32_t i = 0; i < b->need_count; i++) {
		uint32_t had = 0;

		while (k < a->need_count && a->needs[k].column < b->needs[i].column)
			k++;
		if (k < a->need_count && a->needs[k].column == b->needs[i].column)
			had = steps_needed(p, &a->needs[k]);
		if (steps_needed(p, &b->needs[i]) != had)
			return false;
	}
	return true;
}

static void append(struct projection *p, struct step *to, const struct step *from)
{
	p->next[to->tail] = from->head;
	to->tail = from->tail;
}

/*
 * An acquire moves right to the next step unless somebody needs it without that one; a release moves
 * left to the step before it if it needs no more (Lipton). `needed_alone` is by the numbers from
 * before the merge, so each step that is left remembers its own.
 */
static void merge_column(struct projection *p, struct lane *lane)
{
	size_t kept = 0;
	uint32_t last = 0; /* number of the step whose rep the last one kept has */

	for (uint32_t i = 0; i < lane->steps.count; i++) {
		struct step step = lane->steps.items[i];
		struct step *top = kept ? &lane->steps.items[kept - 1] : NULL;

		if (top && !is_request(p, top) && moves(p, &step, member_moves_left) &&
		    needs_no_more(p, &step, top)) {
			append(p, top, &step);
			continue;
		}
		if (top && !is_request(p, &step) && !lane->needed_alone[last] &&
		    moves(p, top, member_moves_right)) {
			append(p, top, &step);
			top->rep = step.rep;
		} else {
			lane->steps.items[kept++] = step;
		}
		last = i;
	}
	lane->steps.count = kept;
}

/* ---- what decides nothing any more ---------------------------------------------------------------- */

static void place_entries(struct projection *p)
{
	uint32_t number = 0;

	for (size_t e = 0; e < p->pool->entries.count; e++)
		p->step_of[e] = NONE;
	for (uint32_t c = 0; c < p->columns; c++) {
		for (size_t i = 0; i < p->lanes[c].steps.count; i++, number++) {
			for (uint32_t e = p->lanes[c].steps.items[i].head; e != NONE;
			     e = p->next[e])
				p->step_of[e] = number;
		}
	}
}

/* An object all whose sets have become single steps decides nothing. */
static bool bury(struct projection *p)
{
	const struct pool *pool = p->pool;
	uint32_t *step_of_set = mem_alloc(((size_t)pool->acts->sets + 1) * sizeof *step_of_set);
	uint8_t *lives = mem_zalloc(pool->acts->objects.count + 1, 1);
	bool found = false;

	place_entries(p);
	memset(step_of_set, 0xff, ((size_t)pool->acts->sets + 1) * sizeof *step_of_set);
	for (size_t e = 0; e < pool->entries.count; e++) {
		const struct pool_entry *entry = &pool->entries.items[e];

		for (uint32_t i = 0; i < entry->member_count; i++) {
			const struct pool_member *m = &pool->members.items[entry->members + i];

			if (step_of_set[m->set] == NONE)
				step_of_set[m->set] = p->step_of[e];
			if (step_of_set[m->set] != p->step_of[e] || !pool->set_closes[m->set])
				lives[m->object] = 1;
		}
	}
	for (size_t o = 0; o < pool->acts->objects.count; o++) {
		if (pool->object_seen[o] && !p->dead[o] && !lives[o]) {
			p->dead[o] = 1;
			found = true;
		}
	}
	free(step_of_set);
	free(lives);
	return found;
}

/* ---- messages --------------------------------------------------------------------------------- */

struct member_sum {
	struct message_member member;
	uint32_t count;
	bool opens, closes;
};

static void add_member(struct member_sum *sums, uint32_t *count, const struct pool_member *m)
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
	sums[i].opens |= m->role == ACT_OPENS;
	sums[i].closes |= m->role == ACT_CLOSES;
}

static enum message_role role_of(const struct projection *p, const struct member_sum *sum)
{
	if (sum->member.lock ? sum->opens && sum->closes
			     : sum->count == p->pool->set_sizes[sum->member.set])
		return MESSAGE_PASSES;
	return sum->opens ? MESSAGE_OPENS : sum->closes ? MESSAGE_CLOSES : MESSAGE_JOINS;
}

static void fill_members(struct projection *p, const struct step *step, struct message *message)
{
	uint32_t room = 0, count = 0;
	struct message_member *members;
	struct member_sum *sums;

	for (uint32_t e = step->head; e != NONE; e = p->next[e])
		room += p->pool->entries.items[e].member_count;
	if (!room)
		return;
	sums = mem_zalloc(room, sizeof *sums);
	for (uint32_t e = step->head; e != NONE; e = p->next[e]) {
		const struct pool_entry *entry = &p->pool->entries.items[e];

		for (uint32_t i = 0; i < entry->member_count; i++) {
			const struct pool_member *m = &p->pool->members.items[entry->members + i];

			if (!p->dead[m->object])
				add_member(sums, &count, m);
		}
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

static const struct message_need *fill_counts(struct projection *p, const struct message_need *from,
					      uint32_t count, const uint32_t *columns,
					      uint32_t *left)
{
	struct message_need *to = arena_alloc(&p->project->arena, count * sizeof *to + 1);

	*left = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t steps = steps_needed(p, &from[i]);

		if (steps)
			to[(*left)++] = (struct message_need){ columns[from[i].column], steps };
	}
	return to;
}

static const uint32_t *fill_parts(struct projection *p, const struct step *step,
				  struct message *message)
{
	struct property_id *parts;
	uint32_t *acts, n = 0;

	for (uint32_t e = step->head; e != NONE; e = p->next[e])
		n++;
	parts = arena_alloc(&p->project->arena, n * sizeof *parts);
	acts = arena_alloc(&p->project->arena, n * sizeof *acts);
	message->parts = parts;
	message->part_count = n;
	n = 0;
	for (uint32_t e = step->head; e != NONE; e = p->next[e], n++) {
		acts[n] = p->pool->entries.items[e].act;
		parts[n] = p->pool->acts->list.items[acts[n]].id;
		if (e == step->rep)
			message->anchor = n;
	}
	message->before = is_request(p, step);
	return acts;
}

/* Columns that have something to tell, by new numbers. */
static uint32_t *number_columns(const struct projection *p, uint32_t *count)
{
	uint32_t *columns = mem_zalloc((size_t)p->columns + 1, sizeof *columns);

	*count = 0;
	for (uint32_t c = 0; c < p->columns; c++) {
		columns[c] = *count;
		*count += p->lanes[c].steps.count > 0;
	}
	return columns;
}

/* In the recorded order of the reps: entries are in that order. */
static void write_messages(struct projection *p, struct computation *out)
{
	struct project *project = p->project;
	uint32_t *columns = number_columns(p, &out->columns);
	uint32_t *taken = mem_zalloc((size_t)p->columns + 1, sizeof *taken);
	size_t total = 0;

	for (uint32_t c = 0; c < p->columns; c++)
		total += p->lanes[c].steps.count;
	project->acts = arena_alloc(&project->arena, (total + 1) * sizeof *project->acts);
	for (uint32_t e = 0; e < p->pool->entries.count; e++) {
		const struct pool_entry *entry = &p->pool->entries.items[e];
		struct lane *lane = &p->lanes[entry->column];
		const struct step *step = &lane->steps.items[taken[entry->column]];
		struct message message = { .label = p->labels[e] };

		if (taken[entry->column] == lane->steps.count || step->rep != e)
			continue;
		message.column = columns[entry->column];
		message.position = taken[entry->column]++;
		message.needs = fill_counts(p, entry->needs, entry->need_count, columns,
					    &message.need_count);
		message.fences = fill_counts(p, entry->fences, entry->fence_count, columns,
					     &message.fence_count);
		fill_members(p, step, &message);
		project->acts[out->messages.count] = fill_parts(p, step, &message);
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

/* ------------------------------------------------------------------------------------------------ */

static void start(struct projection *p)
{
	const struct pool *pool = p->pool;

	p->lanes = mem_zalloc((size_t)p->columns + 1, sizeof *p->lanes);
	p->next = mem_alloc((pool->entries.count + 1) * sizeof *p->next);
	p->step_of = mem_alloc((pool->entries.count + 1) * sizeof *p->step_of);
	p->dead = mem_zalloc(pool->acts->objects.count + 1, 1);
	for (uint32_t c = 0; c < p->columns; c++) {
		size_t count = (size_t)pool->column_entries[c] + 1;

		p->lanes[c].before = mem_zalloc(count, sizeof *p->lanes[c].before);
		p->lanes[c].needed_alone = mem_zalloc(count, 1);
	}
	for (uint32_t e = 0; e < pool->entries.count; e++) {
		p->next[e] = NONE;
		*vec_push(&p->lanes[pool->entries.items[e].column].steps) =
			(struct step){ e, e, e };
	}
}

static void finish(struct projection *p)
{
	for (uint32_t c = 0; c < p->columns; c++) {
		vec_free(&p->lanes[c].steps);
		free(p->lanes[c].before);
		free(p->lanes[c].needed_alone);
	}
	free(p->lanes);
	free(p->next);
	free(p->step_of);
	free(p->dead);
}

void project_make(const struct pool *pool, const uint32_t *labels, struct computation *out)
{
	struct projection p = { .pool = pool, .labels = labels, .columns = pool->acts->columns };

	p.project = mem_zalloc(1, sizeof *p.project);
	p.project->pool = pool;
	out->owned = p.project;
	start(&p);
	do {
		sweep(&p);
		number(&p);
		mark_needed(&p);
		for (uint32_t c = 0; c < p.columns; c++)
			merge_column(&p, &p.lanes[c]);
	} while (bury(&p));
	sweep(&p);
	number(&p);
	write_messages(&p, out);
	index_columns(p.project, out);
	finish(&p);
}

void project_free(struct computation *computation)
{
	struct project *project = computation->owned;

	if (!project)
		return;
	map_free(&project->glue);
	free(project->first);
	free(project->by_column);
	arena_free(&project->arena);
	free(project);
	computation->owned = NULL;
	vec_free(&computation->messages);
}
