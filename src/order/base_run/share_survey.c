#include "order/base_run/share_survey.h"

#include "base/mem.h"
#include "order/base_run/base_run.h"
#include "order/base_run/unexplained_reads.h"

/* What is known of a granule, page or object: the lane that was there first, + 1, and: */
#define LANE 0x0fffffffu
#define ATOMIC (1u << 28) /* it was accessed by an atomic operation */
#define WRITTEN (1u << 29)
#define SHARED (1u << 30) /* by another lane, too */
#define COUNTS (1u << 31) /* found at the end: accesses of it are nodes */

/* No access is larger: what claims to be is forged, and would take hours. */
#define SIZE_MAX_SEEN (1ull << 32)

/* An operation on a semaphore, to find out what it started with. */
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

/* ---- touching ----------------------------------------------------------------------------- */

/* `how`: WRITTEN, ATOMIC. */
static uint32_t touched(uint32_t who, uint32_t lane, uint32_t how)
{
	if (!who)
		who = lane + 1;
	if ((who & LANE) != lane + 1)
		who |= SHARED;
	return who | how;
}

static void touch(struct map *map, uint64_t key, uint32_t lane, uint32_t how)
{
	uint64_t *who = map_put(map, key, NULL);

	*who = touched((uint32_t)*who, lane, how);
}

static void touch_granules(struct share_survey *s, uint64_t low, uint64_t high, uint32_t lane,
			   uint32_t how)
{
	for (uint64_t g = low / SURVEY_GRANULE; g <= (high - 1) / SURVEY_GRANULE; g++) {
		uint32_t *who = pages_put(&s->granules, g, NULL);
		uint32_t now = touched(*who, lane, how);

		if (now != *who)
			*who = now;
	}
}

/* Whole pages are kept as such: a buffer of a gigabyte that is cleared is not 2^27 granules. */
static void touch_memory(struct share_survey *s, uint64_t low, uint64_t size, uint32_t lane,
			 uint32_t how)
{
	uint64_t high = low + size;
	uint64_t first = (low + SURVEY_PAGE - 1) / SURVEY_PAGE, last = high / SURVEY_PAGE;

	if (!size || high < low || size > SIZE_MAX_SEEN)
		return;
	if (size < 2 * SURVEY_PAGE) {
		touch_granules(s, low, high, lane, how);
		return;
	}
	for (uint64_t page = first; page < last; page++)
		touch(&s->pages, page, lane, how);
	if (low < first * SURVEY_PAGE)
		touch_granules(s, low, first * SURVEY_PAGE, lane, how);
	if (last * SURVEY_PAGE < high)
		touch_granules(s, last * SURVEY_PAGE, high, lane, how);
}

static void add_region(struct share_survey *s, uint64_t low, uint64_t high, uint32_t lane)
{
	if (low < high)
		*vec_push(&s->regions) = (struct survey_region){ low, high, lane + 1, false };
}

static void see_thread(struct share_survey_pass *pass, const struct trace_event *ev, uint32_t lane)
{
	struct share_survey *s = pass->survey;
	uint32_t other;

	switch (ev->kind) {
	case EV_CREATE:
		other = trace_find_stream(pass->trace, (uint32_t)ev->number);
		if (other != TRACE_NONE && s->lane_of[other] != lane)
			s->lanes[s->lane_of[other]].has_creator = true;
		break;
	case EV_BEGIN: add_region(s, ev->address, ev->other, lane); break;
	}
}

static void see_object(struct share_survey_pass *pass, const struct trace_event *ev, uint32_t lane)
{
	struct map *objects = &pass->survey->objects;

	if (event_group(ev->kind) == EG_SEMAPHORE)
		*vec_push(&pass->operations) =
			(struct share_survey_operation){ ev->address, ev->sequence, ev->kind };
	touch(objects, ev->address, lane, WRITTEN);
	if (ev->kind == EV_LOCK_DESTROY || ev->kind == EV_COND_DESTROY)
		*vec_push(&pass->destroyed) = ev->address;
	if (ev->kind == EV_WAIT || ev->kind == EV_WOKEN)
		touch(objects, ev->other, lane, WRITTEN);
}

