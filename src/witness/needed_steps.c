#include "witness/needed_steps.h"

#include "base/mem.h"

#include <assert.h>

/*
 * Everything leans on what came before it in the solution, so one walk from its end to its start
 * would do, but for releases: a section has to be left if it is entered at all and another one is
 * entered behind it, and that it is entered may turn out only after its release was passed. Then
 * the walk is repeated; two or three times is usual.
 */

/* `user` cannot happen as it did without `source`; both are ranks, source < user. */
struct needed_steps_lean {
	uint32_t user, source;
};

/* A section that is entered inside; those from before the solution stand at rank 0. */
struct entered {
	uint32_t rank, release; /* ranks; release ORDER_NONE: not inside */
	uint32_t lock;
	bool shared, from_start;
};

/* What of a lock stays, behind the present place of the walk. */
struct later {
	bool any, exclusive;
};

typedef VEC(uint32_t) ranks;

struct closer {
	const struct order_model *model;
	const struct order_solution *solution;
	const struct operations *ops;
	uint32_t *need;
	VEC(struct needed_steps_lean) leans;
	VEC(struct entered) entered;
	struct later *later;
	bool *counted; /* semaphores of which every operation from here back stays */
	uint32_t first_semaphore, first_edge; /* object numbers */
};

static uint32_t rank_of(const struct closer *c, uint32_t node)
{
	return node == ORDER_NONE ? ORDER_NONE : c->ops->rank[node];
}

static void add_lean(struct closer *c, uint32_t user, uint32_t source)
{
	assert(source < user);
	*vec_push(&c->leans) = (struct needed_steps_lean){ user, source };
}

/* ---- who leans on whom ----------------------------------------------------------------------- */

static void lean_on_edges(struct closer *c)
{
	for (size_t i = 0; i < c->model->edges.count; i++) {
		uint32_t to = rank_of(c, c->model->edges.items[i].to);

		if (to != ORDER_NONE)
			add_lean(c, to, rank_of(c, c->model->edges.items[i].from));
	}
}

/* A read leans on the last write before it. */
static void lean_on_writes(struct closer *c)
{
	const struct order_model *model = c->model;
	const struct operations *ops = c->ops;
	size_t cells = model->cells.count;
	uint32_t *last = mem_alloc(cells * sizeof *last + 1);
	bool *reads = mem_zalloc(ops->count + 1, sizeof *reads);

	for (size_t i = 0; i < model->reads.count; i++) {
		if (rank_of(c, model->reads.items[i].node) != ORDER_NONE)
			reads[rank_of(c, model->reads.items[i].node)] = true;
	}
	for (size_t i = 0; i < cells; i++)
		last[i] = ORDER_NONE;
	for (uint32_t rank = 0; rank < ops->count; rank++) {
		for (uint32_t i = ops->start[rank]; i < ops->start[rank + 1]; i++) {
			const struct operation *op = &ops->items[i];

			if (op->object >= cells)
				continue;
			/* A node that reads one cell and only writes another keeps more. */
			if (reads[rank] && last[op->object] != ORDER_NONE)
				add_lean(c, rank, last[op->object]);
			if (op->sort == OPERATION_ALONE)
				last[op->object] = rank;
		}
	}
	free(last);
	free(reads);
}

static bool explains(const struct closer *c, const struct order_section *section,
		     const struct order_fail *fail)
{
	uint32_t at = rank_of(c, fail->node);

	if (section->shared && fail->shared)
		return false;
	if (section->thread == c->model->thread.items[fail->node])
		return false;
	if (section->acquire != ORDER_NONE && rank_of(c, section->acquire) >= at)
		return false;
	return rank_of(c, section->release) > at;
}

/* A failed try leans on the start of one section that explains it; best one from before. */
static void lean_on_holders(struct closer *c, const struct order_lock *lock)
{
	const struct order_section *sections = &c->model->sections.items[lock->section_start];

	for (uint32_t i = 0; i < lock->fail_count; i++) {
		const struct order_fail *fail = &c->model->fails.items[lock->fail_start + i];
		uint32_t best = ORDER_NONE;

		if (rank_of(c, fail->node) == ORDER_NONE)
			continue;
		for (uint32_t j = 0; j < lock->section_count && best == ORDER_NONE; j++) {
			if (explains(c, &sections[j], fail))
				best = j;
		}
		assert(best != ORDER_NONE);
		if (sections[best].acquire != ORDER_NONE)
			add_lean(c, rank_of(c, fail->node), rank_of(c, sections[best].acquire));
	}
}

