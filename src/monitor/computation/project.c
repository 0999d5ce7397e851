/*
 * Reduces a pool to the steps of one computation (project.h). Repeats until nothing changes: drop
 * silent steps without members; drop objects whose sets are ordered; merge steps that only happen
 * together; drop objects whose sets are single steps. By doc/lattice.md, the remaining runs
 * are the projections of all weak runs.
 */
#include "monitor/computation/projection.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool is_silent(const struct projection *p, const struct projection_step *step)
{
	return p->labels[step->rep] == LABEL_SILENT;
}

/* ---- dropping silent steps ------------------------------------------------------------------- */

static bool has_members(const struct projection *p, const struct projection_step *step)
{
	PROJECTION_EACH_MEMBER(p, step, e, m)
	{
		if (!p->dead[m->object])
			return true;
	}
	return false;
}

/*
 * Called for a step that is dropped: a schedule that contains its rep must still contain the
 * entries after the rep.
 */
static void keep_bonds(struct projection *p, const struct projection_step *step)
{
	for (uint32_t e = step->rep; p->next[e] != PROJECTION_NONE; e = p->next[e])
		*vec_push(&p->project->bonds) =
			(struct project_bond){ p->pool->entries.items[e].op,
					       p->pool->entries.items[p->next[e]].op };
}

static void drop_silent_steps(struct projection *p)
{
	for (uint32_t c = 0; c < p->columns; c++) {
		struct projection_column *in = &p->by_column[c];
		size_t kept = 0;

		for (size_t i = 0; i < in->steps.count; i++) {
			struct projection_step step = in->steps.items[i];

			if (!is_silent(p, &step) || has_members(p, &step))
				in->steps.items[kept++] = step;
			else
				keep_bonds(p, &step);
		}
		in->steps.count = kept;
	}
}

/* ---- numbering ------------------------------------------------------------------------------- */

static void number_steps(struct projection *p)
{
	for (uint32_t c = 0; c < p->columns; c++) {
		struct projection_column *in = &p->by_column[c];
		size_t k = 0;

		for (uint32_t at = 0; at <= p->pool->column_entries[c]; at++) {
			while (k < in->steps.count &&
			       p->pool->entries.items[in->steps.items[k].rep].position < at)
				k++;
			in->before[at] = (uint32_t)k;
		}
	}
}

static void mark_needed_alone(struct projection *p)
{
	for (uint32_t c = 0; c < p->columns; c++)
		memset(p->by_column[c].needed_alone, 0, p->by_column[c].steps.count);
	for (uint32_t c = 0; c < p->columns; c++) {
		for (size_t i = 0; i < p->by_column[c].steps.count; i++) {
			const uint32_t *clock =
				projection_clock(p, p->by_column[c].steps.items[i].rep);

			for (uint32_t d = 0; d < p->columns; d++) {
				uint32_t count = d == c ? 0 : projection_steps(p, d, clock[d]);

				if (count)
					p->by_column[d].needed_alone[count - 1] = 1;
			}
		}
	}
}

/* ---- ordering sets --------------------------------------------------------------------------- */

static bool join_clock(const struct projection *p, uint32_t *to, const uint32_t *from, uint32_t but)
{
	bool grew = false;

	for (uint32_t c = 0; c < p->columns; c++) {
		if (c != but && to[c] < from[c]) {
			to[c] = from[c];
			grew = true;
		}
	}
	return grew;
}

/*
 * Joins into a step's clock the clocks of the previous step and of the steps that it needs. Returns
 * whether the clock grew.
 */
static bool close_clock(struct projection *p, uint32_t rep, uint32_t previous)
{
	uint32_t *clock = projection_clock(p, rep), own = p->pool->entries.items[rep].column;
	bool grew = previous != PROJECTION_NONE &&
		    join_clock(p, clock, projection_clock(p, previous), own);

	for (bool more = true; more;) {
		more = false;
		for (uint32_t c = 0; c < p->columns; c++) {
			uint32_t count = c == own ? 0 : projection_steps(p, c, clock[c]);

			if (count)
				more |= join_clock(
					p, clock,
					projection_clock(
						p, p->by_column[c].steps.items[count - 1].rep),
					own);
		}
		grew |= more;
	}
	return grew;
}

