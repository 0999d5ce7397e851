/*
 * Deadlocks by a cycle: threads each of which waits for what the next one has.
 *
 * Cycles are looked for among groups of waiters (waiter_group.h), of which there are few, and only then
 * among their members. A cycle with a gate lock (two hold what only one can) is dropped on the way.
 * What is left goes to the solver: all members next. That each holds what the one before it waits
 * for needs no clause, since a thread's position says it.
 */
#include "base/mem.h"
#include "predict/driver/analysis.h"
#include "predict/deadlock/waiter_group.h"

#include <string.h>

#define MOST_STEPS 1000000  /* groups visited in one window: below a tenth of a second */
#define FEW_INSTANCES 64    /* a cycle of groups with no more has all of them asked */
#define MOST_INSTANCES 24   /* of others so many, spread over the window */
#define TIRING_INSTANCES 64 /* so many in vain halve the number */
#define MOST_LISTED 4096

struct deadlock_search {
	struct analysis *analysis;
	struct waiters waiters;
	struct groups groups;
	struct order_query query;
	bool every, stopped;
	uint64_t steps;
	VEC(uint32_t) path;	 /* groups */
	bool *used;		 /* threads on the path */
	uint32_t *required;	 /* for the witness */
	struct map asked, found; /* sets of events that were asked; keys with a claim */
};

/* ---- asking about one set of events --------------------------------------------------------- */

/* The same in any order. */
static uint64_t hash_set(const uint32_t *items, size_t count)
{
	uint64_t sum = 0, hash;

	for (size_t i = 0; i < count; i++) {
		hash = (items[i] + 1) * 0x9e3779b97f4a7c15u;
		sum += (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
	}
	return sum;
}

static void require(struct deadlock_search *s, uint32_t node)
{
	const struct order_model *model = &s->waiters.window->model;
	uint32_t *required = &s->required[model->thread.items[node]];

	if (*required <= model->position.items[node])
		*required = model->position.items[node] + 1;
}

static void add_clauses(struct deadlock_search *s, const struct waiter *w)
{
	int32_t literal;

	for (uint32_t i = 0; i < w->need_count; i++) {
		uint32_t need = s->waiters.needs.items[w->need_start + i];

		require(s, need);
		literal = order_query_before(&s->query, need, ORDER_CUT);
		order_query_clause(&s->query, &literal, 1);
	}
	if (w->node != ORDER_NONE) {
		literal = order_query_before(&s->query, ORDER_CUT, w->node);
		order_query_clause(&s->query, &literal, 1);
	}
	if (w->until != ORDER_NONE) {
		literal = order_query_before(&s->query, ORDER_CUT, w->until);
		order_query_clause(&s->query, &literal, 1);
	}
}

static void add_claim(struct deadlock_search *s, const struct order_solution *solution,
		      const uint32_t *items, size_t count, uint64_t key)
{
	struct analysis_claim *claim = analysis_add_claim(s->analysis, solution, s->required);
	bool all_pending = true;

	claim->kind = FINDING_DEADLOCK;
	claim->claim = CHECKER_CYCLE;
	claim->key = key;
	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &s->waiters.items.items[items[i]];

		*vec_push(&claim->events) = waiters_event(&s->waiters, w);
		*vec_push(&claim->waits_for) = (uint32_t)((i + 1) % count);
		all_pending &= w->node == ORDER_NONE && w->until == ORDER_NONE;
	}
	/* What hung for good stands where the recorded run left it. */
	claim->status = all_pending ? FINDING_OBSERVED : FINDING_PREDICTED;
}

/* `items`: waiters, each waiting for the next. True when it can be. */
static bool ask(struct deadlock_search *s, const uint32_t *items, size_t count, uint64_t key)
{
	struct order_solution solution;
	bool fresh;

	/* Readers can stand in each other's way in more than one order. */
	map_put(&s->asked, hash_set(items, count), &fresh);
	if (!fresh)
		return false;
	s->analysis->stats.candidates++;
	order_query_clear(&s->query);
	memset(s->required, 0, s->waiters.window->model.thread_count * sizeof *s->required);
	for (size_t i = 0; i < count; i++)
		add_clauses(s, &s->waiters.items.items[items[i]]);
	if (analysis_ask(s->analysis, &s->query, &solution) != ORDER_POSSIBLE) {
		if (!s->every)
			analysis_count_failures(s->analysis, key, 1);
		return false;
	}
	add_claim(s, &solution, items, count, key);
	return true;
}