/* A FREE has no size; its block's ALLOC has. */
static void see_memory(struct share_survey_pass *pass, const struct trace_event *ev, uint32_t lane)
{
	struct share_survey *s = pass->survey;

	if (ev->kind == EV_MAP && ev->address + ev->size > ev->address)
		*vec_push(&pass->mappings) =
			(struct survey_region){ .low = ev->address,
						.high = ev->address + ev->size };
	if (ev->kind != EV_FD_USE)
		add_region(s, ev->address, ev->address + (ev->size ? ev->size : 1), lane);
	else if (!s->text)
		touch_memory(s, ev->address, 1, lane, 0);
}

static void see_event(struct share_survey_pass *pass, const struct trace_event *ev, uint32_t lane)
{
	struct share_survey *s = pass->survey;
	enum event_group group = event_group(ev->kind);
	uint32_t how = ev->kind != EV_READ && ev->kind != EV_ATOMIC_READ ? WRITTEN : 0;

	switch (group) {
	case EG_ACCESS:
	case EG_ATOMIC:
		if (!s->text && ev->kind != EV_FENCE)
			touch_memory(s, ev->address, ev->size, lane,
				     group == EG_ATOMIC ? how | ATOMIC : how);
		break;
	case EG_MEMORY: see_memory(pass, ev, lane); break;
	case EG_THREAD: see_thread(pass, ev, lane); break;
	case EG_NOTE:
		if (ev->kind == EV_STOP)
			s->lanes[lane].stopped = true;
		else if (ev->kind == EV_PROCESS && ev->mode == EVENT_PROCESS_CANCEL)
			s->cancels = true;
		else if (ev->kind == EV_PROCESS && ev->mode != EVENT_PROCESS_FORK)
			s->lanes[lane].exits = true;
		break;
	case EG_FUNCTION: break;
	default: see_object(pass, ev, lane);
	}
}

static void see_stream(struct share_survey_pass *pass, uint32_t i)
{
	struct share_survey *s = pass->survey;
	uint32_t lane = s->lane_of[i];
	struct trace_cursor *cursor = trace_cursor_open(pass->trace, i);
	struct trace_event ev;
	struct err err;

	err.text[0] = 0;
	while (trace_next(cursor, &ev, &err)) {
		s->lanes[lane].events += ev.index != TRACE_NO_INDEX;
		see_event(pass, &ev, lane);
	}
	s->lanes[lane].stopped |= err.text[0] != 0;
	trace_cursor_close(cursor);
}

/* ---- what counts -------------------------------------------------------------------------- */

static int compare_regions(const void *left, const void *right)
{
	const struct survey_region *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->high > b->high) - (a->high < b->high);
}

static void merge_regions(struct share_survey *s)
{
	struct survey_region *r = s->regions.items;
	size_t kept = 0;

	if (s->regions.count)
		qsort(r, s->regions.count, sizeof *r, compare_regions);
	for (size_t i = 0; i < s->regions.count; i++) {
		if (kept && r[i].low < r[kept - 1].high) {
			if (r[i].high > r[kept - 1].high)
				r[kept - 1].high = r[i].high;
			if (r[i].lane != r[kept - 1].lane)
				r[kept - 1].lane = SURVEY_MANY;
		} else {
			r[kept++] = r[i];
		}
	}
	s->regions.count = kept;
}

/* The first region that ends behind `low`, if it starts before `high`. */
static struct survey_region *region_at(const struct share_survey *s, uint64_t low, uint64_t high)
{
	size_t from = 0, to = s->regions.count;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (s->regions.items[middle].high <= low)
			from = middle + 1;
		else
			to = middle;
	}
	return from < s->regions.count && s->regions.items[from].low < high
		       ? &s->regions.items[from]
		       : NULL;
}

/*
 * An access counts when two threads touch the bytes and one of them writes; or when they are of a
 * block that another thread allocates or frees, which must not come too early or too late.
 */
