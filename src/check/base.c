/*
 * Moves through the base run: passes the events before a window, keeps the records of the window in
 * memory, and answers queries about them. What follows from the records is computed in
 * infer_values.c and order.c.
 */
#include "check/base.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct checker_base *checker_base_open(const struct trace *trace, struct checker_survey *survey)
{
	struct checker_base *base = mem_zalloc(1, sizeof *base);

	base->source = checker_source_open(trace);
	base->start = checker_world_open(trace, survey);
	base->streams = trace_stream_count(trace);
	base->loaded_end = mem_zalloc(base->streams, sizeof *base->loaded_end);
	base->window_end = mem_zalloc(base->streams, sizeof *base->window_end);
	base->first = mem_zalloc(base->streams, sizeof *base->first);
	base->passed = mem_zalloc(base->streams + 1, sizeof *base->passed);
	return base;
}

static void clear_facts(struct checker_base *base)
{
	map_free(&base->frozen_bytes);
	map_free(&base->own_bytes);
	map_free(&base->recursive);
	for (enum checker_class class = 0; class < CHECKER_CLASSES; class ++) {
		map_free(&base->frozen[class]);
		map_free(&base->unexplained[class]);
	}
	base->needs.count = base->found.count = base->bound.count = 0;
	base->writers.count = base->lifetimes.count = 0;
}

void checker_base_close(struct checker_base *base)
{
	if (!base)
		return;
	clear_facts(base);
	for (size_t i = 0; i < base->loaded.count; i++)
		checker_record_drop(&base->loaded.items[i]);
	vec_free(&base->loaded);
	vec_free(&base->needs);
	vec_free(&base->found);
	vec_free(&base->bound);
	vec_free(&base->writers);
	vec_free(&base->lifetimes);
	vec_free(&base->regions);
	free(base->loaded_end);
	free(base->window_end);
	free(base->first);
	for (uint32_t i = 0; i < base->streams; i++)
		vec_free(&base->passed[i]);
	free(base->passed);
	checker_world_close(base->start);
	checker_source_close(base->source);
	free(base);
}

/* ---- following the slices -------------------------------------------------------------------- */

static bool report_missing_stream(uint32_t number, struct err *err)
{
	return err_set(err, "a slice of stream %" PRIu32 ", which is not in the trace", number);
}

static bool report_step_back(const struct checker_base *base, uint32_t stream, uint64_t from,
			     uint64_t end, struct err *err)
{
	return err_set(err,
		       "a slice of %s up to event %" PRIu64 ", but the stream is at %" PRIu64
		       " already",
		       checker_thread_words(base->start->trace, stream).text, end, from);
}

static bool report_missing_event(const struct checker_base *base, uint32_t stream, uint64_t end,
				 struct err *err)
{
	return err_set(err, "a slice of %s up to event %" PRIu64 ", which does not exist",
		       checker_thread_words(base->start->trace, stream).text, end);
}

static bool report_other_order(const struct checker_base *base, const struct checker_record *record,
			       struct err *err)
{
	return err_set(err, "the slices do not continue those of the last window at %s",
		       checker_event_words(base->start->trace, record->stream, record->index).text);
}

/*
 * Records that a slice came before the window. This takes one item per slice at most: no more
 * memory than the base run itself, which the caller keeps, too.
 */
static void add_passed_slice(struct checker_base *base, uint32_t stream, uint64_t begin,
			     uint64_t end)
{
	checker_passed_list *list = &base->passed[stream];
	struct checker_passed_slice *last = list->count ? &list->items[list->count - 1] : NULL;

	if (last && last->place + (last->end - last->begin) == base->passed_count)
		last->end = end;
	else if (end > begin)
		*vec_push(list) = (struct checker_passed_slice){ begin, end, base->passed_count };
	base->passed_count += end - begin;
}

uint64_t checker_base_position(const struct checker_base *base, uint32_t stream, uint64_t index)
{
	const checker_passed_list *list = &base->passed[stream];
	size_t after, low;

	SEARCH_FIRST(after, list->count, list->items[after].begin > index);
	assert(after);
	low = after - 1;
	assert(index < list->items[low].end);
	return list->items[low].place + (index - list->items[low].begin);
}

static void update_regions(struct checker_base *base, const struct checker_record *record)
{
	struct checker_open_region *region = base->regions.items;
	struct checker_open_region *end = region + base->regions.count;

	if ((record->kind != EV_PROBE && record->kind != EV_POINT) || !record->mode)
		return;
	while (region < end && (region->stream != record->stream || region->name != record->other))
		region++;
	if (record->mode == CHECKER_REGION_BEGINS && region == end)
		*vec_push(&base->regions) =
			(struct checker_open_region){ record->stream, 1, record->other };
	else if (record->mode == CHECKER_REGION_BEGINS)
		region->depth++;
	else if (region < end && !--region->depth)
		*region = base->regions.items[--base->regions.count];
}

static void pass_record(struct checker_base *base, const struct checker_record *record)
{
	update_regions(base, record);
	checker_world_apply(base->start, record, 0);
}

bool checker_base_pass(struct checker_base *base, uint32_t number, uint64_t end, struct err *err)
{
	struct checker_world *world = base->start;
	uint32_t stream = trace_find_stream(world->trace, number);
	struct checker_record record;

	if (stream == TRACE_NONE)
		return report_missing_stream(number, err);
	if (end < world->threads[stream].done)
		return report_step_back(base, stream, world->threads[stream].done, end, err);
	add_passed_slice(base, stream, world->threads[stream].done, end);
	while (world->threads[stream].done < end) {
		/*
		 * `count` walks through the loaded records; checker_base_clear() drops the records
		 * that it has passed.
		 */
		if (base->count < base->loaded.count) {
			struct checker_record *next = &base->loaded.items[base->count];

			if (next->stream != stream)
				return report_other_order(base, next, err);
			pass_record(base, next);
			base->count++;
		} else if (checker_source_take(base->source, stream, &record)) {
			pass_record(base, &record);
			base->loaded_end[stream] = world->threads[stream].done;
		} else {
			return report_missing_event(base, stream, end, err);
		}
	}
	return true;
}

