/*
 * Surveys a trace: one pass over all streams collects which threads access which memory and
 * objects, then the parts that another thread can notice are marked.
 */
#include "order/base_run/share_survey.h"

#include "base/mem.h"
#include "base/sort.h"
#include "order/base_run/base_run.h"
#include "order/base_run/unexplained_reads.h"

/* The users of a granule, page or object: the first owner to access it, + 1, and these flags. */
#define OWNER 0x0fffffffu
#define ATOMIC (1u << 28) /* accessed by an atomic operation */
#define WRITTEN (1u << 29)
#define SHARED (1u << 30) /* accessed by another owner, too */
#define COUNTS (1u << 31) /* set at the end: accesses to it are nodes */

/* No real access is larger. A larger one is in a corrupt trace, and would take hours. */
#define ACCESS_SIZE_MAX (1ull << 32)

/* An operation on a semaphore, from which its initial count is computed. */
struct share_survey_operation {
	uint64_t address, sequence;
	uint8_t kind;
};

struct share_survey_pass {
	struct share_survey *survey;
	const struct trace *trace;
	VEC(struct share_survey_operation) operations;
	VEC(struct survey_region) mappings;
	VEC(uint64_t) destroyed; /* locks and conditions */
};

/* ---- collecting ------------------------------------------------------------------------------ */

/* `how` is a set of WRITTEN and ATOMIC. */
static uint32_t add_user(uint32_t users, uint32_t owner, uint32_t how)
{
	if (!users)
		users = owner + 1;
	if ((users & OWNER) != owner + 1)
		users |= SHARED;
	return users | how;
}

static void touch_key(struct map *map, uint64_t key, uint32_t owner, uint32_t how)
{
	uint64_t *users = map_put(map, key, NULL);

	*users = add_user((uint32_t)*users, owner, how);
}

static void touch_granules(struct share_survey *s, uint64_t low, uint64_t high, uint32_t owner,
			   uint32_t how)
{
	for (uint64_t g = low / SURVEY_GRANULE; g <= (high - 1) / SURVEY_GRANULE; g++) {
		uint32_t *users = pages_put(&s->granules, g, NULL);
		uint32_t now = add_user(*users, owner, how);

		if (now != *users)
			*users = now;
	}
}

/* Stores whole pages in s->pages: a cleared buffer of a gigabyte would be 2^27 granules. */
static void touch_memory(struct share_survey *s, uint64_t low, uint64_t size, uint32_t owner,
			 uint32_t how)
{
	uint64_t high = low + size;
	uint64_t first = (low + SURVEY_PAGE - 1) / SURVEY_PAGE, last = high / SURVEY_PAGE;

	if (!size || high < low || size > ACCESS_SIZE_MAX)
		return;
	if (size < 2 * SURVEY_PAGE) {
		touch_granules(s, low, high, owner, how);
		return;
	}
	for (uint64_t page = first; page < last; page++)
		touch_key(&s->pages, page, owner, how);
	if (low < first * SURVEY_PAGE)
		touch_granules(s, low, first * SURVEY_PAGE, owner, how);
	if (last * SURVEY_PAGE < high)
		touch_granules(s, last * SURVEY_PAGE, high, owner, how);
}

static void add_region(struct share_survey *s, uint64_t low, uint64_t high, uint32_t owner)
{
	if (low < high)
		*vec_push(&s->regions) = (struct survey_region){ low, high, owner + 1, false };
}

static void survey_thread(struct share_survey_pass *pass, const struct trace_event *ev,
			  uint32_t owner)
{
	struct share_survey *s = pass->survey;
	uint32_t other;

	switch (ev->kind) {
	case EV_CREATE:
		other = trace_find_stream(pass->trace, (uint32_t)ev->number);
		if (other != TRACE_NONE && s->owner_of[other] != owner)
			s->streams[s->owner_of[other]].has_creator = true;
		break;
	case EV_BEGIN: add_region(s, ev->address, ev->other, owner); break;
	case EV_OPAQUE: ++*map_put(&s->opaque, ev->address, NULL); break;
	}
}

