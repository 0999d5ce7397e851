/*
 * Groups the waiters that can be part of a cycle, and indexes the groups by the resources that
 * their threads have. Before that, drops all waiters that cannot be in a cycle because their thread
 * has nothing that another thread wants.
 */
#include "predict/deadlock/waiter_group.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/sort.h"

/*
 * Resources: what a thread can have and other threads can wait for. The lowest bit of an owned lock
 * is 1 if it is held for reading.
 */
enum resource { RESOURCE_LOCK, RESOURCE_THREAD, RESOURCE_ONCE };
#define RESOURCE(kind, number) ((uint64_t)(kind) << 34 | (uint64_t)(number) << 1)
#define NOTHING UINT64_MAX

static void list_owned(struct waiter_groups *g)
{
	const struct window *window = g->waiters->window;
	size_t count = g->waiters->items.count;

	g->owned_start = mem_zalloc(count + 1, sizeof *g->owned_start);
	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &g->waiters->items.items[i];

		for (uint32_t at = w->held; at != ORDER_NONE; at = window->held.items[at].outer) {
			const struct window_held *held = &window->held.items[at];

			if (held->lock != ORDER_NONE)
				*vec_push(&g->owned) =
					RESOURCE(RESOURCE_LOCK, held->lock) | held->shared;
		}
		for (uint32_t o = 0; o < window->onces.count; o++)
			if (waiters_runs_once(window, o, w->thread, w->position))
				*vec_push(&g->owned) = RESOURCE(RESOURCE_ONCE, o);
		*vec_push(&g->owned) = RESOURCE(RESOURCE_THREAD, w->thread);
		g->owned_start[i + 1] = (uint32_t)g->owned.count;
	}
}

static uint64_t wanted_resource(const struct waiter *w)
{
	return w->lock != ORDER_NONE	 ? RESOURCE(RESOURCE_LOCK, w->lock)
	       : w->joined != ORDER_NONE ? RESOURCE(RESOURCE_THREAD, w->joined)
	       : w->once != ORDER_NONE	 ? RESOURCE(RESOURCE_ONCE, w->once)
					 : NOTHING;
}

static bool owns_wanted(const struct waiter_groups *g, size_t waiter, const struct map *wants)
{
	for (uint32_t k = g->owned_start[waiter]; k < g->owned_start[waiter + 1]; k++)
		if (map_get(wants, g->owned.items[k] & ~1ull))
			return true;
	return false;
}

/*
 * Drops, in one round, the waiters whose thread has nothing that another waiter wants, and those
 * that want what no thread has. Most programs end here: few locks are taken while others are held.
 */
static bool drop_waiters_outside_cycles(const struct waiter_groups *g, bool *possible)
{
	struct map wants = { 0 }, has = { 0 };
	bool dropped = false;

	for (size_t i = 0; i < g->waiters->items.count; i++) {
		if (!possible[i])
			continue;
		map_put(&wants, wanted_resource(&g->waiters->items.items[i]), NULL);
		for (uint32_t k = g->owned_start[i]; k < g->owned_start[i + 1]; k++)
			map_put(&has, g->owned.items[k] & ~1ull, NULL);
	}
	for (size_t i = 0; i < g->waiters->items.count; i++) {
		if (!possible[i] || (owns_wanted(g, i, &wants) &&
				     map_get(&has, wanted_resource(&g->waiters->items.items[i]))))
			continue;
		possible[i] = false;
		dropped = true;
	}
	map_free(&wants);
	map_free(&has);
	return dropped;
}

static uint64_t group_signature(const struct waiter_groups *g, uint32_t waiter)
{
	const struct waiter *w = &g->waiters->items.items[waiter];
	uint64_t hash = hash_mix(hash_mix(0, wanted_resource(w)), w->site);

	hash = hash_mix(hash, (uint64_t)w->shared << 1 | w->self);

	for (uint32_t k = g->owned_start[waiter]; k < g->owned_start[waiter + 1]; k++)
		hash = hash_mix(hash, g->owned.items[k]);
	return hash;
}

