/*
 * Deadlocks by a cycle: each thread waits for something that the next thread in the cycle has.
 *
 * The search first looks for cycles among groups of waiters (waiter_group.h), of which there are
 * few, and then for members of these groups. It drops cycles with a gate lock: a lock that two of
 * the threads hold and that only one thread can have. The solver decides the rest: can all members
 * be next? The query need not say what the threads hold, because a thread's position determines
 * that.
 */
#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"
#include "predict/deadlock/waiter_group.h"
#include "predict/driver/node_query.h"
#include "predict/driver/site_group.h"

#define MOST_STEPS 1000000 /* groups visited in one window: less than a tenth of a second */
#define FEW_INSTANCES                                                                              \
	64 /* if a cycle of groups has at most this many instances, all are asked about */
#define MOST_INSTANCES 24 /* otherwise this many are asked about, spread over the window */
#define MOST_LISTED 4096

struct deadlock_search {
	struct analysis *analysis;
	struct waiters waiters;
	struct waiter_groups groups;
	struct node_query query;
	bool every, stopped;
	uint64_t steps;
	VEC(uint32_t) path;	 /* groups */
	bool *used;		 /* by thread: is it on the path? */
	struct map asked, found; /* hashes of sets that were asked about; keys that have a claim */
};

/* ---- a query about one set of events --------------------------------------------------------- */

/* A hash that does not depend on the order of the items. */
static uint64_t hash_set(const uint32_t *items, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += hash_number(items[i] + UINT64_C(1));
	return sum;
}

static void demand_next(struct deadlock_search *s, const struct waiter *w)
{
	for (uint32_t i = 0; i < w->required_count; i++)
		node_query_inside(&s->query, s->waiters.required.items[w->required_start + i]);
	if (w->node != ORDER_NONE)
		node_query_before(&s->query, ORDER_CUT, w->node);
	if (w->until != ORDER_NONE)
		node_query_before(&s->query, ORDER_CUT, w->until);
}

static void add_claim(struct deadlock_search *s, const struct order_solution *solution,
		      const uint32_t *items, size_t count, uint64_t key)
{
	struct analysis_claim *claim = analysis_add_claim(s->analysis, solution, s->query.required);
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
	/* If all requests are pending, the recorded run itself ended in this deadlock. */
	claim->status = all_pending ? FINDING_OBSERVED : FINDING_PREDICTED;
}

/* `items`: waiters, each waiting for the next. Returns whether the deadlock is possible. */
static bool ask_about_cycle(struct deadlock_search *s, const uint32_t *items, size_t count,
			    uint64_t key)
{
	struct order_solution solution;
	bool fresh;

	/* Readers can block each other in more than one order: the same set may come twice. */
	map_put(&s->asked, hash_set(items, count), &fresh);
	if (!fresh)
		return false;
	s->analysis->stats.candidates++;
	node_query_clear(&s->query);
	for (size_t i = 0; i < count; i++)
		demand_next(s, &s->waiters.items.items[items[i]]);
	if (analysis_ask(s->analysis, &s->query.query, &solution) != ORDER_POSSIBLE) {
		if (!s->every)
			analysis_count_failures(s->analysis, key, 1);
		return false;
	}
	add_claim(s, &solution, items, count, key);
	return true;
}

/* ---- from a cycle of groups to events -------------------------------------------------------- */

struct deadlock_instances {
	VEC(uint32_t) items; /* waiters, `width` for each instance */
	size_t width;
	/*
	 * true: the list is complete; false: each listed member of the first group has one instance
	 */
	bool all;
};

static bool can_be_next_with(const struct deadlock_search *s, const uint32_t *chosen, size_t count,
			     uint32_t item)
{
	const struct waiter *w = &s->waiters.items.items[item];

	for (size_t i = 0; i < count; i++)
		if (waiters_ordered(&s->waiters, s->analysis->clock,
				    &s->waiters.items.items[chosen[i]], w))
			return false;
	return true;
}

/* Adds the instance unless all of it was in an earlier window. */
static void add_instance(struct deadlock_search *s, struct deadlock_instances *list,
			 const uint32_t *chosen)
{
	bool fresh = false;

	for (size_t i = 0; i < list->width; i++)
		fresh |= s->waiters.items.items[chosen[i]].fresh;
	for (size_t i = 0; fresh && i < list->width; i++)
		*vec_push(&list->items) = chosen[i];
}

/* Lists all combinations of members that can be next together. */
static void list_all_instances(struct deadlock_search *s, struct deadlock_instances *list,
			       uint32_t *chosen, size_t depth)
{
	const struct waiter_group *group;

	if (depth == list->width) {
		add_instance(s, list, chosen);
		return;
	}
	group = &s->groups.items.items[s->path.items[depth]];
	for (uint32_t i = 0; i < group->count; i++) {
		chosen[depth] = s->groups.members[group->start + i];
		if (can_be_next_with(s, chosen, depth, chosen[depth]))
			list_all_instances(s, list, chosen, depth + 1);
	}
}

static uint32_t time_of(const struct deadlock_search *s, uint32_t item)
{
	uint32_t node = s->waiters.items.items[item].node;

	return node == ORDER_NONE ? s->waiters.window->model.node_count : node;
}