static void list_sections(struct closer *c, uint32_t number)
{
	const struct order_lock *lock = &c->model->locks.items[number];

	for (uint32_t i = 0; i < lock->section_count; i++) {
		const struct order_section *s = &c->model->sections.items[lock->section_start + i];
		bool from_start = s->acquire == ORDER_NONE;
		uint32_t rank = from_start ? 0 : rank_of(c, s->acquire);

		if (rank == ORDER_NONE)
			continue;
		*vec_push(&c->entered) = (struct entered){
			.rank = rank,
			.release = rank_of(c, s->release),
			.lock = number,
			.shared = s->shared,
			.from_start = from_start,
		};
	}
}

/* By rank; sections from before the solution first. */
static int compare_entered(const void *a, const void *b)
{
	const struct entered *x = a, *y = b;

	if (x->from_start != y->from_start)
		return x->from_start ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->lock > y->lock) - (x->lock < y->lock);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* ---- conditions and semaphores --------------------------------------------------------------- */

struct needed_steps_sleeper {
	uint32_t woken; /* rank */
	uint32_t since; /* the first rank at which a signal counts */
};

static int compare_sleepers(const void *a, const void *b)
{
	return compare_numbers(&((const struct needed_steps_sleeper *)a)->woken,
			       &((const struct needed_steps_sleeper *)b)->woken);
}

/*
 * Each woken wait leans on a broadcast, or on a signal of its own. Sorted by their ends and given
 * the first free signal each, intervals get a point each whenever that is possible (Glover 1967).
 */
static void lean_on_signals(struct closer *c, const struct order_condition *condition)
{
	VEC(struct needed_steps_sleeper) sleepers = { 0 };
	VEC(uint32_t) signals = { 0 };
	VEC(uint32_t) broadcasts = { 0 };

	for (uint32_t i = 0; i < condition->signal_count; i++) {
		const struct order_signal *s =
			&c->model->signals.items[condition->signal_start + i];

		if (rank_of(c, s->node) == ORDER_NONE)
			continue;
		if (s->broadcast)
			*vec_push(&broadcasts) = rank_of(c, s->node);
		else
			*vec_push(&signals) = rank_of(c, s->node);
	}
	for (uint32_t i = 0; i < condition->wait_count; i++) {
		const struct order_wait *w = &c->model->waits.items[condition->wait_start + i];
		uint32_t woken = rank_of(c, w->woken);

		if (w->wake == ORDER_WAKE_SIGNAL && woken != ORDER_NONE)
			*vec_push(&sleepers) = (struct needed_steps_sleeper){
				woken, w->wait == ORDER_NONE ? 0 : rank_of(c, w->wait) + 1
			};
	}
	if (signals.count)
		qsort(signals.items, signals.count, sizeof *signals.items, compare_numbers);
	if (sleepers.count)
		qsort(sleepers.items, sleepers.count, sizeof *sleepers.items, compare_sleepers);
	for (size_t i = 0; i < sleepers.count; i++) {
		const struct needed_steps_sleeper *s = &sleepers.items[i];
		uint32_t by = ORDER_NONE;

		for (size_t j = 0; j < broadcasts.count && by == ORDER_NONE; j++) {
			if (broadcasts.items[j] >= s->since && broadcasts.items[j] < s->woken)
				by = broadcasts.items[j];
		}
		for (size_t j = 0; j < signals.count && by == ORDER_NONE; j++) {
			if (signals.items[j] < s->since || signals.items[j] == ORDER_NONE)
				continue;
			by = signals.items[j];
			signals.items[j] = ORDER_NONE;
		}
		add_lean(c, s->woken, by);
	}
	vec_free(&sleepers);
	vec_free(&signals);
	vec_free(&broadcasts);
}

static void list_ranks(const struct closer *c, const uint32_t *nodes, uint32_t count, ranks *out)
{
	out->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (rank_of(c, nodes[i]) != ORDER_NONE)
			*vec_push(out) = rank_of(c, nodes[i]);
	}
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items, compare_numbers);
}