/* Groups are numbered in the order of their first members. Two passes: count, then fill. */
static void fill_groups(struct waiter_groups *g, const bool *possible, bool every)
{
	uint32_t count = (uint32_t)g->waiters->items.count, total = 0;
	uint32_t *group_of = mem_zalloc(count + 1, sizeof *group_of);
	struct map numbers = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		bool fresh;
		uint64_t *number;

		if (!possible[i])
			continue;
		number = map_put(&numbers, every ? i : group_signature(g, i), &fresh);
		if (fresh) {
			*number = g->items.count;
			*vec_push(&g->items) = (struct waiter_group){ 0 };
		}
		group_of[i] = (uint32_t)*number;
		g->items.items[*number].count++;
	}
	for (size_t i = 0; i < g->items.count; i++) {
		g->items.items[i].start = total;
		total += g->items.items[i].count;
		g->items.items[i].count = 0;
	}
	g->members = mem_zalloc(total + 1, sizeof *g->members);
	for (uint32_t i = 0; i < count; i++) {
		struct waiter_group *group = &g->items.items[group_of[i]];

		if (possible[i])
			g->members[group->start + group->count++] = i;
	}
	map_free(&numbers);
	free(group_of);
}

SORT_COMPARISON(by_resource, struct resource_owner, a, b,
		sort_order(a->resource, b->resource) ?: sort_order(a->group, b->group))

static void index_owners(struct waiter_groups *g)
{
	size_t n = 0;

	for (uint32_t i = 0; i < g->items.count; i++) {
		uint32_t waiter = g->members[g->items.items[i].start];

		for (uint32_t k = g->owned_start[waiter]; k < g->owned_start[waiter + 1]; k++)
			*vec_push(&g->owners) =
				(struct resource_owner){ g->owned.items[k] & ~1ull, i };
	}
	vec_sort(&g->owners, by_resource);
	/* a lock that a thread holds twice is listed once */
	for (size_t i = 0; i < g->owners.count; i++)
		if (n == 0 || by_resource(&g->owners.items[n - 1], &g->owners.items[i]))
			g->owners.items[n++] = g->owners.items[i];
	g->owners.count = n;
	for (size_t i = n; i-- > 0;) /* backwards: the first owner remains */
		*map_put(&g->first_owner, g->owners.items[i].resource, NULL) = i;
}

void waiter_groups_make(struct waiter_groups *g, const struct waiters *waiters, bool every)
{
	bool *possible = mem_zalloc(waiters->items.count + 1, sizeof *possible);

	*g = (struct waiter_groups){ .waiters = waiters };
	list_owned(g);
	for (size_t i = 0; i < waiters->items.count; i++)
		possible[i] = wanted_resource(&waiters->items.items[i]) != NOTHING;
	while (drop_waiters_outside_cycles(g, possible))
		;
	fill_groups(g, possible, every);
	index_owners(g);
	free(possible);
}

void waiter_groups_free(struct waiter_groups *g)
{
	free(g->owned_start);
	free(g->members);
	vec_free(&g->owned);
	vec_free(&g->items);
	vec_free(&g->owners);
	map_free(&g->first_owner);
}

const struct waiter *waiter_groups_first(const struct waiter_groups *g, uint32_t group)
{
	return &g->waiters->items.items[g->members[g->items.items[group].start]];
}

const struct resource_owner *waiter_groups_owners(const struct waiter_groups *g,
						  const struct waiter *w, size_t *count)
{
	uint64_t resource = wanted_resource(w);
	const uint64_t *first = map_get(&g->first_owner, resource);

	*count = 0;
	if (!first)
		return NULL;
	while (*first + *count < g->owners.count &&
	       g->owners.items[*first + *count].resource == resource)
		++*count;
	return &g->owners.items[*first];
}