/*
 * Returns the member of a group that was recorded nearest to `time` and that can be next together
 * with the chosen waiters. Gives up after 64 members.
 */
static uint32_t find_nearest_member(const struct deadlock_search *s,
				    const struct waiter_group *group, uint32_t time,
				    const uint32_t *chosen, size_t count)
{
	const uint32_t *members = &s->groups.members[group->start];
	uint32_t low, high;
	int tries = 64;

	SEARCH_FIRST(high, group->count, time_of(s, members[high]) >= time);
	low = high;
	/* Members below `low` and from `high` on have not been tried. */
	while (tries-- && (low > 0 || high < group->count)) {
		uint32_t item;

		if (high == group->count || (low > 0 && time - time_of(s, members[low - 1]) <
								time_of(s, members[high]) - time))
			item = members[--low];
		else
			item = members[high++];
		if (can_be_next_with(s, chosen, count, item))
			return item;
	}
	return ORDER_NONE;
}

static void list_near_instances(struct deadlock_search *s, struct deadlock_instances *list,
				uint32_t *chosen)
{
	const struct waiter_group *first = &s->groups.items.items[s->path.items[0]];
	uint32_t stride = first->count / MOST_LISTED + 1;

	for (uint32_t i = 0; i < first->count; i += stride) {
		size_t n = 1;

		chosen[0] = s->groups.members[first->start + i];
		for (; n < list->width; n++) {
			chosen[n] = find_nearest_member(s, &s->groups.items.items[s->path.items[n]],
							time_of(s, chosen[0]), chosen, n);
			if (chosen[n] == ORDER_NONE)
				break;
		}
		if (n == list->width)
			add_instance(s, list, chosen);
	}
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
		list_all_instances(s, list, chosen, 0);
	else
		list_near_instances(s, list, chosen);
}

/* Asks about members of the groups on the path until one set is possible. */
static void ask_about_members(struct deadlock_search *s)
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
		stride = list.all ? 1
				  : count / site_group_query_limit(s->analysis, key,
								   MOST_INSTANCES) +
					    1;
		for (size_t i = 0; i < count && !found; i += stride)
			found = ask_about_cycle(s, &list.items.items[i * list.width], list.width,
						key);
		if (found)
			map_put(&s->found, key, NULL);
		/* Instances that were left out are not counted one by one: there can be 10^12. */
		if (!found && !list.all)
			s->analysis->stats.not_asked++;
	}
	free(chosen);
	vec_free(&list.items);
}

/* ---- cycles of groups ------------------------------------------------------------------------ */

/* Can the group follow the last one on the path? */
static bool can_continue(const struct deadlock_search *s, uint32_t group)
{
	const struct waiter *w = waiter_groups_first(&s->groups, group);

	/* The thread with the lowest number starts the cycle, so that each cycle is found once. */
	if (s->used[w->thread] ||
	    w->thread <= waiter_groups_first(&s->groups, s->path.items[0])->thread || w->self)
		return false;
	for (size_t i = 0; i < s->path.count; i++) {
		const struct waiter *other = waiter_groups_first(&s->groups, s->path.items[i]);

		if (waiters_exclude(&s->waiters, other, w) ||
		    (s->every && waiters_ordered(&s->waiters, s->analysis->clock, other, w)))
			return false;
	}
	return true;
}

/* Counts a step. Returns false when there were too many steps or the time is up. */
static bool count_step(struct deadlock_search *s)
{
	if ((++s->steps > MOST_STEPS && !s->every) ||
	    (s->steps % 1024 == 0 && analysis_out_of_time(s->analysis)))
		s->stopped = true;
	return !s->stopped;
}

static void extend_path(struct deadlock_search *s)
{
	const struct waiter *last =
		waiter_groups_first(&s->groups, s->path.items[s->path.count - 1]);
	size_t count;
	const struct resource_owner *owners = waiter_groups_owners(&s->groups, last, &count);

	for (size_t i = 0; i < count && count_step(s); i++) {
		uint32_t group = owners[i].group;
		const struct waiter *w = waiter_groups_first(&s->groups, group);

		if (!waiters_blocks(&s->waiters, last, w))
			continue;
		if (group == s->path.items[0]) {
			ask_about_members(s);
		} else if (can_continue(s, group)) {
			*vec_push(&s->path) = group;
			s->used[w->thread] = true;
			extend_path(s);
			s->used[w->thread] = false;
			s->path.count--;
		}
	}
}

static void search_cycles(struct deadlock_search *s)
{
	for (uint32_t g = 0; g < s->groups.items.count; g++) {
		const struct waiter *w = waiter_groups_first(&s->groups, g);

		s->path.count = 0;
		*vec_push(&s->path) = g;
		if (w->self) {
			ask_about_members(s);
			continue;
		}
		s->used[w->thread] = true;
		extend_path(s);
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
	waiter_groups_make(&s.groups, &s.waiters, s.every);
	s.used = mem_zalloc(threads + 1, sizeof *s.used);
	node_query_open(&s.query, &analysis->window->model);
	search_cycles(&s);

	free(s.used);
	vec_free(&s.path);
	map_free(&s.asked);
	map_free(&s.found);
	node_query_close(&s.query);
	waiter_groups_free(&s.groups);
	waiters_free(&s.waiters);
}
