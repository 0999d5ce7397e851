/*
 * Deadlocks by a cycle: threads each of which waits for what the next one has.
 *
 * Waiters that nothing distinguishes (the same thread, place, locks held and wanted) form a group:
 * an abstract event in the words of Tunç, Mathur, Pavlogiannis and Viswanathan, "Sound Dynamic
 * Deadlock Prediction in Linear Time" (PLDI 2023). Cycles are looked for among groups, of which
 * there are few, and only then among their members. A cycle with a gate lock (two hold what only
 * one can) is dropped on the way. What is left goes to the solver: all members next. That each
 * holds what the one before it waits for needs no clause, since a thread's position says it.
 */
#include "base/map.h"
#include "base/mem.h"
#include "predict/analysis.h"
#include "predict/waiter.h"

#include <string.h>

#define MOST_STEPS 1000000 /* groups visited in one window: below a tenth of a second */
#define FEW_INSTANCES 64   /* a cycle of groups with no more has all of them asked */
#define MOST_INSTANCES 24  /* of others so many, spread over the window */
#define MOST_LISTED 4096

/* What a thread can have, and others wait for; the lowest bit of a lock that is had: shared. */
enum thing { THING_LOCK, THING_THREAD, THING_ONCE };
#define THING(kind, number) ((uint64_t)(kind) << 34 | (uint64_t)(number) << 1)
#define NOTHING UINT64_MAX

struct group {
	uint32_t start, count; /* in members */
};
struct owner {
	uint64_t thing;
	uint32_t group;
};

struct search {
	struct analysis *analysis;
	struct waiters waiters;
	struct order_query query;
	bool every;
	uint64_t steps;
	uint32_t *had_start; /* a waiter's part of `had`; one more at the end */
	VEC(uint64_t) had;   /* things */
	uint32_t *members;   /* waiters that can be in a cycle; by group, in program order */
	VEC(struct group) groups;
	VEC(struct owner) owners; /* by thing */
	struct map first_owner;	  /* thing: position in owners */
	VEC(uint32_t) path;	  /* groups */
	bool *used;		  /* threads on the path */
	uint32_t *required;	  /* for the witness */
	struct map asked, found;  /* sets of events that were asked; keys with a claim */
};

static const struct waiter *first_of(const struct search *s, uint32_t group)
{
	return &s->waiters.items.items[s->members[s->groups.items[group].start]];
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

/* ---- who can be in a cycle ------------------------------------------------------------------ */

static void list_had(struct search *s)
{
	const struct window *window = s->waiters.window;
	size_t count = s->waiters.items.count;

	s->had_start = mem_zalloc(count + 1, sizeof *s->had_start);
	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &s->waiters.items.items[i];

		for (uint32_t at = w->held; at != ORDER_NONE; at = window->held.items[at].outer) {
			const struct window_held *held = &window->held.items[at];

			if (held->lock != ORDER_NONE)
				*vec_push(&s->had) = THING(THING_LOCK, held->lock) | held->shared;
		}
		for (uint32_t o = 0; o < window->onces.count; o++)
			if (waiters_runs_once(window, o, w->thread, w->position))
				*vec_push(&s->had) = THING(THING_ONCE, o);
		*vec_push(&s->had) = THING(THING_THREAD, w->thread);
		s->had_start[i + 1] = (uint32_t)s->had.count;
	}
}

static uint64_t wanted(const struct waiter *w)
{
	return w->lock != ORDER_NONE	 ? THING(THING_LOCK, w->lock)
	       : w->joined != ORDER_NONE ? THING(THING_THREAD, w->joined)
	       : w->once != ORDER_NONE	 ? THING(THING_ONCE, w->once)
					 : NOTHING;
}

static bool has_wanted(const struct search *s, size_t waiter, const struct map *wants)
{
	for (uint32_t k = s->had_start[waiter]; k < s->had_start[waiter + 1]; k++)
		if (map_get(wants, s->had.items[k] & ~1ull))
			return true;
	return false;
}

/*
 * One round of dropping who has nothing that another wants, or wants what nobody has. Most
 * programs end here: few locks are taken while others are held.
 */
