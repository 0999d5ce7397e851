/*
 * Finds the needed nodes by walking the solution from its end to its start.
 *
 * Every node depends only on earlier nodes, so one walk would suffice if there were no releases.
 * But if the acquire of a section stays, and so does the acquire of a later section that excludes
 * it, then the release of the first section must stay too. The walk may reach a node that keeps
 * the first acquire only after it has passed the release. Then the walk is repeated. Two or three
 * walks are usual.
 */
#include "witness/needed_steps.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>

/* The node at rank `user` needs the node at rank `source` for its result; source < user. */
struct node_dependence {
	uint32_t user, source;
};

/* A section whose acquire is in the solution, or that was entered before the solution starts. */
struct entered_section {
	/*
	 * ranks of its acquire and its release; `rank` is 0 if it was entered before the solution,
	 * `release` is ORDER_NONE if the release is not in the solution
	 */
	uint32_t rank, release;
	uint32_t lock;
	bool shared, from_start;
};

/* For one lock: does any section stay that is entered after the walk's current rank? */
struct later_sections {
	bool any, exclusive;
};

typedef VEC(uint32_t) rank_list;

struct needed_steps {
	const struct order_model *model;
	const struct order_solution *solution;
	const struct operations *ops;
	uint32_t *need;
	VEC(struct node_dependence) dependences;
	VEC(struct entered_section) entered;
	struct later_sections *later;
	bool *counted; /* by semaphore: do all posts and downs before the current rank stay? */
	uint32_t first_semaphore, first_edge; /* object numbers */
};

static uint32_t rank_of(const struct needed_steps *c, uint32_t node)
{
	return node == ORDER_NONE ? ORDER_NONE : c->ops->rank[node];
}

static void add_dependence(struct needed_steps *c, uint32_t user, uint32_t source)
{
	assert(source < user);
	*vec_push(&c->dependences) = (struct node_dependence){ user, source };
}

/* ---- dependences ----------------------------------------------------------------------------- */

static void depend_on_edges(struct needed_steps *c)
{
	for (size_t i = 0; i < c->model->edges.count; i++) {
		uint32_t to = rank_of(c, c->model->edges.items[i].to);

		if (to != ORDER_NONE)
			add_dependence(c, to, rank_of(c, c->model->edges.items[i].from));
	}
}

/* A read depends on the last write before it. */
static void depend_on_writes(struct needed_steps *c)
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
			/* Keeps too much if the node only writes this cell and reads another. */
			if (reads[rank] && last[op->object] != ORDER_NONE)
				add_dependence(c, rank, last[op->object]);
			if (op->sort == OPERATION_EXCLUSIVE)
				last[op->object] = rank;
		}
	}
	free(last);
	free(reads);
}

static bool explains_fail(const struct needed_steps *c, const struct order_section *section,
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

/* A failed try depends on a section that explains it: on the acquire, if it is in the solution. */
static void depend_on_holders(struct needed_steps *c, const struct order_lock *lock)
{
	const struct order_section *sections = &c->model->sections.items[lock->section_start];

	for (uint32_t i = 0; i < lock->fail_count; i++) {
		const struct order_fail *fail = &c->model->fails.items[lock->fail_start + i];
		uint32_t best = ORDER_NONE;

		if (rank_of(c, fail->node) == ORDER_NONE)
			continue;
		for (uint32_t j = 0; j < lock->section_count && best == ORDER_NONE; j++) {
			if (explains_fail(c, &sections[j], fail))
				best = j;
		}
		assert(best != ORDER_NONE);
		if (sections[best].acquire != ORDER_NONE)
			add_dependence(c, rank_of(c, fail->node),
				       rank_of(c, sections[best].acquire));
	}
}

static void list_sections(struct needed_steps *c, uint32_t number)
{
	const struct order_lock *lock = &c->model->locks.items[number];

	for (uint32_t i = 0; i < lock->section_count; i++) {
		const struct order_section *s = &c->model->sections.items[lock->section_start + i];
		bool from_start = s->acquire == ORDER_NONE;
		uint32_t rank = from_start ? 0 : rank_of(c, s->acquire);

		if (rank == ORDER_NONE)
			continue;
		*vec_push(&c->entered) = (struct entered_section){
			.rank = rank,
			.release = rank_of(c, s->release),
			.lock = number,
			.shared = s->shared,
			.from_start = from_start,
		};
	}
}

/* by rank, but sections that were entered before the solution come first */
SORT_COMPARISON(by_rank, struct entered_section, a, b,
		sort_order(b->from_start, a->from_start)
			?: sort_order(a->rank, b->rank)
			?: sort_order(a->lock, b->lock))

/* ---- conditions and semaphores --------------------------------------------------------------- */

struct woken_wait {
	uint32_t woken; /* rank */
	uint32_t since; /* the first rank at which a signal can wake this wait */
};

SORT_COMPARISON(by_end, struct woken_wait, a, b, sort_order(a->woken, b->woken))

/*
 * Each woken wait depends on a broadcast, or on a signal that wakes no other wait. Sorting the
 * waits by their ends and assigning to each the first free signal finds a signal for every wait
 * whenever that is possible (Glover 1967: points in intervals).
 */
static void depend_on_signals(struct needed_steps *c, const struct order_condition *condition)
{
	VEC(struct woken_wait) waits = { 0 };
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
			*vec_push(&waits) = (struct woken_wait){
				woken, w->wait == ORDER_NONE ? 0 : rank_of(c, w->wait) + 1
			};
	}
	vec_sort(&signals, sort_u32);
	vec_sort(&waits, by_end);
	for (size_t i = 0; i < waits.count; i++) {
		const struct woken_wait *s = &waits.items[i];
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
		add_dependence(c, s->woken, by);
	}
	vec_free(&waits);
	vec_free(&signals);
	vec_free(&broadcasts);
}

