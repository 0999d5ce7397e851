#include "predict/pattern/pattern_events.h"

#include "base/mem.h"

#include <stdlib.h>

/* ---- what all properties share ---------------------------------------------------------------- */

/* Threads that are not in the window get numbers behind those that are. */
static void number_threads(struct scene_ground *ground, const struct analysis *analysis)
{
	const struct trace *trace;
	const struct window *window = analysis->window;
	uint32_t streams;

	if (!analysis->past)
		return;
	trace = analysis->past->past->run.trace;
	streams = trace_stream_count(trace);
	ground->thread_of = mem_alloc(streams * sizeof *ground->thread_of + 1);
	for (uint32_t i = 0; i < streams; i++)
		ground->thread_of[i] = window->model.thread_count + i;
	for (uint32_t t = 0; t < window->threads.count; t++)
		ground->thread_of[trace_find_stream(trace, window->threads.items[t].stream)] = t;
}

void scene_ground_make(struct scene_ground *ground, const struct analysis *analysis)
{
	const struct window *window = analysis->window;

	*ground = (struct scene_ground){ 0 };
	must_precede_make(&ground->needs, window, analysis->clock);
	order_sources_make(&ground->sources, &window->model);
	number_threads(ground, analysis);
	for (uint32_t n = 0; n < window->nodes.count; n++) {
		const struct window_node *node = &window->nodes.items[n];

		if (node->kept != ORDER_NONE && !node->moment)
			*map_put(&ground->node_of_keep, node->kept, NULL) = n + 1;
	}
}

void scene_ground_free(struct scene_ground *ground)
{
	must_precede_free(&ground->needs);
	map_free(&ground->node_of_keep);
	order_sources_free(&ground->sources);
	free(ground->thread_of);
}

/* ---- events ------------------------------------------------------------------------------------ */

static uint32_t anchor_of(const struct scene *s, uint32_t n)
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

/* A request whose anchor is behind the window waits for the next one. */
static void add_event(struct scene *s, uint32_t node, uint32_t number)
{
	const struct property_event *e = &s->property->events.items[number];
	uint32_t anchor = anchor_of(s, node);

	if (anchor == ORDER_NONE)
		return;
	*vec_push(&s->events) = (struct scene_event){
		.node = node,
		.anchor = anchor,
		.thread = s->model->thread.items[node],
		.number = number,
		.next = ORDER_NONE,
		.event = e,
		.binding = &s->property->bindings.items[e->bindings],
		.site = e->site,
	};
	s->type_count[e->event]++;
}

static void collect_events(struct scene *s)
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
		struct scene_event *e = &s->events.items[i];

		e->next = last[e->thread];
		last[e->thread] = (uint32_t)i;
	}
	free(last);
}

/* ---- indices ----------------------------------------------------------------------------------- */

struct pattern_events_sorting {
	const struct scene_event *events;
	uint32_t parameter;
};

static int compare_values(const void *a, const void *b, void *context)
{
	const struct pattern_events_sorting *sorting = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t v = sorting->events[x].binding[sorting->parameter];
	uint32_t w = sorting->events[y].binding[sorting->parameter];

	if (v != w)
		return v < w ? -1 : 1;
	return (x > y) - (x < y);
}

static void index_type(struct scene *s, uint32_t type)
{
	uint32_t count = s->type_count[type];

	for (uint32_t p = 0; p <= s->parameters; p++) {
		uint32_t *list = mem_alloc(count * sizeof *list + 1), at = 0;
		struct pattern_events_sorting sorting = { s->events.items, p };

		for (uint32_t i = 0; i < s->events.count; i++) {
			if (s->events.items[i].event->event == type)
				list[at++] = i;
		}
		if (p < s->parameters && count)
			qsort_r(list, count, sizeof *list, compare_values, &sorting);
		s->by_value[type * (s->parameters + 1) + p] = list;
	}
}

struct scene_list scene_of_type(const struct scene *s, uint32_t type)
{
	return (struct scene_list){ s->by_value[type * (s->parameters + 1) + s->parameters],
				    s->type_count[type] };
}

/* The first of the list whose value is at least this one; or greater, with `behind`. */
static uint32_t find_bound(const struct scene *s, const uint32_t *list, uint32_t count,
			   uint32_t parameter, uint32_t value, bool behind)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		uint32_t v = s->events.items[list[middle]].binding[parameter];

		if (v < value || (behind && v == value))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct scene_list scene_of_value(const struct scene *s, uint32_t type, uint32_t parameter,
				 uint32_t value)
{
	const uint32_t *list = s->by_value[type * (s->parameters + 1) + parameter];
	uint32_t count = s->type_count[type];
	uint32_t low = find_bound(s, list, count, parameter, value, false);

	return (struct scene_list){ list + low,
				    find_bound(s, list, count, parameter, value, true) - low };
}

/* ---- the past ---------------------------------------------------------------------------------- */

struct scene_event scene_past_event(const struct scene *s, uint32_t number)
{
	const struct property_event *e = &s->property->events.items[number];

	return (struct scene_event){
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

uint32_t scene_add_past(struct scene *s, uint32_t number)
{
	bool fresh;
	uint64_t *position = map_put(&s->past_events, number, &fresh);

	if (fresh) {
		*position = s->events.count;
		*vec_push(&s->events) = scene_past_event(s, number);
	}
	return (uint32_t)*position;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

uint32_t scene_before_next(const struct scene *s, uint32_t node, uint32_t *state)
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

uint32_t scene_find_node(const struct scene *s, struct event_id id)
{
	uint32_t kept = pattern_set_find(s->set, id);
	const uint64_t *node = kept == ORDER_NONE ? NULL : map_get(s->node_of_keep, kept);

	return node ? (uint32_t)*node - 1 : ORDER_NONE;
}

/* ---- all of it --------------------------------------------------------------------------------- */

void scene_open(struct scene *s, const struct analysis *analysis, uint32_t property,
		const struct scene_ground *ground)
{
	const struct property_events *events =
		&analysis->patterns->properties->properties.items[property];

	*s = (struct scene){
		.analysis = analysis,
		.window = analysis->window,
		.model = &analysis->window->model,
		.set = analysis->patterns,
		.property = events,
		.property_number = property,
		.parameters = events->parameters,
		.types = events->property->event_count,
		.needs = &ground->needs,
		.node_of_keep = &ground->node_of_keep,
		.sources = &ground->sources,
		.past = analysis->past,
		.thread_of = ground->thread_of,
	};
	s->type_count = mem_zalloc(s->types + 1, sizeof *s->type_count);
	s->by_value = mem_zalloc((size_t)s->types * (s->parameters + 1) + 1, sizeof *s->by_value);
	collect_events(s);
	for (uint32_t type = 0; type < s->types; type++)
		index_type(s, type);
}

void scene_close(struct scene *s)
{
	for (size_t i = 0; i < (size_t)s->types * (s->parameters + 1); i++)
		free(s->by_value[i]);
	free(s->by_value);
	free(s->type_count);
	vec_free(&s->events);
	map_free(&s->past_events);
}