/* ---- from a cycle of groups to events ------------------------------------------------------- */

struct deadlock_instances {
	VEC(uint32_t) items; /* waiters, `width` for each */
	size_t width;
	bool all; /* all there are, or just one for each member of the first group */
};

static bool fits(const struct deadlock_search *s, const uint32_t *chosen, size_t count,
		 uint32_t item)
{
	const struct waiter *w = &s->waiters.items.items[item];

	for (size_t i = 0; i < count; i++)
		if (waiters_ordered(&s->waiters, s->analysis->clock,
				    &s->waiters.items.items[chosen[i]], w))
			return false;
	return true;
}

/* Unless all of it was in an earlier window. */
static void list_one(struct deadlock_search *s, struct deadlock_instances *list,
		     const uint32_t *chosen)
{
	bool fresh = false;

	for (size_t i = 0; i < list->width; i++)
		fresh |= s->waiters.items.items[chosen[i]].fresh;
	for (size_t i = 0; fresh && i < list->width; i++)
		*vec_push(&list->items) = chosen[i];
}

/* All combinations, in program order. */
static void list_all(struct deadlock_search *s, struct deadlock_instances *list, uint32_t *chosen,
		     size_t depth)
{
	const struct waiter_group *group;

	if (depth == list->width) {
		list_one(s, list, chosen);
		return;
	}
	group = &s->groups.items.items[s->path.items[depth]];
	for (uint32_t i = 0; i < group->count; i++) {
		chosen[depth] = s->groups.members[group->start + i];
		if (fits(s, chosen, depth, chosen[depth]))
			list_all(s, list, chosen, depth + 1);
	}
}

static uint32_t time_of(const struct deadlock_search *s, uint32_t item)
{
	uint32_t node = s->waiters.items.items[item].node;

	return node == ORDER_NONE ? s->waiters.window->model.node_count : node;
}

/* The member of a group nearest in recorded time to `time` that fits to those chosen. */
static uint32_t nearest(const struct deadlock_search *s, const struct waiter_group *group,
			uint32_t time, const uint32_t *chosen, size_t count)
{
	uint32_t low = 0, high = group->count;
	int tries = 64;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (time_of(s, s->groups.members[group->start + middle]) < time)
			low = middle + 1;
		else
			high = middle;
	}
	/* Members below `low` and from `high` on have not been looked at. */
	while (tries-- && (low > 0 || high < group->count)) {
		uint32_t item;

		if (high == group->count ||
		    (low > 0 && time - time_of(s, s->groups.members[group->start + low - 1]) <
					time_of(s, s->groups.members[group->start + high]) - time))
			item = s->groups.members[group->start + --low];
		else
			item = s->groups.members[group->start + high++];
		if (fits(s, chosen, count, item))
			return item;
	}
	return ORDER_NONE;
}

static void list_nearest(struct deadlock_search *s, struct deadlock_instances *list,
			 uint32_t *chosen)
{
	const struct waiter_group *first = &s->groups.items.items[s->path.items[0]];
	uint32_t stride = first->count / MOST_LISTED + 1;

	for (uint32_t i = 0; i < first->count; i += stride) {
		size_t n = 1;

		chosen[0] = s->groups.members[first->start + i];
		for (; n < list->width; n++) {
			chosen[n] = nearest(s, &s->groups.items.items[s->path.items[n]],
					    time_of(s, chosen[0]), chosen, n);
			if (chosen[n] == ORDER_NONE)
				break;
		}
		if (n == list->width)
			list_one(s, list, chosen);
	}
}

/* How many to ask about: fewer when it was in vain in earlier windows. */
static size_t limit_of(const struct deadlock_search *s, uint64_t key)
{
	uint64_t halvings = analysis_earlier_failures(s->analysis, key) / TIRING_INSTANCES;

	return halvings < 4 ? MOST_INSTANCES >> halvings : 2;
}

static void list_instances(struct deadlock_search *s, struct deadlock_instances *list,
			   uint32_t *chosen)
{
	uint64_t combinations = 1;

	list->all = true;
	for (size_t i = 0; i < list->width && list->all; i++) {
		combinations *= s->groups.items.items[s->path.items[i]].count;
		list->all = combinations <= FEW_INSTANCES;
	}
	if (list->all)
		list_all(s, list, chosen, 0);
	else
		list_nearest(s, list, chosen);
}