static uint32_t judge(struct share_survey *s, uint32_t who, uint64_t low, uint64_t high)
{
	bool counts = (who & SHARED) && (who & WRITTEN);

	for (uint64_t at = low; at < high;) {
		struct survey_region *r = region_at(s, at, high);

		if (!r)
			break;
		if ((who & SHARED) || r->lane != (who & LANE))
			counts = r->noticed = true;
		at = r->high;
	}
	return counts ? who | COUNTS : who;
}

static void judge_granules(struct share_survey *s)
{
	for (size_t i = 0; i < s->granules.pages.count; i++) {
		uint32_t *who = (uint32_t *)s->granules.pages.items[i];
		uint64_t low = s->granules.keys.items[i] * PAGES_ITEMS * SURVEY_GRANULE;

		for (uint32_t k = 0; k < PAGES_ITEMS; k++, low += SURVEY_GRANULE) {
			if (who[k])
				who[k] = judge(s, who[k], low, low + SURVEY_GRANULE);
		}
	}
}

static void judge_all(struct share_survey *s, struct map *map, uint64_t unit)
{
	for (size_t i = 0; map->slots && i <= map->mask; i++) {
		if (map->slots[i].key)
			map->slots[i].value =
				judge(s, (uint32_t)map->slots[i].value, map->slots[i].key * unit,
				      map->slots[i].key * unit + unit);
	}
	if (map->has_zero)
		map->zero = judge(s, (uint32_t)map->zero, 0, unit);
}

/* Granules of a page that was touched as a whole: each is the page's business, too. */
static void join_pages(struct share_survey *s)
{
	_Static_assert(SURVEY_PAGE == PAGES_ITEMS * SURVEY_GRANULE, "one is one of the other");

	for (size_t i = 0; s->pages.count && i < s->granules.pages.count; i++) {
		const uint32_t *who = (const uint32_t *)s->granules.pages.items[i];
		uint64_t *page = map_get(&s->pages, s->granules.keys.items[i]);

		for (uint32_t k = 0; page && k < PAGES_ITEMS; k++) {
			if (who[k] && (*page & LANE) != (who[k] & LANE))
				*page |= SHARED;
			*page |= who[k] & (SHARED | WRITTEN);
		}
	}
}

/* Who writes over what is destroyed makes another of it, which others notice when they use that. */
static void count_destroyed(struct share_survey_pass *pass)
{
	struct share_survey *s = pass->survey;

	for (size_t i = 0; i < pass->destroyed.count; i++) {
		uint64_t granule = pass->destroyed.items[i] / SURVEY_GRANULE;
		const uint64_t *users = map_get(&s->objects, pass->destroyed.items[i]);
		const uint32_t *who = pages_get(&s->granules, granule);

		if (who && (*who & WRITTEN) && (*users & SHARED))
			*(uint32_t *)pages_put(&s->granules, granule, NULL) |= COUNTS;
	}
}

/* ---- reads that nothing recorded explains --------------------------------------------------- */

/*
 * Other bytes whose reads disagree count, too, unless that is the thread's own doing: in a block or on a
 * stack that it has for itself a library that it calls puts what it likes. What is atomic is for others.
 */
static bool may_be_odd(void *context, uint64_t granule)
{
	const struct share_survey_pass *pass = context;
	const struct share_survey *s = pass->survey;
	uint64_t address = granule * SURVEY_GRANULE;
	const uint32_t *touched = pages_get(&s->granules, granule);
	const uint64_t *page = s->pages.count ? map_get(&s->pages, address / SURVEY_PAGE) : NULL;
	uint32_t who = (touched ? *touched : 0) | (page ? (uint32_t)*page & (SHARED | COUNTS) : 0);

	if (!who || (who & COUNTS))
		return false;
	if ((who & (SHARED | ATOMIC)) || trace_is_static(pass->trace, address))
		return true;
	for (size_t i = 0; i < pass->mappings.count; i++) {
		if (address < pass->mappings.items[i].high &&
		    address + SURVEY_GRANULE > pass->mappings.items[i].low)
			return true;
	}
	return false;
}