static bool comes_before(const struct projection *p, uint32_t rep, uint32_t later)
{
	const struct message_pool_entry *a = &p->pool->entries.items[rep];
	const struct message_pool_entry *b = &p->pool->entries.items[later];

	if (a->column == b->column)
		return a->position < b->position;
	return projection_clock(p, later)[a->column] > a->position;
}

/*
 * If the set's first member comes before the step that opens another set, lets the whole set come
 * before that step. Returns false if the first member does not.
 */
static bool order_set_before_step(struct projection *p, uint32_t set, uint32_t rep, uint32_t opener,
				  bool *grew)
{
	const struct message_pool *pool = p->pool;

	if (!comes_before(p, p->rep_of[p->member_entry[p->set_head[set] - 1]], rep))
		return false;
	for (uint32_t m = p->set_head[set]; m; m = p->member_next[m - 1]) {
		uint32_t entry = p->member_entry[m - 1], before = p->rep_of[entry];

		if (before == rep || comes_before(p, before, rep))
			continue;
		projection_clock(p, rep)[pool->entries.items[before].column] =
			pool->entries.items[before].position + 1;
		join_clock(p, projection_clock(p, rep), projection_clock(p, before),
			   pool->entries.items[rep].column);
		*vec_push(&p->project->bonds) =
			(struct project_bond){ pool->entries.items[opener].op,
					       pool->entries.items[entry].op };
		*grew = true;
	}
	return true;
}

static void order_new_set(struct projection *p, const struct message_pool_member *m, uint32_t rep,
			  uint32_t opener, bool *grew)
{
	struct projection_sets *o = &p->objects[m->object];

	for (size_t i = 0; !m->shared && i < o->group.count; i++)
		o->unordered |= !order_set_before_step(p, o->group.items[i], rep, opener, grew);
	if (o->last && (m->shared || !o->group.count))
		o->unordered |= !order_set_before_step(p, o->last - 1, rep, opener, grew);
	if (m->shared) {
		*vec_push(&o->group) = m->set;
		return;
	}
	o->group.count = 0;
	o->last = m->set + 1;
}

static bool order_sets_of_step(struct projection *p, const struct projection_step *step,
			       uint32_t previous)
{
	bool grew = close_clock(p, step->rep, previous);

	PROJECTION_EACH_MEMBER(p, step, e, m)
	{
		if (!p->dead[m->object] && m->role == RUN_OP_OPENS)
			order_new_set(p, m, step->rep, e, &grew);
	}
	return grew;
}

/*
 * Orders sets by whole steps. If an acquire was merged with the events after it, the step needs
 * what they need, so more sets are ordered than by single events. Drops each object whose sets are
 * all ordered; the clocks keep their order.
 */
static bool drop_ordered_objects(struct projection *p)
{
	uint32_t *taken = mem_zalloc((size_t)p->columns + 1, sizeof *taken);
	bool found = false;

	for (size_t o = 0; o < p->pool->ops->objects.count; o++) {
		p->objects[o].last = 0;
		p->objects[o].group.count = 0;
		p->objects[o].unordered = false;
	}
	for (uint32_t e = 0; e < p->pool->entries.count; e++) {
		uint32_t column = p->pool->entries.items[e].column;
		struct projection_column *in = &p->by_column[column];
		uint32_t i = taken[column];

		if (i == in->steps.count || in->steps.items[i].rep != e)
			continue;
		taken[column]++;
		found |= order_sets_of_step(p, &in->steps.items[i],
					    i ? in->steps.items[i - 1].rep : PROJECTION_NONE);
	}
	for (size_t o = 0; o < p->pool->ops->objects.count; o++) {
		if (p->pool->object_seen[o] && !p->dead[o] && !p->objects[o].unordered) {
			p->dead[o] = 1;
			found = true;
		}
	}
	free(taken);
	return found;
}

/* ---- merging steps --------------------------------------------------------------------------- */

/*
 * May the member move to a later step? Yes, if it opens a set that has more members. Also yes, if
 * it reads in a set whose members are all in one column, and is not the last of them.
 */
static bool member_moves_right(const struct message_pool *pool, const struct message_pool_member *m)
{
	switch (m->role) {
	case RUN_OP_OPENS: return m->lock || pool->set_sizes[m->set] > 1;
	case RUN_OP_JOINS:
		return !m->lock && pool->set_column[m->set] != MESSAGE_POOL_MANY && !m->last;
	}
	return false;
}