static bool drop_hopeless(const struct search *s, bool *alive)
{
	struct map wants = { 0 }, has = { 0 };
	bool dropped = false;

	for (size_t i = 0; i < s->waiters.items.count; i++) {
		if (!alive[i])
			continue;
		map_put(&wants, wanted(&s->waiters.items.items[i]), NULL);
		for (uint32_t k = s->had_start[i]; k < s->had_start[i + 1]; k++)
			map_put(&has, s->had.items[k] & ~1ull, NULL);
	}
	for (size_t i = 0; i < s->waiters.items.count; i++) {
		if (!alive[i] ||
		    (has_wanted(s, i, &wants) && map_get(&has, wanted(&s->waiters.items.items[i]))))
			continue;
		alive[i] = false;
		dropped = true;
	}
	map_free(&wants);
	map_free(&has);
	return dropped;
}

static uint64_t signature(const struct search *s, uint32_t waiter)
{
	const struct waiter *w = &s->waiters.items.items[waiter];
	uint64_t hash = mix(mix(wanted(w), w->site), (uint64_t)w->shared << 1 | w->self);

	for (uint32_t k = s->had_start[waiter]; k < s->had_start[waiter + 1]; k++)
		hash = mix(hash, s->had.items[k]);
	return s->every ? waiter : hash;
}

/* Groups are numbered as their first members come; two walks, to count and to fill. */
static void make_groups(struct search *s, const bool *alive)
{
	uint32_t count = (uint32_t)s->waiters.items.count, total = 0;
	uint32_t *group_of = mem_zalloc(count + 1, sizeof *group_of);
	struct map numbers = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		bool fresh;
		uint64_t *number;

		if (!alive[i])
			continue;
		number = map_put(&numbers, signature(s, i), &fresh);
		if (fresh) {
			*number = s->groups.count;
			*vec_push(&s->groups) = (struct group){ 0 };
		}
		group_of[i] = (uint32_t)*number;
		s->groups.items[*number].count++;
	}
	for (size_t g = 0; g < s->groups.count; g++) {
		s->groups.items[g].start = total;
		total += s->groups.items[g].count;
		s->groups.items[g].count = 0;
	}
	s->members = mem_zalloc(total + 1, sizeof *s->members);
	for (uint32_t i = 0; i < count; i++) {
		struct group *group = &s->groups.items[group_of[i]];

		if (alive[i])
			s->members[group->start + group->count++] = i;
	}
	map_free(&numbers);
	free(group_of);
}

static int compare_owners(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	if (x->thing != y->thing)
		return x->thing < y->thing ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

static void index_owners(struct search *s)
{
	for (uint32_t g = 0; g < s->groups.count; g++) {
		uint32_t waiter = s->members[s->groups.items[g].start];

		for (uint32_t k = s->had_start[waiter]; k < s->had_start[waiter + 1]; k++)
			*vec_push(&s->owners) = (struct owner){ s->had.items[k] & ~1ull, g };
	}
	if (s->owners.count)
		qsort(s->owners.items, s->owners.count, sizeof *s->owners.items, compare_owners);
	for (size_t i = s->owners.count; i-- > 0;) /* the lowest stays */
		*map_put(&s->first_owner, s->owners.items[i].thing, NULL) = i;
}

/* ---- asking about one set of events --------------------------------------------------------- */

static uint64_t hash_set(const uint32_t *items, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += mix(0x51ed270b, items[i] + 1); /* the same in any order */
	return sum;
}

static void require(struct search *s, uint32_t node)
{
	const struct order_model *model = &s->waiters.window->model;
	uint32_t *required = &s->required[model->thread.items[node]];

	if (*required <= model->position.items[node])
		*required = model->position.items[node] + 1;
}

static void add_clauses(struct search *s, const struct waiter *w)
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
}

static void add_claim(struct search *s, const struct order_solution *solution,
		      const uint32_t *items, size_t count, uint64_t key)
{
	struct analysis_claim *claim = analysis_add(s->analysis, solution, s->required);
	bool all_pending = true;

	claim->kind = FINDING_DEADLOCK;
	claim->claim = CHECKER_CYCLE;
	claim->key = key;
	for (size_t i = 0; i < count; i++) {
		const struct waiter *w = &s->waiters.items.items[items[i]];

		*vec_push(&claim->events) = waiters_event(&s->waiters, w);
		*vec_push(&claim->waits_for) = (uint32_t)((i + 1) % count);
		all_pending &= w->node == ORDER_NONE;
	}
	/* What hung for good stands where the recorded run left it. */
	claim->status = all_pending ? FINDING_OBSERVED : FINDING_PREDICTED;
}