static void survey_object(struct share_survey_pass *pass, const struct trace_event *ev,
			  uint32_t owner)
{
	struct map *objects = &pass->survey->objects;

	if (event_group(ev->kind) == EG_SEMAPHORE)
		*vec_push(&pass->operations) =
			(struct share_survey_operation){ ev->address, ev->sequence, ev->kind };
	touch_key(objects, ev->address, owner, WRITTEN);
	if (ev->kind == EV_LOCK_DESTROY || ev->kind == EV_COND_DESTROY)
		*vec_push(&pass->destroyed) = ev->address;
	if (ev->kind == EV_WAIT || ev->kind == EV_WOKEN)
		touch_key(objects, ev->other, owner, WRITTEN);
}

/* A FREE has no size. The size is that of the ALLOC of the same block. */
static void survey_memory(struct share_survey_pass *pass, const struct trace_event *ev,
			  uint32_t owner)
{
	struct share_survey *s = pass->survey;

	if (ev->kind == EV_MAP && ev->address + ev->size > ev->address)
		*vec_push(&pass->mappings) =
			(struct survey_region){ .low = ev->address,
						.high = ev->address + ev->size };
	if (ev->kind != EV_FD_USE)
		add_region(s, ev->address, ev->address + (ev->size ? ev->size : 1), owner);
	else if (!s->text)
		touch_memory(s, ev->address, 1, owner, 0);
}

static void survey_event(struct share_survey_pass *pass, const struct trace_event *ev,
			 uint32_t owner)
{
	struct share_survey *s = pass->survey;
	enum event_group group = event_group(ev->kind);
	uint32_t how = ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ ? WRITTEN : 0;

	switch (group) {
	case EG_ACCESS:
	case EG_ATOMIC:
		if (!s->text && ev->kind != EV_FENCE)
			touch_memory(s, ev->address, ev->size, owner,
				     group == EG_ATOMIC ? how | ATOMIC : how);
		break;
	case EG_MEMORY: survey_memory(pass, ev, owner); break;
	case EG_THREAD: survey_thread(pass, ev, owner); break;
	case EG_NOTE:
		if (ev->kind == EV_STOP) {
			s->streams[owner].stopped = true;
			s->stops |= 1u << (ev->mode & 31);
		} else if (ev->kind == EV_PROCESS && ev->mode == EVENT_PROCESS_CANCEL) {
			s->cancels = true;
		} else if (ev->kind == EV_PROCESS && ev->mode != EVENT_PROCESS_FORK) {
			s->streams[owner].exits = true;
		}
		break;
	case EG_FUNCTION: break;
	default: survey_object(pass, ev, owner);
	}
}

static void survey_stream(struct share_survey_pass *pass, uint32_t i)
{
	struct share_survey *s = pass->survey;
	uint32_t owner = s->owner_of[i];
	struct trace_cursor *cursor = trace_cursor_open(pass->trace, i);
	struct trace_event ev;
	struct err err;

	err.text[0] = 0;
	while (trace_next(cursor, &ev, &err)) {
		s->streams[owner].events += ev.index != TRACE_NO_INDEX;
		survey_event(pass, &ev, owner);
	}
	s->streams[owner].stopped |= err.text[0] != 0;
	trace_cursor_close(cursor);
}

/* ---- what counts ----------------------------------------------------------------------------- */

SORT_COMPARISON(by_address, struct survey_region, a, b,
		sort_order(a->low, b->low) ?: sort_order(a->high, b->high))

static void merge_regions(struct share_survey *s)
{
	struct survey_region *r = s->regions.items;
	size_t kept = 0;

	vec_sort(&s->regions, by_address);
	for (size_t i = 0; i < s->regions.count; i++) {
		if (kept && r[i].low < r[kept - 1].high) {
			if (r[i].high > r[kept - 1].high)
				r[kept - 1].high = r[i].high;
			if (r[i].owner != r[kept - 1].owner)
				r[kept - 1].owner = SURVEY_MANY;
		} else {
			r[kept++] = r[i];
		}
	}
	s->regions.count = kept;
}

/* Returns the first region that ends after `low`, if it starts before `high`, or NULL. */
static struct survey_region *first_region_after(const struct share_survey *s, uint64_t low,
						uint64_t high)
{
	size_t i;

	SEARCH_FIRST(i, s->regions.count, s->regions.items[i].high > low);
	return i < s->regions.count && s->regions.items[i].low < high ? &s->regions.items[i] : NULL;
}

/*
 * Sets COUNTS if accesses to the bytes count. They do if two threads access the bytes and one of
 * them writes, or if the bytes are in a block that another thread allocates or frees: the access
 * must not come before the allocation or after the release.
 */