static bool member_moves_left(const struct message_pool *pool, const struct message_pool_member *m)
{
	switch (m->role) {
	case RUN_OP_CLOSES: return true;
	case RUN_OP_JOINS: return !m->lock && pool->set_column[m->set] != MESSAGE_POOL_MANY;
	}
	return false;
}

static bool step_moves(const struct projection *p, const struct projection_step *step,
		       bool (*member_moves)(const struct message_pool *pool,
					    const struct message_pool_member *m))
{
	if (!is_silent(p, step))
		return false;
	PROJECTION_EACH_MEMBER(p, step, e, m)
	{
		if (!p->dead[m->object] && !member_moves(p->pool, m))
			return false;
	}
	return true;
}

/* Does `later`, in the same column, need no more steps of other columns than `earlier`? */
static bool needs_no_more(const struct projection *p, const struct projection_step *later,
			  const struct projection_step *earlier)
{
	const uint32_t *a = projection_clock(p, earlier->rep), *b = projection_clock(p, later->rep);
	uint32_t own = p->pool->entries.items[later->rep].column;

	for (uint32_t c = 0; c < p->columns; c++) {
		if (c != own && projection_steps(p, c, a[c]) != projection_steps(p, c, b[c]))
			return false;
	}
	return true;
}

static void append_step(struct projection *p, struct projection_step *to,
			const struct projection_step *from)
{
	p->next[to->tail] = from->head;
	to->tail = from->tail;
}

/*
 * An acquire moves right to the next step, unless another column needs the acquire without that
 * step. A release moves left to the previous step, if it needs no more than that step (Lipton).
 * `needed_alone` is indexed by the numbers from before the merge.
 */
static bool merge_steps(struct projection *p, struct projection_column *in)
{
	size_t kept = 0, before = in->steps.count;
	/* the step with the rep of the last kept step: its number from before the merge */
	uint32_t last = 0;

	for (uint32_t i = 0; i < in->steps.count; i++) {
		struct projection_step step = in->steps.items[i];
		struct projection_step *top = kept ? &in->steps.items[kept - 1] : NULL;

		if (top && !projection_is_request(p, top) &&
		    step_moves(p, &step, member_moves_left) && needs_no_more(p, &step, top)) {
			append_step(p, top, &step);
			continue;
		}
		if (top && !projection_is_request(p, &step) && !in->needed_alone[last] &&
		    step_moves(p, top, member_moves_right)) {
			append_step(p, top, &step);
			top->rep = step.rep;
		} else {
			in->steps.items[kept++] = step;
		}
		last = i;
	}
	in->steps.count = kept;
	return kept < before;
}

/* ---- dropping objects ------------------------------------------------------------------------ */

static void find_reps(struct projection *p)
{
	for (size_t e = 0; e < p->pool->entries.count; e++)
		p->rep_of[e] = PROJECTION_NONE;
	for (uint32_t c = 0; c < p->columns; c++) {
		for (size_t i = 0; i < p->by_column[c].steps.count; i++) {
			const struct projection_step *step = &p->by_column[c].steps.items[i];

			for (uint32_t e = step->head; e != PROJECTION_NONE; e = p->next[e])
				p->rep_of[e] = step->rep;
		}
	}
}

/* Drops each object whose sets have all become single steps: it decides nothing. */
static bool drop_single_step_objects(struct projection *p)
{
	const struct message_pool *pool = p->pool;
	uint32_t *rep_of_set = mem_alloc(((size_t)pool->ops->sets + 1) * sizeof *rep_of_set);
	uint8_t *lifetimes = mem_zalloc(pool->ops->objects.count + 1, 1);
	bool found = false;

	find_reps(p);
	memset(rep_of_set, 0xff, ((size_t)pool->ops->sets + 1) * sizeof *rep_of_set);
	for (size_t e = 0; e < pool->entries.count; e++) {
		const struct message_pool_entry *entry = &pool->entries.items[e];

		for (uint32_t i = 0; i < entry->member_count; i++) {
			const struct message_pool_member *m =
				&pool->members.items[entry->members + i];

			if (rep_of_set[m->set] == PROJECTION_NONE)
				rep_of_set[m->set] = p->rep_of[e];
			if (rep_of_set[m->set] != p->rep_of[e] || !pool->set_closes[m->set])
				lifetimes[m->object] = 1;
		}
	}
	for (size_t o = 0; o < pool->ops->objects.count; o++) {
		if (pool->object_seen[o] && !p->dead[o] && !lifetimes[o]) {
			p->dead[o] = 1;
			found = true;
		}
	}
	free(rep_of_set);
	free(lifetimes);
	return found;
}

