/*
 * Walks a trace and turns recorded events into property events. Prepares the points of all
 * properties, then reads the recorded events in the trace's order and passes each one to the files
 * that match its kind of points (see reader.h).
 *
 * The trace is walked twice if a filter mentions a parameter that its point does not bind, or if
 * the object of a field must be searched for. The first walk collects the values that the other
 * events bind.
 */
#include "property/reader.h"

#include "base/mem.h"
#include "trace/sites.h"

#include <assert.h>
#include <string.h>

/* ---- preparing points ------------------------------------------------------------------------ */

static bool slot_binds(const struct spec_argument *slot, uint32_t parameter, uint32_t local)
{
	return slot && (slot->slot == SPEC_BINDS || slot->slot == SPEC_BINDS_POINTED) &&
	       ((parameter != SPEC_NONE && slot->parameter == parameter) ||
		(local != SPEC_NONE && slot->local == local));
}

static bool target_binds(const struct spec_target *target, uint32_t parameter, uint32_t local)
{
	return target && target->kind != SPEC_GLOBAL &&
	       ((parameter != SPEC_NONE && target->parameter == parameter) ||
		(local != SPEC_NONE && target->local == local));
}

static bool point_binds(const struct spec_point *p, uint32_t parameter, uint32_t local)
{
	for (uint32_t i = 0; i < p->argument_count; i++) {
		if (slot_binds(&p->arguments[i], parameter, local))
			return true;
	}
	return slot_binds(p->result, parameter, local) ||
	       target_binds(p->target, parameter, local) ||
	       target_binds(p->holding, parameter, local);
}

/*
 * Returns the local called `name` (`tid` or `atomic`) if no point of the event binds it explicitly.
 * Such a local has a value at every point.
 */
static uint32_t implicit_local(const struct spec_event *event, const char *name)
{
	for (uint32_t l = 0; l < event->local_count; l++) {
		const struct spec_point *p = event->points;

		if (strcmp(event->locals[l], name))
			continue;
		while (p && !point_binds(p, SPEC_NONE, l))
			p = p->next;
		return p ? SPEC_NONE : l;
	}
	return SPEC_NONE;
}

static bool has_start(const struct spec_event *event)
{
	for (const struct spec_lifetime *life = event->lives; life; life = life->next) {
		if (!life->ends)
			return true;
	}
	return false;
}

static void list_guesses(struct property_reader *r, struct reader_point *point)
{
	struct reader_property *prop = &r->props.items[point->prop];

	point->guesses.start = (uint32_t)r->lists.count;
	for (uint32_t p = 0; p < prop->property->parameter_count; p++) {
		if (spec_names_parameter(point->spec->filter, p) &&
		    !point_binds(point->spec, p, SPEC_NONE))
			*vec_push(&r->lists) = p;
	}
	point->guesses.count = (uint32_t)r->lists.count - point->guesses.start;
	if (point->guesses.count) {
		point->starts = false; /* not_recorded.c reports that the `new` clause is ignored */
		if (!prop->known)
			prop->known = mem_zalloc(prop->parameters, sizeof *prop->known);
	}
}

static void add_point(struct property_reader *r, uint32_t prop, uint32_t event,
		      const struct spec_point *spec)
{
	const struct spec_event *about = &r->props.items[prop].property->events[event];
	uint32_t number = (uint32_t)r->points.count;
	struct reader_point *point = vec_push(&r->points);

	*point = (struct reader_point){ .spec = spec,
					.event = about,
					.prop = prop,
					.number = event,
					.starts = has_start(about),
					.tid = implicit_local(about, "tid"),
					.atomic = implicit_local(about, "atomic") };
	list_guesses(r, point);
	field_owners_open_point(r, point);
	if (reader_is_function(spec))
		*vec_push(&r->functions) = number;
	else if (!reader_is_access(spec))
		*vec_push(&r->kinds[spec->kind]) = number;
	for (uint32_t i = 0; i < spec->argument_count; i++)
		r->has_pointed |= spec->arguments[i].slot == SPEC_BINDS_POINTED;
	r->follows_locks |= spec->holding || spec->kind >= SPEC_POINT_REQUEST;
}

/* ---- preparing properties -------------------------------------------------------------------- */

static bool has_wildcard(const struct spec_property *property, uint32_t parameter)
{
	for (uint32_t e = 0; e < property->event_count; e++) {
		for (const struct spec_point *p = property->events[e].points; p; p = p->next) {
			if (reader_is_access(p) && p->target && p->target->kind == SPEC_FIELD &&
			    p->target->parameter == parameter && !strcmp(p->target->path, "*"))
				return true;
		}
	}
	return false;
}