static uint32_t add_counts_flag(struct share_survey *s, uint32_t users, uint64_t low, uint64_t high)
{
	bool counts = (users & SHARED) && (users & WRITTEN);

	for (uint64_t at = low; at < high;) {
		struct survey_region *r = first_region_after(s, at, high);

		if (!r)
			break;
		if ((users & SHARED) || r->owner != (users & OWNER))
			counts = r->noticed = true;
		at = r->high;
	}
	return counts ? users | COUNTS : users;
}

static void mark_granules(struct share_survey *s)
{
	for (size_t i = 0; i < s->granules.pages.count; i++) {
		uint32_t *users = (uint32_t *)s->granules.pages.items[i];
		uint64_t low = s->granules.keys.items[i] * PAGES_ITEMS * SURVEY_GRANULE;

		for (uint32_t k = 0; k < PAGES_ITEMS; k++, low += SURVEY_GRANULE) {
			if (users[k])
				users[k] = add_counts_flag(s, users[k], low, low + SURVEY_GRANULE);
		}
	}
}

static void mark_map(struct share_survey *s, struct map *map, uint64_t unit)
{
	for (size_t i = 0; map->slots && i <= map->mask; i++) {
		if (map->slots[i].key)
			map->slots[i].value = add_counts_flag(s, (uint32_t)map->slots[i].value,
							      map->slots[i].key * unit,
							      map->slots[i].key * unit + unit);
	}
	if (map->has_zero)
		map->zero = add_counts_flag(s, (uint32_t)map->zero, 0, unit);
}

/* Adds the users of single granules to a page that was also accessed as a whole. */
static void join_pages(struct share_survey *s)
{
	_Static_assert(SURVEY_PAGE == PAGES_ITEMS * SURVEY_GRANULE,
		       "a page of memory is a page of granules");

	for (size_t i = 0; s->pages.count && i < s->granules.pages.count; i++) {
		const uint32_t *users = (const uint32_t *)s->granules.pages.items[i];
		uint64_t *page = map_get(&s->pages, s->granules.keys.items[i]);

		for (uint32_t k = 0; page && k < PAGES_ITEMS; k++) {
			if (users[k] && (*page & OWNER) != (users[k] & OWNER))
				*page |= SHARED;
			*page |= users[k] & (SHARED | WRITTEN);
		}
	}
}

/* Writes to the memory of a destroyed object count, because other threads may use the object. */
static void mark_destroyed(struct share_survey_pass *pass)
{
	struct share_survey *s = pass->survey;

	for (size_t i = 0; i < pass->destroyed.count; i++) {
		uint64_t granule = pass->destroyed.items[i] / SURVEY_GRANULE;
		const uint64_t *users = map_get(&s->objects, pass->destroyed.items[i]);
		const uint32_t *memory = pages_get(&s->granules, granule);

		if (memory && (*memory & WRITTEN) && (*users & SHARED))
			*(uint32_t *)pages_put(&s->granules, granule, NULL) |= COUNTS;
	}
}

/* ---- reads that no recorded write explains --------------------------------------------------- */

/*
 * Should a contradiction between reads of this granule be looked for? Bytes with such reads count,
 * too. But a block or a stack that only one thread uses is left out, because a library that the
 * thread calls may write there. Bytes with atomics are never left out: they are meant for others.
 */
static bool may_be_unexplained(const void *context, uint64_t granule)
{
	const struct share_survey_pass *pass = context;
	const struct share_survey *s = pass->survey;
	uint64_t address = granule * SURVEY_GRANULE;
	const uint32_t *touched = pages_get(&s->granules, granule);
	const uint64_t *page = s->pages.count ? map_get(&s->pages, address / SURVEY_PAGE) : NULL;
	uint32_t users =
		(touched ? *touched : 0) | (page ? (uint32_t)*page & (SHARED | COUNTS) : 0);

	if (!users || (users & COUNTS))
		return false;
	if ((users & (SHARED | ATOMIC)) || trace_is_static(pass->trace, address))
		return true;
	for (size_t i = 0; i < pass->mappings.count; i++) {
		if (address < pass->mappings.items[i].high &&
		    address + SURVEY_GRANULE > pass->mappings.items[i].low)
			return true;
	}
	return false;
}

/* ---- semaphores ------------------------------------------------------------------------------ */

