/* Reads the probes that mark regions, and matches begins with ends. */
#include "predict/atomicity/atomicity_regions.h"

#include "base/sort.h"
#include "trace/point.h"
#include "trace/sites.h"

#include <string.h>

#define BEGIN "sooth:atomic_begin"
#define END "sooth:atomic_end"

typedef VEC(size_t) open_regions; /* positions in items */

/*
 * May the trace contain regions? A recording lists its active points. A text trace has no such
 * list, so it must be read in any case.
 */
static bool may_have_regions(const struct trace *trace)
{
	if (trace_is_text(trace))
		return true;
	for (size_t i = 0; i < trace_point_row_count(trace); i++) {
		if (!strcmp(trace_point_row(trace, i).function, BEGIN))
			return true;
	}
	return false;
}

/*
 * Reads the name of a region. Returns false if it has none or the name was not recorded: such
 * regions cannot be distinguished and are ignored.
 */
static bool read_name(struct regions *regions, const struct trace_point *point, uint32_t *number)
{
	const struct trace_value *name = &point->arguments[0];

	if (!point->count || name->type != POINT_STRING || !name->known || !name->text)
		return false;
	*number = intern_put(&regions->names, name->text, name->length, NULL);
	return true;
}

static void close_region(struct regions *regions, open_regions *open, uint32_t name, uint64_t index)
{
	size_t i = open->count;

	while (i && regions->items.items[open->items[i - 1]].name != name)
		i--;
	if (!i)
		return;
	regions->items.items[open->items[i - 1]].end = index;
	memmove(&open->items[i - 1], &open->items[i], (open->count - i) * sizeof *open->items);
	open->count--;
}

static void read_stream(struct regions *regions, const struct trace *trace, uint32_t i)
{
	struct trace_cursor *cursor = trace_cursor_open(trace, i);
	open_regions open = { 0 };
	struct trace_event ev;
	struct trace_point point;
	struct err err;
	uint32_t name;

	while (trace_next(cursor, &ev, &err)) {
		if ((ev.kind != EV_POINT && ev.kind != EV_PROBE) ||
		    !trace_read_point(cursor, &ev, &point) || point.kind != POINT_PROBE ||
		    !read_name(regions, &point, &name))
			continue;
		if (!strcmp(point.function, BEGIN)) {
			*vec_push(&open) = regions->items.count;
			*vec_push(&regions->items) = (struct region){
				.stream = trace_stream(trace, i)->number,
				.begin = ev.index,
				.end = UINT64_MAX,
				.site = trace_event_site(trace, &ev),
				.name = name,
			};
		} else if (!strcmp(point.function, END)) {
			close_region(regions, &open, name, ev.index);
		}
	}
	vec_free(&open);
	trace_cursor_close(cursor);
}

void regions_read(struct regions *regions, const struct trace *trace)
{
	*regions = (struct regions){ 0 };
	if (!may_have_regions(trace))
		return;
	/* Streams are sorted by number, as `items` must be. */
	for (uint32_t i = 0; i < trace_stream_count(trace); i++)
		read_stream(regions, trace, i);
}

void regions_free(struct regions *regions)
{
	vec_free(&regions->items);
	intern_free(&regions->names);
}

static size_t first_of(const struct regions *regions, uint64_t stream)
{
	size_t i;

	SEARCH_FIRST(i, regions->items.count, regions->items.items[i].stream >= stream);
	return i;
}

const struct region *regions_of(const struct regions *regions, uint32_t stream, size_t *count)
{
	size_t first = first_of(regions, stream);

	*count = first_of(regions, (uint64_t)stream + 1) - first;
	return regions->items.items ? &regions->items.items[first] : NULL;
}