/* `items`: waiters, each waiting for the next. True when it can be. */
static bool ask(struct search *s, const uint32_t *items, size_t count, uint64_t key)
{
	struct order_solution solution;
	bool new_set, fresh = false;

	for (size_t i = 0; i < count; i++)
		fresh |= s->waiters.items.items[items[i]].fresh;
	if (!fresh)
		return false;
	map_put(&s->asked, hash_set(items, count), &new_set);
	if (!new_set)
		return false;
	s->analysis->stats.candidates++;
	order_query_clear(&s->query);
	memset(s->required, 0, s->waiters.window->model.thread_count * sizeof *s->required);
	for (size_t i = 0; i < count; i++)
		add_clauses(s, &s->waiters.items.items[items[i]]);
	if (analysis_ask(s->analysis, &s->query, &solution) != ORDER_POSSIBLE)
		return false;
	add_claim(s, &solution, items, count, key);
	return true;
}

/* ---- from a cycle of groups to events ------------------------------------------------------- */

struct instances {
	VEC(uint32_t) items; /* waiters, `width` for each */
	size_t width;
	bool all; /* all there are, or just one for each member of the first group */
};

static bool fits(const struct search *s, const uint32_t *chosen, size_t count, uint32_t item)
{
	const struct waiter *w = &s->waiters.items.items[item];

	for (size_t i = 0; i < count; i++)
		if (waiters_ordered(&s->waiters, s->analysis->clock,
				    &s->waiters.items.items[chosen[i]], w))
			return false;
	return true;
}

/* All combinations, in program order. */
static void list_all(struct search *s, struct instances *list, uint32_t *chosen, size_t depth)
{
	const struct group *group;

	if (depth == list->width) {
		for (size_t i = 0; i < depth; i++)
			*vec_push(&list->items) = chosen[i];
		return;
	}
	group = &s->groups.items[s->path.items[depth]];
	for (uint32_t i = 0; i < group->count; i++) {
		chosen[depth] = s->members[group->start + i];
		if (fits(s, chosen, depth, chosen[depth]))
			list_all(s, list, chosen, depth + 1);
	}
}

static uint32_t time_of(const struct search *s, uint32_t item)
{
	uint32_t node = s->waiters.items.items[item].node;

	return node == ORDER_NONE ? s->waiters.window->model.node_count : node;
}

/* The member of a group nearest in recorded time to `time` that fits to those chosen. */
static uint32_t nearest(const struct search *s, const struct group *group, uint32_t time,
			const uint32_t *chosen, size_t count)
{
	uint32_t low = 0, high = group->count;
	int tries = 64;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (time_of(s, s->members[group->start + middle]) < time)
			low = middle + 1;
		else
			high = middle;
	}
	/* Members below `low` and from `high` on have not been looked at. */
	while (tries-- && (low > 0 || high < group->count)) {
		uint32_t item;

		if (high == group->count ||
		    (low > 0 && time - time_of(s, s->members[group->start + low - 1]) <
					time_of(s, s->members[group->start + high]) - time))
			item = s->members[group->start + --low];
		else
			item = s->members[group->start + high++];
		if (fits(s, chosen, count, item))
			return item;
	}
	return ORDER_NONE;
}

static void list_nearest(struct search *s, struct instances *list, uint32_t *chosen)
{
	const struct group *first = &s->groups.items[s->path.items[0]];
	uint32_t stride = first->count / MOST_LISTED + 1;

	for (uint32_t i = 0; i < first->count; i += stride) {
		size_t n = 1;

		chosen[0] = s->members[first->start + i];
		for (; n < list->width; n++) {
			chosen[n] = nearest(s, &s->groups.items[s->path.items[n]],
					    time_of(s, chosen[0]), chosen, n);
			if (chosen[n] == ORDER_NONE)
				break;
		}
		for (size_t k = 0; n == list->width && k < n; k++)
			*vec_push(&list->items) = chosen[k];
	}
}

