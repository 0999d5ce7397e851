#include "predict/deadlock/waiter_group.h"

#include "base/hash.h"
#include "base/mem.h"

/* What a thread can have, and others wait for; the lowest bit of a lock that is had: shared. */
enum thing { THING_LOCK, THING_THREAD, THING_ONCE };
#define THING(kind, number) ((uint64_t)(kind) << 34 | (uint64_t)(number) << 1)
#define NOTHING UINT64_MAX

static void list_had(struct groups *g)
{
	const struct window *window = g->waiters->window;
	size_t count = g->waiters->items.count;

	g->had_start = mem_zalloc(count + 1, sizeof *g->had_start);
	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &g->waiters->items.items[i];

		for (uint32_t at = w->held; at != ORDER_NONE; at = window->held.items[at].outer) {
			const struct window_held *held = &window->held.items[at];

			if (held->lock != ORDER_NONE)
				*vec_push(&g->had) = THING(THING_LOCK, held->lock) | held->shared;
		}
		for (uint32_t o = 0; o < window->onces.count; o++)
			if (waiters_runs_once(window, o, w->thread, w->position))
				*vec_push(&g->had) = THING(THING_ONCE, o);
		*vec_push(&g->had) = THING(THING_THREAD, w->thread);
		g->had_start[i + 1] = (uint32_t)g->had.count;
	}
}

static uint64_t wanted(const struct waiter *w)
{
	return w->lock != ORDER_NONE	 ? THING(THING_LOCK, w->lock)
	       : w->joined != ORDER_NONE ? THING(THING_THREAD, w->joined)
	       : w->once != ORDER_NONE	 ? THING(THING_ONCE, w->once)
					 : NOTHING;
}

static bool has_wanted(const struct groups *g, size_t waiter, const struct map *wants)
{
	for (uint32_t k = g->had_start[waiter]; k < g->had_start[waiter + 1]; k++)
		if (map_get(wants, g->had.items[k] & ~1ull))
			return true;
	return false;
}

/*
 * One round of dropping who has nothing that another wants, or wants what nobody has. Most
 * programs end here: few locks are taken while others are held.
 */
static bool drop_hopeless(const struct groups *g, bool *alive)
{
	struct map wants = { 0 }, has = { 0 };
	bool dropped = false;

	for (size_t i = 0; i < g->waiters->items.count; i++) {
		if (!alive[i])
			continue;
		map_put(&wants, wanted(&g->waiters->items.items[i]), NULL);
		for (uint32_t k = g->had_start[i]; k < g->had_start[i + 1]; k++)
			map_put(&has, g->had.items[k] & ~1ull, NULL);
	}
	for (size_t i = 0; i < g->waiters->items.count; i++) {
		if (!alive[i] || (has_wanted(g, i, &wants) &&
				  map_get(&has, wanted(&g->waiters->items.items[i]))))
			continue;
		alive[i] = false;
		dropped = true;
	}
	map_free(&wants);
	map_free(&has);
	return dropped;
}

static uint64_t signature(const struct groups *g, uint32_t waiter)
{
	const struct waiter *w = &g->waiters->items.items[waiter];
	uint64_t hash = hash_mix(hash_mix(0, wanted(w)), w->site);

	hash = hash_mix(hash, (uint64_t)w->shared << 1 | w->self);

	for (uint32_t k = g->had_start[waiter]; k < g->had_start[waiter + 1]; k++)
		hash = hash_mix(hash, g->had.items[k]);
	return hash;
}

/* Groups are numbered as their first members come; two walks, to count and to fill. */
static void fill_groups(struct groups *g, const bool *alive, bool every)
{
	uint32_t count = (uint32_t)g->waiters->items.count, total = 0;
	uint32_t *group_of = mem_zalloc(count + 1, sizeof *group_of);
	struct map numbers = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		bool fresh;
		uint64_t *number;

		if (!alive[i])
			continue;
		number = map_put(&numbers, every ? i : signature(g, i), &fresh);
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

		if (alive[i])
			g->members[group->start + group->count++] = i;
	}
	map_free(&numbers);
	free(group_of);
}

static int compare_owners(const void *a, const void *b)
{
	const struct waiter_group_owner *x = a, *y = b;

	if (x->thing != y->thing)
		return x->thing < y->thing ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

static void index_owners(struct groups *g)
{
	size_t n = 0;

	for (uint32_t i = 0; i < g->items.count; i++) {
		uint32_t waiter = g->members[g->items.items[i].start];

		for (uint32_t k = g->had_start[waiter]; k < g->had_start[waiter + 1]; k++)
			*vec_push(&g->owners) =
				(struct waiter_group_owner){ g->had.items[k] & ~1ull, i };
	}
	if (g->owners.count)
		qsort(g->owners.items, g->owners.count, sizeof *g->owners.items, compare_owners);
	for (size_t i = 0; i < g->owners.count; i++) /* who reads twice has it once */
		if (n == 0 || compare_owners(&g->owners.items[n - 1], &g->owners.items[i]))
			g->owners.items[n++] = g->owners.items[i];
	g->owners.count = n;
	for (size_t i = n; i-- > 0;) /* the lowest stays */
		*map_put(&g->first_owner, g->owners.items[i].thing, NULL) = i;
}

void groups_make(struct groups *g, const struct waiters *waiters, bool every)
{
	bool *alive = mem_zalloc(waiters->items.count + 1, sizeof *alive);

	*g = (struct groups){ .waiters = waiters };
	list_had(g);
	for (size_t i = 0; i < waiters->items.count; i++)
		alive[i] = wanted(&waiters->items.items[i]) != NOTHING;
	while (drop_hopeless(g, alive))
		;
	fill_groups(g, alive, every);
	index_owners(g);
	free(alive);
}

void groups_free(struct groups *g)
{
	free(g->had_start);
	free(g->members);
	vec_free(&g->had);
	vec_free(&g->items);
	vec_free(&g->owners);
	map_free(&g->first_owner);
}

const struct waiter *groups_first(const struct groups *g, uint32_t group)
{
	return &g->waiters->items.items[g->members[g->items.items[group].start]];
}

const struct waiter_group_owner *groups_owners(const struct groups *g, const struct waiter *w,
					       size_t *count)
{
	uint64_t thing = wanted(w);
	const uint64_t *first = map_get(&g->first_owner, thing);

	*count = 0;
	if (!first)
		return NULL;
	while (*first + *count < g->owners.count && g->owners.items[*first + *count].thing == thing)
		++*count;
	return &g->owners.items[*first];
}
