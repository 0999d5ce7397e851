#include "predict/pattern/pattern_past.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct past_index {
	uint32_t parameters, types;
	uint32_t *keep_of;   /* by event: position in the set's keeps, or ORDER_NONE */
	uint32_t *count;     /* by type */
	uint32_t **by_value; /* [type * (parameters + 1) + p], as in pattern_events.h */
};

/* ---- indices ----------------------------------------------------------------------------------- */

struct pattern_past_sorting {
	const struct property_events *property;
	uint32_t parameter;
};

static uint32_t value_of(const struct property_events *property, uint32_t event, uint32_t parameter)
{
	return property->bindings.items[property->events.items[event].bindings + parameter];
}

static int compare_values(const void *a, const void *b, void *context)
{
	const struct pattern_past_sorting *sorting = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t v = value_of(sorting->property, x, sorting->parameter);
	uint32_t w = value_of(sorting->property, y, sorting->parameter);

	if (v != w)
		return v < w ? -1 : 1;
	return (x > y) - (x < y);
}

static void index_type(struct past_index *index, const struct property_events *property,
		       uint32_t type)
{
	uint32_t *plain = mem_alloc(index->count[type] * sizeof *plain + 1), at = 0;

	for (uint32_t i = 0; i < property->events.count; i++) {
		if (property->events.items[i].event == type && index->keep_of[i] != ORDER_NONE)
			plain[at++] = i;
	}
	for (uint32_t p = 0; p < index->parameters; p++) {
		uint32_t *list = mem_alloc(at * sizeof *list + 1);
		struct pattern_past_sorting sorting = { property, p };

		memcpy(list, plain, at * sizeof *list);
		if (at)
			qsort_r(list, at, sizeof *list, compare_values, &sorting);
		index->by_value[type * (index->parameters + 1) + p] = list;
	}
	index->by_value[type * (index->parameters + 1) + index->parameters] = plain;
}

static void make_index(struct past_index *index, const struct pattern_set *set, uint32_t number)
{
	const struct property_events *property = &set->properties->properties.items[number];

	index->parameters = property->parameters;
	index->types = property->property->event_count;
	index->keep_of = mem_alloc(property->events.count * sizeof *index->keep_of + 1);
	index->count = mem_zalloc(index->types + 1, sizeof *index->count);
	index->by_value = mem_zalloc((size_t)index->types * (index->parameters + 1) + 1,
				     sizeof *index->by_value);
	for (size_t i = 0; i < property->events.count; i++)
		index->keep_of[i] = ORDER_NONE;
	for (uint32_t k = 0; k < set->keeps.count; k++) {
		for (uint32_t i = set->use_start.items[k]; i < set->use_start.items[k + 1]; i++) {
			const struct pattern_use *use = &set->uses.items[i];

			if (use->property == number) {
				index->keep_of[use->event] = k;
				index->count[property->events.items[use->event].event]++;
			}
		}
	}
	for (uint32_t type = 0; type < index->types; type++)
		index_type(index, property, type);
}

static void free_index(struct past_index *index)
{
	for (size_t i = 0; i < (size_t)index->types * (index->parameters + 1); i++)
		free(index->by_value[i]);
	free(index->by_value);
	free(index->count);
	free(index->keep_of);
}

/* ---- while windows are read ---------------------------------------------------------------------- */

struct pattern_past *pattern_past_open(const struct pattern_set *set, const struct trace *trace)
{
	struct pattern_past *past = mem_zalloc(1, sizeof *past);
	size_t count = set->properties->properties.count;

	past->set = set;
	past->nodes = mem_zalloc(set->keeps.count + 1, sizeof *past->nodes);
	past->indices = mem_zalloc(count + 1, sizeof *past->indices);
	base_position_open(&past->run, trace);
	for (size_t i = 0; i < set->formulas.count; i++) {
		uint32_t property = set->formulas.items[i].property;

		if (!i || property != set->formulas.items[i - 1].property)
			make_index(&past->indices[property], set, property);
	}
	return past;
}

