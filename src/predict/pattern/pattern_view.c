/* Collects the events of one property in one window, and indexes them for the join. */
#include "predict/pattern/pattern_view.h"

#include "base/mem.h"

#include <stdlib.h>

/* ---- what all properties share --------------------------------------------------------------- */

/* Threads that are not in the window get numbers after those that are. */
static void number_threads(struct pattern_view_shared *shared, const struct analysis *analysis)
{
	const struct trace *trace;
	const struct window *window = analysis->window;
	uint32_t streams;

	if (!analysis->past)
		return;
	trace = analysis->past->past->base_run.trace;
	streams = trace_stream_count(trace);
	shared->thread_of = mem_alloc(streams * sizeof *shared->thread_of + 1);
	for (uint32_t i = 0; i < streams; i++)
		shared->thread_of[i] = window->model.thread_count + i;
	for (uint32_t t = 0; t < window->threads.count; t++)
		shared->thread_of[trace_find_stream(trace, window->threads.items[t].stream)] = t;
}

void pattern_view_shared_make(struct pattern_view_shared *shared, const struct analysis *analysis)
{
	const struct window *window = analysis->window;

	*shared = (struct pattern_view_shared){ 0 };
	must_precede_make(&shared->must_precede, window, analysis->clock);
	order_sources_make(&shared->sources, &window->model);
	number_threads(shared, analysis);
	for (uint32_t n = 0; n < window->nodes.count; n++) {
		const struct window_node *node = &window->nodes.items[n];

		if (node->kept != ORDER_NONE && !node->moment)
			*map_put(&shared->node_of_keep, node->kept, NULL) = n + 1;
	}
}

void pattern_view_shared_free(struct pattern_view_shared *shared)
{
	must_precede_free(&shared->must_precede);
	map_free(&shared->node_of_keep);
	order_sources_free(&shared->sources);
	free(shared->thread_of);
}

/* ---- events ---------------------------------------------------------------------------------- */

static uint32_t anchor_of(const struct pattern_view *s, uint32_t n)
{
	const struct window_node *node = &s->window->nodes.items[n], *after;
	uint32_t next;

	if (!node->moment)
		return n;
	next = order_model_next(s->model, n);
	if (next == ORDER_NONE)
		return ORDER_NONE;
	after = &s->window->nodes.items[next];
	return after->id.stream == node->id.stream && after->id.index == node->id.index
		       ? next
		       : ORDER_NONE;
}

/*
 * Adds an event of the property. A request whose anchor is after the window is left to the next
 * window.
 */
static void add_event(struct pattern_view *s, uint32_t node, uint32_t number)
{
	const struct property_event *e = &s->property->events.items[number];
	uint32_t anchor = anchor_of(s, node);

	if (anchor == ORDER_NONE)
		return;
	*vec_push(&s->events) = (struct pattern_event){
		.node = node,
		.anchor = anchor,
		.thread = s->model->thread.items[node],
		.number = number,
		.next = ORDER_NONE,
		.event = e,
		.binding = &s->property->bindings.items[e->bindings],
		.site = e->site,
	};
}

static void collect_events(struct pattern_view *s)
{
	const struct pattern_set *set = s->set;
	uint32_t *last = mem_alloc(s->model->thread_count * sizeof *last + 1);

	for (uint32_t n = 0; n < s->window->nodes.count; n++) {
		uint32_t kept = s->window->nodes.items[n].kept;

		if (kept == ORDER_NONE)
			continue;
		for (uint32_t i = set->use_start.items[kept]; i < set->use_start.items[kept + 1];
		     i++) {
			if (set->uses.items[i].property == s->property_number)
				add_event(s, n, set->uses.items[i].event);
		}
	}
	for (uint32_t t = 0; t < s->model->thread_count; t++)
		last[t] = ORDER_NONE;
	for (size_t i = s->events.count; i-- > 0;) {
		struct pattern_event *e = &s->events.items[i];

		e->next = last[e->thread];
		last[e->thread] = (uint32_t)i;
	}
	free(last);
}

/* ---- events before the window ---------------------------------------------------------------- */

struct pattern_event pattern_view_past_event(const struct pattern_view *s, uint32_t number)
{
	const struct property_event *e = &s->property->events.items[number];

	return (struct pattern_event){
		.past = past_view_rank(s->past, s->property_number, number),
		.node = ORDER_NONE,
		.anchor = ORDER_NONE,
		.thread = s->thread_of[past_view_thread(s->past, e->id)],
		.number = number,
		.next = ORDER_NONE,
		.event = e,
		.binding = &s->property->bindings.items[e->bindings],
		.site = e->site,
	};
}

uint32_t pattern_view_add_past(struct pattern_view *s, uint32_t number)
{
	bool fresh;
	uint64_t *position = map_put(&s->past_events, number, &fresh);

	if (fresh) {
		*position = s->events.count;
		*vec_push(&s->events) = pattern_view_past_event(s, number);
	}
	return (uint32_t)*position;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

uint32_t pattern_view_before_next(const struct pattern_view *s, uint32_t node, uint32_t *state)
{
	const struct window_node *n = &s->window->nodes.items[node];
	uint32_t previous = order_model_previous(s->model, node);

	if (!*state) {
		*state = 1;
		if (previous != ORDER_NONE)
			return previous;
	}
	while (s->sources->start[node] + *state - 1 < s->sources->start[node + 1]) {
		uint32_t from = s->sources->from[s->sources->start[node] + (*state)++ - 1];

		if (n->kind != EV_JOIN || s->model->thread.items[from] != n->object)
			return from;
	}
	return ORDER_NONE;
}

uint32_t pattern_view_find_node(const struct pattern_view *s, struct event_id id)
{
	uint32_t kept = pattern_set_find(s->set, id);
	const uint64_t *node = kept == ORDER_NONE ? NULL : map_get(s->node_of_keep, kept);

	return node ? (uint32_t)*node - 1 : ORDER_NONE;
}

/* ---- the module ------------------------------------------------------------------------------ */

void pattern_view_open(struct pattern_view *s, const struct analysis *analysis, uint32_t property,
		       const struct pattern_view_shared *shared)
{
	const struct property_events *events =
		&analysis->patterns->properties->properties.items[property];
	uint32_t *numbers;

	*s = (struct pattern_view){
		.analysis = analysis,
		.window = analysis->window,
		.model = &analysis->window->model,
		.set = analysis->patterns,
		.property = events,
		.property_number = property,
		.parameters = events->parameters,
		.must_precede = &shared->must_precede,
		.node_of_keep = &shared->node_of_keep,
		.sources = &shared->sources,
		.past = analysis->past,
		.thread_of = shared->thread_of,
	};
	collect_events(s);
	numbers = mem_alloc(s->events.count * sizeof *numbers + 1);
	for (size_t i = 0; i < s->events.count; i++)
		numbers[i] = s->events.items[i].number;
	pattern_index_make(&s->index, events, numbers, (uint32_t)s->events.count);
}

void pattern_view_close(struct pattern_view *s)
{
	pattern_index_free(&s->index);
	vec_free(&s->events);
	map_free(&s->past_events);
}