SORT_COMPARISON(by_address_and_sequence, struct share_survey_operation, a, b,
		sort_order(a->address, b->address) ?: sort_order(a->sequence, b->sequence))

/* Finds, for each semaphore, the largest excess of downs over posts before an INIT or DESTROY. */
static void find_initial_counts(struct share_survey_pass *pass)
{
	struct share_survey_operation *o = pass->operations.items;
	uint64_t count = 0, least = 0, address = 0;
	bool unknown = false;

	vec_sort(&pass->operations, by_address_and_sequence);
	for (size_t i = 0; i < pass->operations.count; i++) {
		if (!i || o[i].address != address) {
			address = o[i].address;
			count = least = 0;
			unknown = true;
		}
		if (o[i].kind == EV_SEM_INIT || o[i].kind == EV_SEM_DESTROY) {
			map_put(&pass->survey->reinitialised, address, NULL);
			unknown = false;
		}
		if (!unknown)
			continue;
		if (o[i].kind == EV_POST)
			count++;
		else if (o[i].kind == EV_DOWN && count)
			count--;
		else if (o[i].kind == EV_DOWN)
			*map_put(&pass->survey->semaphores, address, NULL) = ++least;
	}
}

/* ---- interface ------------------------------------------------------------------------------- */

void share_survey_make(struct share_survey *s, const struct trace *trace)
{
	struct share_survey_pass pass = { .survey = s, .trace = trace };

	*s = (struct share_survey){ .text = trace_is_text(trace),
				    .stream_count = trace_stream_count(trace) };
	s->granules.size = sizeof(uint32_t);
	s->owner_of = base_run_map_owners(trace);
	s->streams = mem_zalloc(s->stream_count + 1, sizeof *s->streams);
	for (uint32_t i = 0; i < s->stream_count; i++)
		survey_stream(&pass, i);
	for (uint32_t i = 0; i < s->stream_count; i++)
		s->events += s->streams[i].events;
	find_initial_counts(&pass);
	vec_free(&pass.operations);
	if (!s->text) {
		merge_regions(s);
		join_pages(s);
		mark_granules(s);
		mark_map(s, &s->pages, SURVEY_PAGE);
		mark_map(s, &s->objects, 1);
		mark_destroyed(&pass);
		unexplained_reads_mark(trace, &s->granules, COUNTS, may_be_unexplained, &pass);
	}
	vec_free(&pass.mappings);
	vec_free(&pass.destroyed);
}

void share_survey_free(struct share_survey *s)
{
	free(s->owner_of);
	free(s->streams);
	pages_free(&s->granules);
	map_free(&s->pages);
	map_free(&s->objects);
	map_free(&s->semaphores);
	map_free(&s->reinitialised);
	map_free(&s->opaque);
	vec_free(&s->regions);
}

static bool key_counts(const struct map *map, uint64_t key)
{
	const uint64_t *users = map_get(map, key);

	return users && (*users & COUNTS);
}

static bool granule_counts(const struct share_survey *s, uint64_t granule)
{
	const uint32_t *users = pages_get(&s->granules, granule);

	return (users && (*users & COUNTS)) ||
	       (s->pages.count && key_counts(&s->pages, granule * SURVEY_GRANULE / SURVEY_PAGE));
}

uint64_t share_survey_next_part(const struct share_survey *s, uint64_t *low, uint64_t high)
{
	uint64_t granule = *low / SURVEY_GRANULE, last = (high - 1) / SURVEY_GRANULE;

	if (*low >= high)
		return 0;
	if (s->text)
		return high;
	if (high - *low > ACCESS_SIZE_MAX)
		return 0;
	while (granule <= last && !granule_counts(s, granule))
		granule++;
	if (granule > last)
		return 0;
	if (granule * SURVEY_GRANULE > *low)
		*low = granule * SURVEY_GRANULE;
	while (granule <= last && granule_counts(s, granule))
		granule++;
	return granule > last ? high : granule * SURVEY_GRANULE;
}

bool share_survey_shares(const struct share_survey *s, uint64_t address, uint64_t size)
{
	return size && share_survey_next_part(s, &address, address + size);
}

bool share_survey_shares_block(const struct share_survey *s, uint64_t address)
{
	const struct survey_region *r = first_region_after(s, address, address + 1);

	return s->text || (r && (r->noticed || r->owner == SURVEY_MANY));
}