/* Each down, in order, uses one of the initial units or the first post that none before it did. */
static void lean_on_posts(struct closer *c, const struct order_semaphore *semaphore, ranks *posts,
			  ranks *downs)
{
	list_ranks(c, &c->model->posts.items[semaphore->post_start], semaphore->post_count, posts);
	list_ranks(c, &c->model->downs.items[semaphore->down_start], semaphore->down_count, downs);
	for (size_t i = semaphore->initial; i < downs->count; i++)
		add_lean(c, downs->items[i], posts->items[i - semaphore->initial]);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bool raise(struct closer *c, uint32_t rank)
{
	uint32_t node = c->solution->inside[rank];
	uint32_t thread = c->model->thread.items[node];

	if (c->need[thread] > c->model->position.items[node])
		return false;
	c->need[thread] = c->model->position.items[node] + 1;
	return true;
}

/* The section stays: left again, if another that excludes it stays behind it. */
static bool leave_section(struct closer *c, const struct entered *section)
{
	const struct later *later = &c->later[section->lock];

	if (!later->exclusive && (section->shared || !later->any))
		return false;
	assert(section->release != ORDER_NONE);
	return raise(c, section->release);
}

/* Downs and posts before a failed down that stays all stay: it saw their sum. */
static void count_semaphores(struct closer *c, uint32_t rank, bool stays)
{
	const struct operations *ops = c->ops;

	for (uint32_t i = ops->start[rank]; i < ops->start[rank + 1]; i++) {
		const struct operation *op = &ops->items[i];

		if (op->object < c->first_semaphore || op->object >= c->first_edge)
			continue;
		if (c->counted[op->object - c->first_semaphore] && op->sort != OPERATION_TRY)
			raise(c, rank);
		if (stays && op->sort == OPERATION_TRY)
			c->counted[op->object - c->first_semaphore] = true;
	}
}

static bool stays(const struct closer *c, uint32_t rank)
{
	uint32_t node = c->solution->inside[rank];

	return c->model->position.items[node] < c->need[c->model->thread.items[node]];
}

/* From the end to the start, once. True if a release that was passed must stay after all. */
static bool walk(struct closer *c)
{
	size_t lean = c->leans.count, entered = c->entered.count;
	bool again = false;

	for (size_t i = 0; i < c->model->locks.count; i++)
		c->later[i] = (struct later){ 0 };
	for (size_t i = 0; i < c->model->semaphores.count; i++)
		c->counted[i] = false;
	for (uint32_t rank = c->ops->count; rank-- > 0;) {
		count_semaphores(c, rank, stays(c, rank));
		for (; lean && c->leans.items[lean - 1].user == rank; lean--) {
			if (stays(c, rank))
				raise(c, c->leans.items[lean - 1].source);
		}
		for (; entered && c->entered.items[entered - 1].rank == rank; entered--) {
			const struct entered *e = &c->entered.items[entered - 1];

			if (!e->from_start && !stays(c, rank))
				continue;
			again |= leave_section(c, e);
			if (e->from_start)
				continue;
			c->later[e->lock].any = true;
			c->later[e->lock].exclusive |= !e->shared;
		}
	}
	return again;
}

static int compare_leans(const void *a, const void *b)
{
	const struct needed_steps_lean *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return compare_numbers(&x->source, &y->source);
}

static void list_all(struct closer *c)
{
	const struct order_model *model = c->model;
	ranks posts = { 0 }, downs = { 0 };

	lean_on_edges(c);
	lean_on_writes(c);
	for (uint32_t i = 0; i < model->locks.count; i++) {
		lean_on_holders(c, &model->locks.items[i]);
		list_sections(c, i);
	}
	for (size_t i = 0; i < model->conditions.count; i++)
		lean_on_signals(c, &model->conditions.items[i]);
	for (size_t i = 0; i < model->semaphores.count; i++)
		lean_on_posts(c, &model->semaphores.items[i], &posts, &downs);
	if (c->leans.count)
		qsort(c->leans.items, c->leans.count, sizeof *c->leans.items, compare_leans);
	if (c->entered.count)
		qsort(c->entered.items, c->entered.count, sizeof *c->entered.items,
		      compare_entered);
	vec_free(&posts);
	vec_free(&downs);
}

void needed_steps_close(const struct order_model *model, const struct order_solution *solution,
			const struct operations *ops, uint32_t *need)
{
	struct closer c = {
		.model = model,
		.solution = solution,
		.ops = ops,
		.need = need,
		.first_semaphore = (uint32_t)(model->cells.count + model->locks.count +
					      model->conditions.count),
	};

	c.first_edge = c.first_semaphore + (uint32_t)model->semaphores.count;
	c.later = mem_zalloc(model->locks.count + 1, sizeof *c.later);
	c.counted = mem_zalloc(model->semaphores.count + 1, sizeof *c.counted);
	list_all(&c);
	while (walk(&c))
		;
	vec_free(&c.leans);
	vec_free(&c.entered);
	free(c.later);
	free(c.counted);
}