static void try_cycle(struct search *s)
{
	struct instances list = { .width = s->path.count, .all = true };
	uint32_t *chosen = mem_zalloc(list.width, sizeof *chosen);
	uint64_t key, combinations = 1;
	size_t count, stride;

	for (size_t i = 0; i < list.width; i++) {
		const struct group *group = &s->groups.items[s->path.items[i]];

		chosen[i] = s->members[group->start];
		combinations *= group->count;
		if (combinations > FEW_INSTANCES)
			list.all = false, combinations = FEW_INSTANCES + 1;
	}
	key = waiters_key(&s->waiters, FINDING_DEADLOCK, chosen, list.width, s->every);
	if (map_get(&s->found, key) || (!s->every && analysis_is_known(s->analysis, key))) {
		s->analysis->stats.same_sites++;
		free(chosen);
		return;
	}
	if (list.all)
		list_all(s, &list, chosen, 0);
	else
		list_nearest(s, &list, chosen);
	count = list.items.count / list.width;
	stride = list.all ? 1 : count / MOST_INSTANCES + 1;
	for (size_t i = 0; i < count; i += stride) {
		if (ask(s, &list.items.items[i * list.width], list.width, key)) {
			map_put(&s->found, key, NULL);
			break;
		}
	}
	/* Those that were left out are not counted one by one: there can be 10^12. */
	if (!list.all && !map_get(&s->found, key))
		s->analysis->stats.not_asked++;
	free(chosen);
	vec_free(&list.items);
}

/* ---- cycles of groups ----------------------------------------------------------------------- */

/* Can the group go on the path, behind its last? */
static bool continues(const struct search *s, uint32_t group)
{
	const struct waiter *w = first_of(s, group);

	/* The thread with the lowest number starts the cycle, so that each is found once. */
	if (s->used[w->thread] || w->thread <= first_of(s, s->path.items[0])->thread || w->self)
		return false;
	for (size_t i = 0; i < s->path.count; i++) {
		const struct waiter *other = first_of(s, s->path.items[i]);

		if (waiters_exclude(&s->waiters, other, w) ||
		    (s->every && waiters_ordered(&s->waiters, s->analysis->clock, other, w)))
			return false;
	}
	return true;
}

static void extend(struct search *s)
{
	const struct waiter *last = first_of(s, s->path.items[s->path.count - 1]);
	uint64_t thing = wanted(last);
	const uint64_t *first = map_get(&s->first_owner, thing);

	for (size_t i = first ? *first : s->owners.count;
	     i < s->owners.count && s->owners.items[i].thing == thing; i++) {
		uint32_t group = s->owners.items[i].group;
		const struct waiter *w = first_of(s, group);

		if (s->steps++ >= MOST_STEPS && !s->every)
			return;
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

static void search_cycles(struct search *s)
{
	for (uint32_t g = 0; g < s->groups.count; g++) {
		const struct waiter *w = first_of(s, g);

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
	if (s->steps > MOST_STEPS && !s->every)
		s->analysis->stats.not_asked++;
}

void predict_deadlocks(struct analysis *analysis)
{
	struct search s = { .analysis = analysis, .every = analysis->options->every };
	uint32_t threads = analysis->window->model.thread_count;
	bool *alive;

	waiters_make(&s.waiters, analysis->window);
	list_had(&s);
	alive = mem_zalloc(s.waiters.items.count + 1, sizeof *alive);
	for (size_t i = 0; i < s.waiters.items.count; i++)
		alive[i] = wanted(&s.waiters.items.items[i]) != NOTHING;
	while (drop_hopeless(&s, alive))
		;
	s.used = mem_zalloc(threads + 1, sizeof *s.used);
	s.required = mem_zalloc(threads + 1, sizeof *s.required);
	make_groups(&s, alive);
	index_owners(&s);
	search_cycles(&s);

	free(alive);
	free(s.used);
	free(s.required);
	free(s.had_start);
	free(s.members);
	vec_free(&s.had);
	vec_free(&s.groups);
	vec_free(&s.owners);
	vec_free(&s.path);
	map_free(&s.first_owner);
	map_free(&s.asked);
	map_free(&s.found);
	order_query_free(&s.query);
	waiters_free(&s.waiters);
}