static void add_prop(struct property_reader *r, const struct spec_property *property)
{
	struct reader_property *prop = vec_push(&r->props);
	uint32_t count = property->parameter_count, number = (uint32_t)r->props.count - 1;

	*prop = (struct reader_property){ .property = property,
					  .parameters = count,
					  .captures = selection_captures(property) };
	if (prop->captures && !r->functions_known)
		r->functions_known = functions_open(r->trace);
	prop->types = mem_zalloc(2 * (size_t)count + 1, 1);
	prop->hidden = mem_zalloc((size_t)count + 1, sizeof *prop->hidden);
	for (uint32_t p = 0; p < count; p++) {
		prop->types[p] = property->parameters[p].type;
		prop->hidden[p] = SPEC_NONE;
		r->objects |= prop->types[p] == SPEC_POINTER || prop->types[p] == SPEC_LOCK;
		if (!has_wildcard(property, p))
			continue;
		prop->types[prop->parameters] = SPEC_STRING;
		prop->hidden[p] = prop->parameters++;
	}
	for (uint32_t e = 0; e < property->event_count; e++) {
		for (const struct spec_point *p = property->events[e].points; p; p = p->next)
			add_point(r, number, e, p);
	}
	prop = &r->props.items[number];
	values_open(&prop->values, r->keeps || prop->known);
	r->first_walk |= prop->known != NULL;
}

/*
 * Maps each stream to that of its thread: the stream of a signal handler belongs to the interrupted
 * thread.
 */
static void map_streams_to_threads(struct property_reader *r)
{
	uint32_t count = trace_stream_count(r->trace);

	r->thread_of = mem_zalloc((size_t)count + 1, sizeof *r->thread_of);
	r->streams = mem_zalloc((size_t)count + 1, sizeof *r->streams);
	for (uint32_t i = 0; i < count; i++)
		r->thread_of[i] = trace_stream_owner(r->trace, i);
}

static void allocate_buffers(struct property_reader *r)
{
	size_t parameters = 1, locals = 1;

	for (size_t s = 0; s < r->props.count; s++) {
		const struct reader_property *prop = &r->props.items[s];

		if (prop->parameters > parameters)
			parameters = prop->parameters;
		for (uint32_t e = 0; e < prop->property->event_count; e++) {
			if (prop->property->events[e].local_count > locals)
				locals = prop->property->events[e].local_count;
		}
	}
	r->parameters = mem_zalloc(parameters, sizeof *r->parameters);
	r->parameter_values = mem_zalloc(parameters, sizeof *r->parameter_values);
	r->chosen = mem_zalloc(parameters, sizeof *r->chosen);
	r->most_locals = locals;
	r->locals = mem_zalloc(locals, sizeof *r->locals);
	r->local_values = mem_zalloc(locals, sizeof *r->local_values);
}

struct property_reader *reader_open(const struct trace *trace, struct spec_file *const *files,
				    size_t count, bool keeps)
{
	struct property_reader *r = mem_zalloc(1, sizeof *r);

	r->trace = trace;
	r->text = trace_is_text(trace) ? trace : NULL;
	r->keeps = keeps;
	if (!r->text)
		r->program = program_of_trace(trace);
	for (size_t f = 0; f < count; f++) {
		for (const struct spec_property *p = files[f]->properties; p; p = p->next)
			add_prop(r, p);
	}
	accesses_prepare(r);
	map_streams_to_threads(r);
	locks_prepare(r);
	allocate_buffers(r);
	r->order = trace_order_open(trace);
	return r;
}

struct property_reader *property_reader_open(const struct trace *trace,
					     struct spec_file *const *files, size_t count)
{
	return reader_open(trace, files, count, false);
}

static void close_prop(struct reader_property *prop)
{
	for (uint32_t p = 0; prop->known && p < prop->parameters; p++) {
		map_free(&prop->known[p].seen);
		vec_free(&prop->known[p].numbers);
		vec_free(&prop->known[p].addresses);
	}
	free(prop->known);
	free(prop->types);
	free(prop->hidden);
	values_close(&prop->values);
}

void property_reader_close(struct property_reader *r)
{
	if (!r)
		return;
	trace_order_close(r->order);
	for (size_t i = 0; i < r->props.count; i++)
		close_prop(&r->props.items[i]);
	for (uint32_t i = 0; i < trace_stream_count(r->trace); i++)
		vec_free(&r->streams[i].held);
	for (size_t i = 0; i <= SPEC_POINT_JOIN; i++)
		vec_free(&r->kinds[i]);
	program_close(r->program);
	points_free(r);
	accesses_free(r);
	functions_close(r->functions_known);
	free(r->thread_of);
	free(r->streams);
	free(r->parameters);
	free(r->parameter_values);
	free(r->chosen);
	free(r->locals);
	free(r->local_values);
	vec_free(&r->props);
	vec_free(&r->points);
	vec_free(&r->lists);
	vec_free(&r->candidates);
	vec_free(&r->queue);
	vec_free(&r->bindings);
	vec_free(&r->captured);
	vec_free(&r->ending);
	free(r);
}

/* ---- walking the trace ----------------------------------------------------------------------- */