static void list_ranks(const struct needed_steps *c, const uint32_t *nodes, uint32_t count,
		       rank_list *out)
{
	out->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (rank_of(c, nodes[i]) != ORDER_NONE)
			*vec_push(out) = rank_of(c, nodes[i]);
	}
	vec_sort(out, sort_u32);
}

/* Each down uses an initial token or the first post that no earlier down used. */
static void depend_on_posts(struct needed_steps *c, const struct order_semaphore *semaphore,
			    rank_list *posts, rank_list *downs)
{
	list_ranks(c, &c->model->posts.items[semaphore->post_start], semaphore->post_count, posts);
	list_ranks(c, &c->model->downs.items[semaphore->down_start], semaphore->down_count, downs);
	for (size_t i = semaphore->initial; i < downs->count; i++)
		add_dependence(c, downs->items[i], posts->items[i - semaphore->initial]);
}

/* ---- the walk -------------------------------------------------------------------------------- */

static bool keep_up_to(struct needed_steps *c, uint32_t rank)
{
	uint32_t node = c->solution->inside[rank];
	uint32_t thread = c->model->thread.items[node];

	if (c->need[thread] > c->model->position.items[node])
		return false;
	c->need[thread] = c->model->position.items[node] + 1;
	return true;
}

/*
 * Keeps the release of a section that stays if a later section that excludes it also stays. Returns
 * true if the release was not kept before.
 */
static bool keep_release(struct needed_steps *c, const struct entered_section *section)
{
	const struct later_sections *later = &c->later[section->lock];

	if (!later->exclusive && (section->shared || !later->any))
		return false;
	assert(section->release != ORDER_NONE);
	return keep_up_to(c, section->release);
}

/* If a failed down stays, all posts and downs before it stay: together they made it fail. */
static void keep_counted_operations(struct needed_steps *c, uint32_t rank, bool stays)
{
	const struct operations *ops = c->ops;

	for (uint32_t i = ops->start[rank]; i < ops->start[rank + 1]; i++) {
		const struct operation *op = &ops->items[i];

		if (op->object < c->first_semaphore || op->object >= c->first_edge)
			continue;
		if (c->counted[op->object - c->first_semaphore] && op->sort != OPERATION_TRY)
			keep_up_to(c, rank);
		if (stays && op->sort == OPERATION_TRY)
			c->counted[op->object - c->first_semaphore] = true;
	}
}

static bool stays(const struct needed_steps *c, uint32_t rank)
{
	uint32_t node = c->solution->inside[rank];

	return c->model->position.items[node] < c->need[c->model->thread.items[node]];
}

/* Walks once from end to start. Returns true if a release must stay that the walk had passed. */
static bool walk_backwards(struct needed_steps *c)
{
	size_t dependence = c->dependences.count, entered = c->entered.count;
	bool again = false;

	for (size_t i = 0; i < c->model->locks.count; i++)
		c->later[i] = (struct later_sections){ 0 };
	for (size_t i = 0; i < c->model->semaphores.count; i++)
		c->counted[i] = false;
	for (uint32_t rank = c->ops->count; rank-- > 0;) {
		keep_counted_operations(c, rank, stays(c, rank));
		for (; dependence && c->dependences.items[dependence - 1].user == rank;
		     dependence--) {
			if (stays(c, rank))
				keep_up_to(c, c->dependences.items[dependence - 1].source);
		}
		for (; entered && c->entered.items[entered - 1].rank == rank; entered--) {
			const struct entered_section *e = &c->entered.items[entered - 1];

			if (!e->from_start && !stays(c, rank))
				continue;
			again |= keep_release(c, e);
			if (e->from_start)
				continue;
			c->later[e->lock].any = true;
			c->later[e->lock].exclusive |= !e->shared;
		}
	}
	return again;
}

SORT_COMPARISON(by_user, struct node_dependence, a, b,
		sort_order(a->user, b->user) ?: sort_order(a->source, b->source))

static void collect_dependences(struct needed_steps *c)
{
	const struct order_model *model = c->model;
	rank_list posts = { 0 }, downs = { 0 };

	depend_on_edges(c);
	depend_on_writes(c);
	for (uint32_t i = 0; i < model->locks.count; i++) {
		depend_on_holders(c, &model->locks.items[i]);
		list_sections(c, i);
	}
	for (size_t i = 0; i < model->conditions.count; i++)
		depend_on_signals(c, &model->conditions.items[i]);
	for (size_t i = 0; i < model->semaphores.count; i++)
		depend_on_posts(c, &model->semaphores.items[i], &posts, &downs);
	vec_sort(&c->dependences, by_user);
	vec_sort(&c->entered, by_rank);
	vec_free(&posts);
	vec_free(&downs);
}

void needed_steps_close(const struct order_model *model, const struct order_solution *solution,
			const struct operations *ops, uint32_t *need)
{
	struct needed_steps c = {
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
	collect_dependences(&c);
	while (walk_backwards(&c))
		;
	vec_free(&c.dependences);
	vec_free(&c.entered);
	free(c.later);
	free(c.counted);
}
