/*
 * Follows the kept events of all windows in base order, and answers for each window which events of
 * a property happened before it. The index of a property's events is made once; a window sees a
 * prefix of each list.
 */
#include "predict/pattern/pattern_past.h"

#include "base/mem.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void make_index(struct past_index *index, const struct pattern_set *set, uint32_t number)
{
	const struct property_events *property = &set->properties->properties.items[number];
	uint32_t count = (uint32_t)property->events.count;
	uint32_t *numbers = mem_alloc(count * sizeof *numbers + 1);

	index->keep_of = mem_alloc(count * sizeof *index->keep_of + 1);
	for (uint32_t i = 0; i < count; i++)
		index->keep_of[i] = numbers[i] = ORDER_NONE;
	for (uint32_t k = 0; k < set->keeps.count; k++) {
		for (uint32_t i = set->use_start.items[k]; i < set->use_start.items[k + 1]; i++) {
			const struct pattern_use *use = &set->uses.items[i];

			if (use->property != number)
				continue;
			index->keep_of[use->event] = k;
			numbers[use->event] = use->event;
		}
	}
	pattern_index_make(&index->events, property, numbers, count);
}

/* ---- while windows are read ------------------------------------------------------------------ */

struct pattern_past *pattern_past_open(const struct pattern_set *set, const struct trace *trace)
{
	struct pattern_past *past = mem_zalloc(1, sizeof *past);
	size_t count = set->properties->properties.count;

	past->set = set;
	past->nodes = mem_zalloc(set->keeps.count + 1, sizeof *past->nodes);
	past->indices = mem_zalloc(count + 1, sizeof *past->indices);
	base_position_open(&past->base_run, trace);
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
	for (size_t i = 0; i < past->set->properties->properties.count; i++) {
		pattern_index_free(&past->indices[i].events);
		free(past->indices[i].keep_of);
	}
	base_position_close(&past->base_run);
	free(past->indices);
	free(past->nodes);
	free(past);
}

/*
 * Gives the node the next rank. Workers read ranks at the same time. They may see this rank or 0:
 * for their windows, which came earlier, both mean that the event is not past.
 */
static void note_node(struct pattern_past *past, const struct window_node *node)
{
	struct past_node *out = &past->nodes[node->kept];

	out->address = node->address;
	out->size = node->size < UINT32_MAX ? (uint32_t)node->size : UINT32_MAX;
	__atomic_store_n(&out->rank, ++past->ranks, __ATOMIC_RELAXED);
}

struct past_view pattern_past_read(struct pattern_past *past, const struct window *window,
				   const struct window_slice *runs)
{
	size_t streams = trace_stream_count(past->base_run.trace);
	struct past_view view = { past, mem_alloc(streams * sizeof(uint64_t) + 1), past->ranks };

	base_position_enter(&past->base_run, runs, window->first_slice, window->first_slice);
	memcpy(view.start, past->base_run.start, streams * sizeof *view.start);
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

/* ---- the view of one window ------------------------------------------------------------------ */

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
 * A window may start between the moment before an event and the event itself. Then the request was
 * made before the window, after all other events before the window.
 */
uint32_t past_view_rank(const struct past_view *view, uint32_t property, uint32_t event)
{
	const struct property_event *e = event_of(view, property, event);
	const struct past_node *node = past_view_node(view, property, event);
	uint32_t rank = __atomic_load_n(&node->rank, __ATOMIC_RELAXED);
	uint32_t stream = trace_find_stream(view->past->base_run.trace, e->id.stream);

	if (!rank || rank > view->ranks || stream == TRACE_NONE)
		return 0;
	if (e->id.index < view->start[stream])
		return rank;
	return e->before ? UINT32_MAX : 0;
}

uint32_t past_view_thread(const struct past_view *view, struct event_id id)
{
	return view->past->base_run
		.thread[trace_find_stream(view->past->base_run.trace, id.stream)];
}

/*
 * How many events of the list come before the window. Lists are in the trace's order. That is the
 * order of the base run, or close to it where the base run had to be reconstructed; in that case a
 * few events are missed.
 */
static uint32_t count_past(const struct past_view *view, uint32_t property,
			   struct pattern_list list)
{
	uint32_t i;

	SEARCH_FIRST(i, list.count, !past_view_rank(view, property, list.items[i]));
	return i;
}

struct pattern_list past_view_list(const struct past_view *view, uint32_t property, uint32_t type,
				   uint32_t parameter, uint32_t value)
{
	struct pattern_list list =
		pattern_index_list(&view->past->indices[property].events, type, parameter, value);

	list.count = count_past(view, property, list);
	return list;
}