static void match_function_event(struct property_reader *r, struct reader_happening *what)
{
	struct trace_point point;

	if (!points_find_candidates(r, what->event, &point))
		return;
	what->point = &point;
	match_candidates(r, what);
	what->point = NULL;
}

static void match_access(struct property_reader *r, const struct reader_happening *what)
{
	accesses_find_candidates(r, what->event);
	if (r->candidates.count)
		match_candidates(r, what);
	if (r->text && r->has_pointed)
		points_remember(r, what->event);
}

/* A block was allocated: ends the lifetimes of the objects that were there before. */
static void end_lifetimes_in_block(struct property_reader *r, const struct trace_event *ev)
{
	const char *name = r->text ? trace_object_name(r->trace, ev->address) : NULL;

	for (size_t i = 0; i < r->props.count; i++)
		values_end_memory(&r->props.items[i].values, ev->address, ev->size, name);
}

static void queue_gone_values(struct property_reader *r)
{
	for (uint32_t i = 0; i < r->props.count; i++) {
		struct values *values = &r->props.items[i].values;

		for (size_t k = 0; k < values->gone.count && !r->first_walk && !r->keeps; k++)
			*vec_push(&r->queue) =
				(struct reader_step){ .step = { .kind = PROPERTY_GONE,
								.property = i,
								.value = values->gone.items[k] } };
		values->gone.count = 0;
	}
}

static void read_event(struct property_reader *r, const struct trace_event *ev)
{
	uint32_t stream = trace_find_stream(r->trace, ev->stream);
	struct reader_happening what = { .event = ev, .order = r->at++ };

	assert(stream != TRACE_NONE);
	if (ev->index == TRACE_NO_INDEX)
		return;
	what.thread = r->thread_of[stream];
	switch (event_group(ev->kind)) {
	case EG_FUNCTION:
		match_function_event(r, &what);
		if (ev->kind == EV_EXIT)
			r->streams[stream].next_of_exit = ev->index + 1;
		break;
	case EG_ACCESS:
	case EG_ATOMIC:
		if (ev->kind != EV_FENCE)
			match_access(r, &what);
		break;
	case EG_MEMORY:
		if ((ev->kind == EV_ALLOC || ev->kind == EV_MAP) && r->objects)
			end_lifetimes_in_block(r, ev);
		/* fall through */
	case EG_LOCK:
	case EG_CONDITION:
	case EG_THREAD:
		if (r->follows_locks)
			locks_match_event(r, &what);
		break;
	default: break;
	}
	queue_gone_values(r);
}

/* Reads the next event of the trace. Returns false at the end. */
static bool walk_event(struct property_reader *r)
{
	struct trace_event event;

	if (r->over)
		return false;
	if (trace_order_next(r->order, &event)) {
		read_event(r, &event);
		return true;
	}
	r->over = true;
	return false;
}

/*
 * Runs the first walk, which collects the values that filters and field_owners.c need. Then resets
 * the state for the second walk.
 */
static void collect_known_values(struct property_reader *r)
{
	while (walk_event(r))
		;
	trace_order_close(r->order);
	r->order = trace_order_open(r->trace);
	r->first_walk = r->over = false;
	r->at = 0;
	r->held_count = 0;
	for (size_t i = 0; i < r->props.count; i++) {
		if (r->props.items[i].known)
			values_rewind(&r->props.items[i].values);
	}
	for (uint32_t i = 0; i < trace_stream_count(r->trace); i++) {
		r->streams[i].held.count = 0;
		r->streams[i].waited = 0;
		r->streams[i].next_of_exit = 0;
	}
	map_free(&r->memory);
}

bool property_reader_next(struct property_reader *r, struct property_step *step)
{
	if (r->first_walk)
		collect_known_values(r);
	if (r->has_last)
		values_end_reported(&r->props.items[r->last.property].values, r->last.value);
	r->has_last = false;
	while (r->queue_at == r->queue.count) {
		r->queue.count = r->queue_at = 0;
		r->bindings.count = 0;
		r->captured.count = 0;
		if (!walk_event(r))
			return false;
	}
	*step = r->queue.items[r->queue_at].step;
	if (step->kind == PROPERTY_HAPPENED) {
		step->bindings = r->bindings.items + r->queue.items[r->queue_at].bindings;
		if (r->props.items[step->property].captures)
			step->captured = r->captured.items + r->queue.items[r->queue_at].captured;
	} else {
		r->has_last = true;
		r->last = *step;
	}
	r->queue_at++;
	return true;
}

/* ---- results --------------------------------------------------------------------------------- */

const struct property_value *property_reader_value(const struct property_reader *r,
						   uint32_t property, uint32_t value)
{
	return &r->props.items[property].values.entries.items[value].value;
}

void property_reader_unseen(struct property_reader *r, uint32_t property,
			    struct property_events *out)
{
	assert(r->over);
	*out = (struct property_events){ .property = r->props.items[property].property,
					 .parameters = r->props.items[property].parameters };
	not_recorded_report(r, property, out);
}