void pattern_past_close(struct pattern_past *past)
{
	if (!past)
		return;
	for (size_t i = 0; i < past->set->properties->properties.count; i++)
		free_index(&past->indices[i]);
	base_position_close(&past->run);
	free(past->indices);
	free(past->nodes);
	free(past);
}

/* Other threads look at ranks at the same time; one that is being given is behind their windows. */
static void note_node(struct pattern_past *past, const struct window_node *node)
{
	struct past_node *out = &past->nodes[node->kept];

	out->address = node->address;
	out->size = node->size < UINT32_MAX ? (uint32_t)node->size : UINT32_MAX;
	__atomic_store_n(&out->rank, ++past->ranks, __ATOMIC_RELAXED);
}

struct past_view pattern_past_read(struct pattern_past *past, const struct window *window,
				   const struct window_run *runs)
{
	size_t streams = trace_stream_count(past->run.trace);
	struct past_view view = { past, mem_alloc(streams * sizeof(uint64_t) + 1), past->ranks };

	base_position_enter(&past->run, runs, window->first_run, window->first_run);
	memcpy(view.start, past->run.start, streams * sizeof *view.start);
	for (size_t n = 0; n < window->nodes.count; n++) {
		if (window->nodes.items[n].kept == ORDER_NONE)
			continue;
		if (n < window->fresh)
			view.ranks--;
		else
			note_node(past, &window->nodes.items[n]);
	}
	return view;
}

void past_view_free(struct past_view *view)
{
	free(view->start);
	view->start = NULL;
}

/* ---- for a window --------------------------------------------------------------------------------- */

static const struct property_event *event_of(const struct past_view *view, uint32_t property,
					     uint32_t event)
{
	return &view->past->set->properties->properties.items[property].events.items[event];
}

const struct past_node *past_view_node(const struct past_view *view, uint32_t property,
				       uint32_t event)
{
	uint32_t keep = view->past->indices[property].keep_of[event];

	assert(keep != ORDER_NONE);
	return &view->past->nodes[keep];
}

/*
 * A window may start between the moment before an event and the event: then the request was made
 * before it, and behind all that had happened.
 */
uint32_t past_view_rank(const struct past_view *view, uint32_t property, uint32_t event)
{
	const struct property_event *e = event_of(view, property, event);
	const struct past_node *node = past_view_node(view, property, event);
	uint32_t rank = __atomic_load_n(&node->rank, __ATOMIC_RELAXED);
	uint32_t stream = trace_find_stream(view->past->run.trace, e->id.stream);

	if (!rank || rank > view->ranks || stream == TRACE_NONE)
		return 0;
	if (e->id.index < view->start[stream])
		return rank;
	return e->before ? UINT32_MAX : 0;
}

uint32_t past_view_thread(const struct past_view *view, struct event_id id)
{
	return view->past->run.thread[trace_find_stream(view->past->run.trace, id.stream)];
}

/* The first of a sorted list whose value is at least this one; or greater, with `behind`. */
static uint32_t find_bound(const struct property_events *property, struct past_list list,
			   uint32_t parameter, uint32_t value, bool behind)
{
	uint32_t low = 0, high = list.count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		uint32_t v = value_of(property, list.items[middle], parameter);

		if (v < value || (behind && v == value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * How many of them come before the window: the trace's order is the base run's, or close to it
 * where that had to be found out. Then a few are missed.
 */
static uint32_t count_past(const struct past_view *view, uint32_t property, struct past_list list)
{
	uint32_t low = 0, high = list.count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (past_view_rank(view, property, list.items[middle]))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct past_list past_view_list(const struct past_view *view, uint32_t property, uint32_t type,
				uint32_t parameter, uint32_t value)
{
	const struct past_index *index = &view->past->indices[property];
	const struct property_events *events =
		&view->past->set->properties->properties.items[property];
	uint32_t p = parameter == PROPERTY_NONE ? index->parameters : parameter;
	struct past_list list = { index->by_value[type * (index->parameters + 1) + p],
				  index->count[type] };

	if (parameter != PROPERTY_NONE) {
		uint32_t low = find_bound(events, list, p, value, false);

		list.count = find_bound(events, list, p, value, true) - low;
		list.items += low;
	}
	list.count = count_past(view, property, list);
	return list;
}