/* ---- the projection as a whole --------------------------------------------------------------- */

static void start_clocks(struct projection *p)
{
	const struct message_pool *pool = p->pool;

	p->clocks = mem_zalloc(pool->entries.count * p->columns + 1, sizeof *p->clocks);
	for (uint32_t e = 0; e < pool->entries.count; e++) {
		const struct message_pool_entry *entry = &pool->entries.items[e];

		for (uint32_t i = 0; i < entry->need_count; i++)
			projection_clock(p, e)[entry->needs[i].column] = entry->needs[i].count;
	}
}

/* Builds the lists from the end, so that each starts with the member that opens the set. */
static void list_members(struct projection *p)
{
	const struct message_pool *pool = p->pool;

	p->set_head = mem_zalloc((size_t)pool->ops->sets + 1, sizeof *p->set_head);
	p->member_next = mem_zalloc(pool->members.count + 1, sizeof *p->member_next);
	p->member_entry = mem_zalloc(pool->members.count + 1, sizeof *p->member_entry);
	for (size_t e = pool->entries.count; e--;) {
		const struct message_pool_entry *entry = &pool->entries.items[e];

		for (uint32_t i = entry->member_count; i--;) {
			uint32_t m = entry->members + i, set = pool->members.items[m].set;

			p->member_entry[m] = (uint32_t)e;
			p->member_next[m] = p->set_head[set];
			p->set_head[set] = m + 1;
		}
	}
}

static void init_projection(struct projection *p)
{
	const struct message_pool *pool = p->pool;

	p->by_column = mem_zalloc((size_t)p->columns + 1, sizeof *p->by_column);
	p->next = mem_alloc((pool->entries.count + 1) * sizeof *p->next);
	p->rep_of = mem_alloc((pool->entries.count + 1) * sizeof *p->rep_of);
	p->objects = mem_zalloc(pool->ops->objects.count + 1, sizeof *p->objects);
	p->dead = mem_zalloc(pool->ops->objects.count + 1, 1);
	for (uint32_t c = 0; c < p->columns; c++) {
		size_t count = (size_t)pool->column_entries[c] + 1;

		p->by_column[c].before = mem_zalloc(count, sizeof *p->by_column[c].before);
		p->by_column[c].needed_alone = mem_zalloc(count, 1);
	}
	for (uint32_t e = 0; e < pool->entries.count; e++) {
		p->next[e] = PROJECTION_NONE;
		*vec_push(&p->by_column[pool->entries.items[e].column].steps) =
			(struct projection_step){ e, e, e };
	}
	start_clocks(p);
	list_members(p);
}

static void free_projection(struct projection *p)
{
	for (uint32_t c = 0; c < p->columns; c++) {
		vec_free(&p->by_column[c].steps);
		free(p->by_column[c].before);
		free(p->by_column[c].needed_alone);
	}
	free(p->by_column);
	for (size_t o = 0; o < p->pool->ops->objects.count; o++)
		vec_free(&p->objects[o].group);
	free(p->objects);
	free(p->clocks);
	free(p->set_head);
	free(p->member_next);
	free(p->member_entry);
	free(p->next);
	free(p->rep_of);
	free(p->dead);
}

void project_make(const struct message_pool *pool, const uint32_t *labels, struct computation *out)
{
	struct projection p = { .pool = pool, .labels = labels, .columns = pool->ops->columns };

	p.project = mem_zalloc(1, sizeof *p.project);
	p.project->pool = pool;
	out->owned = p.project;
	init_projection(&p);
	for (bool more = true; more;) {
		drop_silent_steps(&p);
		number_steps(&p);
		find_reps(&p);
		more = drop_ordered_objects(&p);
		mark_needed_alone(&p);
		for (uint32_t c = 0; c < p.columns; c++)
			more |= merge_steps(&p, &p.by_column[c]);
		more |= drop_single_step_objects(&p);
	}
	drop_silent_steps(&p);
	number_steps(&p);
	projection_write(&p, out);
	free_projection(&p);
}

void project_free(struct computation *computation)
{
	struct project *project = computation->owned;

	if (!project)
		return;
	vec_free(&project->bonds);
	free(project->first);
	free(project->by_column);
	arena_free(&project->arena);
	free(project);
	computation->owned = NULL;
	vec_free(&computation->messages);
}