static void count_odd(void *context, uint64_t granule)
{
	const struct share_survey_pass *pass = context;

	*(uint32_t *)pages_put(&pass->survey->granules, granule, NULL) |= COUNTS;
}

static void find_odd(struct share_survey_pass *pass)
{
	unexplained_reads_find(&(struct unexplained_reads){ .trace = pass->trace,
							    .granules = &pass->survey->granules,
							    .looks_at = may_be_odd,
							    .found = count_odd,
							    .context = pass });
}

/* ---- semaphores --------------------------------------------------------------------------- */

static int compare_operations(const void *left, const void *right)
{
	const struct share_survey_operation *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/* Up to its first INIT or DESTROY: how many more were taken than posted, at most? */
static void count_semaphores(struct share_survey_pass *pass)
{
	struct share_survey_operation *o = pass->operations.items;
	uint64_t count = 0, least = 0, address = 0;
	bool unknown = false;

	if (pass->operations.count)
		qsort(o, pass->operations.count, sizeof *o, compare_operations);
	for (size_t i = 0; i < pass->operations.count; i++) {
		if (!i || o[i].address != address) {
			address = o[i].address;
			count = least = 0;
			unknown = true;
		}
		if (o[i].kind == EV_SEM_INIT || o[i].kind == EV_SEM_DESTROY) {
			map_put(&pass->survey->turned, address, NULL);
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

/* ---- the public face ---------------------------------------------------------------------- */

void share_survey_make(struct share_survey *s, const struct trace *trace)
{
	struct share_survey_pass pass = { .survey = s, .trace = trace };

	*s = (struct share_survey){ .text = trace_is_text(trace),
				    .lane_count = trace_stream_count(trace) };
	s->granules.size = sizeof(uint32_t);
	s->lane_of = base_run_map_lanes(trace);
	s->lanes = mem_zalloc(s->lane_count + 1, sizeof *s->lanes);
	for (uint32_t i = 0; i < s->lane_count; i++)
		see_stream(&pass, i);
	for (uint32_t i = 0; i < s->lane_count; i++)
		s->events += s->lanes[i].events;
	count_semaphores(&pass);
	vec_free(&pass.operations);
	if (!s->text) {
		merge_regions(s);
		join_pages(s);
		judge_granules(s);
		judge_all(s, &s->pages, SURVEY_PAGE);
		judge_all(s, &s->objects, 1);
		count_destroyed(&pass);
		find_odd(&pass);
	}
	vec_free(&pass.mappings);
	vec_free(&pass.destroyed);
}

void share_survey_free(struct share_survey *s)
{
	free(s->lane_of);
	free(s->lanes);
	pages_free(&s->granules);
	map_free(&s->pages);
	map_free(&s->objects);
	map_free(&s->semaphores);
	map_free(&s->turned);
	vec_free(&s->regions);
}

static bool counts(const struct map *map, uint64_t key)
{
	const uint64_t *who = map_get(map, key);

	return who && (*who & COUNTS);
}

static bool granule_counts(const struct share_survey *s, uint64_t granule)
{
	const uint32_t *who = pages_get(&s->granules, granule);

	return (who && (*who & COUNTS)) ||
	       (s->pages.count && counts(&s->pages, granule * SURVEY_GRANULE / SURVEY_PAGE));
}

uint64_t share_survey_stretch(const struct share_survey *s, uint64_t *low, uint64_t high)
{
	uint64_t granule = *low / SURVEY_GRANULE, last = (high - 1) / SURVEY_GRANULE;

	if (*low >= high)
		return 0;
	if (s->text)
		return high;
	if (high - *low > SIZE_MAX_SEEN)
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
	return size && share_survey_stretch(s, &address, address + size);
}

bool share_survey_shares_block(const struct share_survey *s, uint64_t address)
{
	const struct survey_region *r = region_at(s, address, address + 1);

	return s->text || (r && (r->noticed || r->lane == SURVEY_MANY));
}