void checker_base_clear(struct checker_base *base)
{
	size_t left = base->loaded.count - base->count;

	for (uint32_t i = 0; i < base->count; i++)
		checker_record_drop(&base->loaded.items[i]);
	if (left)
		memmove(base->loaded.items, &base->loaded.items[base->count],
			left * sizeof *base->loaded.items);
	base->loaded.count = left;
	base->count = 0;
	for (uint32_t i = 0; i < base->streams; i++)
		base->window_end[i] = base->start->threads[i].done;
	clear_facts(base);
}

bool checker_base_load(struct checker_base *base, uint32_t number, uint64_t end, struct err *err)
{
	uint32_t stream = trace_find_stream(base->start->trace, number);
	struct checker_record record;

	if (stream == TRACE_NONE)
		return report_missing_stream(number, err);
	if (end < base->window_end[stream])
		return report_step_back(base, stream, base->window_end[stream], end, err);
	for (; base->window_end[stream] < end; base->window_end[stream]++, base->count++) {
		if (base->count == CHECKER_END - 1)
			return err_set(err, "a window of more than 2^32 events");
		if (base->count < base->loaded.count) {
			if (base->loaded.items[base->count].stream != stream)
				return report_other_order(base, &base->loaded.items[base->count],
							  err);
		} else if (checker_source_take(base->source, stream, &record)) {
			checker_record_keep(&record);
			*vec_push(&base->loaded) = record;
			base->loaded_end[stream]++;
		} else {
			return report_missing_event(base, stream, end, err);
		}
	}
	return true;
}

/* ---- queries --------------------------------------------------------------------------------- */

/* Stores what a read found: that value was there, even if no recorded write explains it. */
static void learn_read_value(struct checker_world *world, const struct checker_record *record)
{
	const uint8_t *value = checker_reads(record) ? checker_read_value(record) : NULL;

	if (!value || record->size > CHECKER_ACCESS_MAX)
		return;
	for (uint64_t i = 0; i < record->size; i++)
		checker_memory_learn(world, record->address + i, value[i % record->unit]);
}

struct checker_world *checker_base_before(const struct checker_base *base, uint32_t number)
{
	struct checker_world *world = checker_world_on(base->start);

	for (uint32_t i = 1; i < number; i++) {
		learn_read_value(world, checker_base_record(base, i));
		checker_world_apply(world, checker_base_record(base, i), i);
	}
	return world;
}

struct checker_record *checker_base_record(const struct checker_base *base, uint32_t number)
{
	assert(number && number <= base->count);
	return &base->loaded.items[number - 1];
}

uint32_t checker_base_find(const struct checker_base *base, uint32_t from, uint32_t stream,
			   uint64_t index)
{
	for (uint32_t number = from; number != CHECKER_END;) {
		const struct checker_record *record = checker_base_record(base, number);

		if (record->stream == stream && record->index == index)
			return number;
		number = record->next;
	}
	return CHECKER_END;
}

bool checker_base_is_frozen(const struct checker_base *base, enum checker_class class,
			    uint64_t address)
{
	return map_get(&base->frozen[class], address);
}

bool checker_base_is_unexplained(const struct checker_base *base, enum checker_class class,
				 uint64_t address)
{
	return map_get(&base->unexplained[class], address);
}

uint64_t checker_base_frozen_bits(const struct checker_base *base, uint64_t line)
{
	const uint64_t *bits = map_get(&base->frozen_bytes, line);

	return bits ? *bits : 0;
}

uint64_t checker_base_unjudged_bits(const struct checker_base *base, uint64_t line)
{
	const uint64_t *own = map_get(&base->own_bytes, line);

	return checker_base_frozen_bits(base, line) | (own ? *own : 0);
}

bool checker_base_goes_on(const struct checker_base *base, uint32_t thread)
{
	for (uint32_t i = 0; i < base->streams; i++) {
		if (checker_source_thread(base->source, i) == thread &&
		    (base->window_end[i] < base->loaded_end[i] ||
		     checker_source_more(base->source, i)))
			return true;
	}
	return false;
}

bool checker_base_lifetime(const struct checker_base *base, uint32_t number,
			   struct checker_range *range)
{
	size_t low;

	SEARCH_FIRST(low, base->lifetimes.count, base->lifetimes.items[low].number >= number);
	if (low == base->lifetimes.count || base->lifetimes.items[low].number != number)
		return false;
	*range = base->lifetimes.items[low];
	return true;
}

const uint32_t *checker_base_writers(const struct checker_base *base, uint32_t read)
{
	size_t i;

	SEARCH_FIRST(i, base->bound.count, base->bound.items[i].read >= read);
	if (i == base->bound.count || base->bound.items[i].read != read)
		return NULL;
	return &base->writers.items[base->bound.items[i].start];
}

const struct checker_found *checker_base_found(const struct checker_base *base, uint32_t alloc,
					       size_t *count)
{
	size_t low, end;

	SEARCH_FIRST(low, base->found.count, base->found.items[low].alloc >= alloc);
	for (end = low; end < base->found.count && base->found.items[end].alloc == alloc;)
		end++;
	*count = end - low;
	return *count ? &base->found.items[low] : NULL;
}