/* Asks about members of the groups on the path until one set is possible. */
static void try_cycle(struct deadlock_search *s)
{
	struct deadlock_instances list = { .width = s->path.count };
	uint32_t *chosen = mem_zalloc(list.width, sizeof *chosen);
	size_t count, stride;
	bool found = false;
	uint64_t key;

	for (size_t i = 0; i < list.width; i++)
		chosen[i] = s->groups.members[s->groups.items.items[s->path.items[i]].start];
	key = waiters_key(&s->waiters, FINDING_DEADLOCK, chosen, list.width, s->every);
	if (map_get(&s->found, key) || (!s->every && analysis_has_finding(s->analysis, key))) {
		s->analysis->stats.same_sites++;
	} else {
		list_instances(s, &list, chosen);
		count = list.items.count / list.width;
		stride = list.all ? 1 : count / limit_of(s, key) + 1;
		for (size_t i = 0; i < count && !found; i += stride)
			found = ask(s, &list.items.items[i * list.width], list.width, key);
		if (found)
			map_put(&s->found, key, NULL);
		/* Those that were left out are not counted one by one: there can be 10^12. */
		if (!found && !list.all)
			s->analysis->stats.not_asked++;
	}
	free(chosen);
	vec_free(&list.items);
}

/* ---- cycles of groups ----------------------------------------------------------------------- */

/* Can the group go on the path, behind its last? */
static bool continues(const struct deadlock_search *s, uint32_t group)
{
	const struct waiter *w = groups_first(&s->groups, group);

	/* The thread with the lowest number starts the cycle, so that each is found once. */
	if (s->used[w->thread] || w->thread <= groups_first(&s->groups, s->path.items[0])->thread ||
	    w->self)
		return false;
	for (size_t i = 0; i < s->path.count; i++) {
		const struct waiter *other = groups_first(&s->groups, s->path.items[i]);

		if (waiters_exclude(&s->waiters, other, w) ||
		    (s->every && waiters_ordered(&s->waiters, s->analysis->clock, other, w)))
			return false;
	}
	return true;
}

/* Counts a step; false when there were too many of them or the time is over. */
static bool may_go_on(struct deadlock_search *s)
{
	if ((++s->steps > MOST_STEPS && !s->every) ||
	    (s->steps % 1024 == 0 && analysis_out_of_time(s->analysis)))
		s->stopped = true;
	return !s->stopped;
}

static void extend(struct deadlock_search *s)
{
	const struct waiter *last = groups_first(&s->groups, s->path.items[s->path.count - 1]);
	size_t count;
	const struct waiter_group_owner *owners = groups_owners(&s->groups, last, &count);

	for (size_t i = 0; i < count && may_go_on(s); i++) {
		uint32_t group = owners[i].group;
		const struct waiter *w = groups_first(&s->groups, group);

		if (!waiters_blocks(&s->waiters, last, w))
			continue;
		if (group == s->path.items[0]) {
			try_cycle(s);
		} else if (continues(s, group)) {
			*vec_push(&s->path) = group;
			s->used[w->thread] = true;
			extend(s);
			s->used[w->thread] = false;
			s->path.count--;
		}
	}
}

static void search_cycles(struct deadlock_search *s)
{
	for (uint32_t g = 0; g < s->groups.items.count; g++) {
		const struct waiter *w = groups_first(&s->groups, g);

		s->path.count = 0;
		*vec_push(&s->path) = g;
		if (w->self) {
			try_cycle(s);
			continue;
		}
		s->used[w->thread] = true;
		extend(s);
		s->used[w->thread] = false;
	}
	if (s->stopped)
		s->analysis->stats.not_asked++;
}

void predict_deadlocks(struct analysis *analysis)
{
	struct deadlock_search s = { .analysis = analysis, .every = analysis->options->every };
	uint32_t threads = analysis->window->model.thread_count;

	waiters_make(&s.waiters, analysis->window);
	groups_make(&s.groups, &s.waiters, s.every);
	s.used = mem_zalloc(threads + 1, sizeof *s.used);
	s.required = mem_zalloc(threads + 1, sizeof *s.required);
	search_cycles(&s);

	free(s.used);
	free(s.required);
	vec_free(&s.path);
	map_free(&s.asked);
	map_free(&s.found);
	order_query_free(&s.query);
	groups_free(&s.groups);
	waiters_free(&s.waiters);
}
