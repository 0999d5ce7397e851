/*
 * Matches one point with one recorded event. The part that depends on the kind of the point comes
 * first (points.c, accesses.c, locks.c). The common part follows: held locks, the filter, and the
 * values of the binding.
 */
#include "property/reader.h"
#include "base/sort.h"

#include "trace/sites.h"

#include <stdlib.h>
#include <string.h>

uint8_t match_type(const struct match *m, uint32_t parameter)
{
	/* a local has no type: if its value has text, the text counts */
	if (parameter == SPEC_NONE)
		return SPEC_STRING;
	return m->reader->props.items[m->point->prop].types[parameter];
}

bool match_doubt(const struct match *m, enum reader_doubt doubt)
{
	if (!m->reader->first_walk)
		m->point->doubts[doubt]++;
	return false;
}

/* ---- slots ----------------------------------------------------------------------------------- */

bool match_parameter(const struct match *m, uint32_t parameter, uint32_t local,
		     const struct property_raw *raw)
{
	uint8_t type = match_type(m, parameter);
	struct property_raw *to;

	if (parameter == SPEC_NONE) {
		if (local != SPEC_NONE) {
			m->reader->locals[local] = *raw;
			m->reader->locals[local].bound = true;
		}
		return true;
	}
	switch (values_check_type(type, raw)) {
	case VALUES_FITS: break;
	/* NULL is not an object, so it cannot be bound to an object parameter */
	case VALUES_NULL: return false;
	case VALUES_UNKNOWN: return match_doubt(m, DOUBT_UNKNOWN);
	case VALUES_CUT: return match_doubt(m, DOUBT_CUT);
	case VALUES_NO_TEXT: return match_doubt(m, DOUBT_NO_TEXT);
	case VALUES_TYPE: return match_doubt(m, DOUBT_TYPE);
	}
	to = &m->reader->parameters[parameter];
	if (to->known)
		return values_same(type, to, raw);
	*to = *raw;
	return true;
}

/*
 * Is the value equal to the constant expression in the slot? Numbers are compared with numbers and
 * text with text. A null pointer is the number 0.
 */
static bool slot_equals(const struct match *m, const struct spec_expr *expr,
			const struct property_raw *raw)
{
	struct spec_scope scope = { 0 };
	struct spec_value wanted = spec_evaluate(expr, &scope);
	struct spec_value given;

	given = raw_value_spec_value(raw, wanted.type == SPEC_VALUE_TEXT ? SPEC_STRING : SPEC_INT);
	if (given.type == SPEC_VALUE_UNKNOWN || wanted.type == SPEC_VALUE_UNKNOWN)
		return match_doubt(m, DOUBT_UNKNOWN);
	if (given.type == SPEC_VALUE_TEXT || wanted.type == SPEC_VALUE_TEXT) {
		if (given.type == wanted.type && given.cut && given.length <= wanted.length)
			return match_doubt(m, DOUBT_CUT);
		return given.type == wanted.type && given.length == wanted.length &&
		       !memcmp(given.text, wanted.text, given.length);
	}
	if (given.type == SPEC_VALUE_INT && wanted.type == SPEC_VALUE_INT)
		return given.number == wanted.number;
	return (given.type == SPEC_VALUE_INT ? (double)given.number : given.real) ==
	       (wanted.type == SPEC_VALUE_INT ? (double)wanted.number : wanted.real);
}

bool match_slot(const struct match *m, const struct spec_argument *slot,
		const struct property_raw *raw)
{
	switch (slot->slot) {
	case SPEC_BINDS:
	case SPEC_BINDS_POINTED: return match_parameter(m, slot->parameter, slot->local, raw);
	case SPEC_EQUALS: return slot_equals(m, slot->value, raw);
	}
	return true;
}

/*
 * ---- values of the binding --------------------------------------------------------------------
 */

static bool starts_life(const struct spec_event *event, uint32_t parameter)
{
	for (const struct spec_lifetime *life = event->lives; life; life = life->next) {
		if (!life->ends && life->parameter == parameter)
			return true;
	}
	return false;
}

/* Sets `chosen` to the indices of the values that are bound to the parameters. */
static void choose_values(const struct match *m)
{
	struct property_reader *r = m->reader;
	struct reader_property *prop = &r->props.items[m->point->prop];
	struct event_id at = { m->happening->event->stream, m->happening->event->index };

	for (uint32_t p = 0; p < prop->parameters; p++) {
		uint8_t type = prop->types[p];

		if (!r->parameters[p].known)
			r->chosen[p] = PROPERTY_NONE;
		else if (m->point->starts && starts_life(m->point->event, p))
			r->chosen[p] = values_begin(&prop->values, type, &r->parameters[p], at);
		else
			r->chosen[p] = values_put(&prop->values, type, &r->parameters[p]);
	}
}

static void remember_known_values(struct reader_property *prop, const uint32_t *chosen)
{
	for (uint32_t p = 0; p < prop->parameters; p++) {
		bool fresh;

		if (chosen[p] == PROPERTY_NONE)
			continue;
		map_put(&prop->known[p].seen, chosen[p], &fresh);
		if (fresh)
			*vec_push(&prop->known[p].numbers) = chosen[p];
	}
}

/*
 * ---- values for grammars ----------------------------------------------------------------------
 */

/*
 * Converts a local's value for a grammar: a string to its content, a null pointer to the number 0.
 */
static struct spec_value captured_local(const struct property_raw *raw)
{
	struct spec_value value = { .type = SPEC_VALUE_UNKNOWN };

	if (raw->known && !(raw->lost && raw->bits))
		return raw_value_spec_value(raw, SPEC_STRING);
	value.cut = raw->bound;
	return value;
}

static void capture_values(const struct match *m)
{
	struct property_reader *r = m->reader;

	for (uint32_t l = 0; l < m->point->event->local_count; l++)
		*vec_push(&r->captured) = captured_local(&r->locals[l]);
	*vec_push(&r->captured) = functions_callee(m);
	*vec_push(&r->captured) = functions_caller(m);
	*vec_push(&r->captured) = (struct spec_value){
		.type = SPEC_VALUE_INT,
		.number = trace_stream(r->trace, m->happening->thread)->number,
	};
}

/*
 * Called when another point of the same property event matches, too: adds the locals that only this
 * point binds.
 */
static void capture_more(const struct match *m, struct spec_value *captured)
{
	for (uint32_t l = 0; l < m->point->event->local_count; l++) {
		if (captured[l].type == SPEC_VALUE_UNKNOWN && m->reader->locals[l].bound)
			captured[l] = captured_local(&m->reader->locals[l]);
	}
}

/* ---- events ---------------------------------------------------------------------------------- */

/*
 * Is the property event already in the queue? Several points of one event may match the same
 * anchor; with the same binding they are one event.
 */
static bool is_already_queued(const struct match *m, uint32_t parameters, bool next)
{
	struct property_reader *r = m->reader;

	if (!m->point->event->points->next)
		return false;
	for (size_t i = r->anchor; i < r->queue.count; i++) {
		struct property_step *step = &r->queue.items[i].step;

		if (step->kind == PROPERTY_HAPPENED && step->property == m->point->prop &&
		    step->event.event == m->point->number &&
		    step->event.before == m->happening->before &&
		    (!parameters || !memcmp(&r->bindings.items[r->queue.items[i].bindings],
					    r->chosen, parameters * sizeof *r->chosen))) {
			step->event.may_be_next |= next;
			if (r->props.items[m->point->prop].captures)
				capture_more(m, &r->captured.items[r->queue.items[i].captured]);
			return true;
		}
	}
	return false;
}

/*
 * Schedules the end of the lifetimes that the event ends. Does nothing if the filter mentions
 * parameters that the point does not bind: the first walk does not know their values and would end
 * other lifetimes than the second walk. not_recorded.c reports such points.
 */
static void end_lives(const struct match *m)
{
	if (m->point->guesses.count)
		return;
	for (const struct spec_lifetime *life = m->point->event->lives; life; life = life->next) {
		if (life->ends && m->reader->chosen[life->parameter] != PROPERTY_NONE)
			*vec_push(&m->reader->ending) =
				(struct reader_ending){ m->point->prop,
							m->reader->chosen[life->parameter] };
	}
}

static void queue_event(const struct match *m)
{
	struct property_reader *r = m->reader;
	const struct trace_event *ev = m->happening->event;
	const struct spec_point *spec = m->point->spec;
	struct reader_property *prop = &r->props.items[m->point->prop];
	uint32_t parameters = prop->parameters;
	bool next = spec->kind == SPEC_POINT_READ && !spec->result && !spec->filter &&
		    (ev->kind == EV_READ || ev->kind == EV_ATOMIC_READ);
	struct reader_step *queued;

	end_lives(m);
	if (r->first_walk) {
		remember_known_values(prop, r->chosen);
		return;
	}
	if (is_already_queued(m, parameters, next))
		return;
	queued = vec_push(&r->queue);
	*queued = (struct reader_step){
		.step = { .kind = PROPERTY_HAPPENED, .property = m->point->prop },
		.bindings = r->bindings.count,
		.captured = r->captured.count,
	};
	queued->step.event = (struct property_event){
		.id = { ev->stream, ev->index },
		.before = m->happening->before,
		.may_be_next = next,
		.kind = ev->kind,
		.event = m->point->number,
		.site = trace_event_site(r->trace, ev),
		.order = m->happening->order,
	};
	for (uint32_t p = 0; p < parameters; p++)
		*vec_push(&r->bindings) = r->chosen[p];
	if (prop->captures)
		capture_values(m);
}

/* ---- filters --------------------------------------------------------------------------------- */

static bool filter_holds(const struct match *m)
{
	struct property_reader *r = m->reader;
	struct spec_scope scope = { .parameters = r->parameter_values, .locals = r->local_values };
	struct spec_value value = spec_evaluate(m->point->spec->filter, &scope);

	switch (value.type) {
	case SPEC_VALUE_INT: return value.number != 0;
	case SPEC_VALUE_REAL: return value.real != 0;
	case SPEC_VALUE_TEXT: return true;
	}
	return match_doubt(m, DOUBT_FILTER);
}

/*
 * The filter mentions parameters that the point does not bind: creates one event for each
 * combination of known values of these parameters that satisfies the filter. `i` is the first
 * parameter without a value.
 */
static void try_guesses(const struct match *m, uint32_t i)
{
	struct property_reader *r = m->reader;
	struct reader_property *prop = &r->props.items[m->point->prop];
	uint32_t parameter;

	if (i == m->point->guesses.count) {
		if (filter_holds(m))
			queue_event(m);
		return;
	}
	parameter = r->lists.items[m->point->guesses.start + i];
	for (size_t k = 0; k < prop->known[parameter].numbers.count; k++) {
		uint32_t number = prop->known[parameter].numbers.items[k];

		r->chosen[parameter] = number;
		r->parameter_values[parameter] =
			raw_value_of_known(&prop->values.entries.items[number].value);
		try_guesses(m, i + 1);
	}
}

static void apply_filter(const struct match *m)
{
	struct property_reader *r = m->reader;
	const struct reader_property *prop = &r->props.items[m->point->prop];

	if (!m->point->spec->filter) {
		choose_values(m);
		queue_event(m);
		return;
	}
	for (uint32_t p = 0; p < prop->parameters; p++)
		r->parameter_values[p] = raw_value_spec_value(&r->parameters[p], prop->types[p]);
	for (uint32_t l = 0; l < m->point->event->local_count; l++)
		r->local_values[l] = raw_value_spec_value(&r->locals[l], SPEC_STRING);
	if (m->point->guesses.count) {
		/*
		 * Creates the values even if the filter does not hold: the first walk cannot
		 * evaluate the filter, and the indices of the two walks must agree.
		 */
		choose_values(m);
		if (!r->first_walk)
			try_guesses(m, 0);
	} else if (filter_holds(m)) {
		choose_values(m);
		queue_event(m);
	}
}

/* ---- candidates ------------------------------------------------------------------------------ */

static void try_each_held_lock(const struct match *m)
{
	struct property_reader *r = m->reader;
	const struct spec_target *holding = m->point->spec->holding;
	const struct reader_stream *thread = &r->streams[m->happening->thread];
	struct property_raw before = { 0 };

	if (holding->parameter != SPEC_NONE)
		before = r->parameters[holding->parameter];
	for (size_t i = 0; i < thread->held.count; i++) {
		if (m->happening->lock && thread->held.items[i].address == m->happening->lock)
			continue;
		if (locks_match_held(m, &thread->held.items[i]))
			apply_filter(m);
		if (holding->parameter != SPEC_NONE)
			r->parameters[holding->parameter] = before;
	}
}

static void try_point(struct property_reader *r, uint32_t number,
		      const struct reader_happening *what)
{
	struct match m = { r, &r->points.items[number], what, number };
	const struct reader_property *prop = &r->props.items[m.point->prop];
	const struct spec_point *spec = m.point->spec;
	bool fits;

	if (r->first_walk && !prop->known)
		return;
	for (uint32_t p = 0; p < prop->parameters; p++)
		r->parameters[p].known = false;
	for (uint32_t l = 0; l < m.point->event->local_count; l++)
		r->locals[l].known = r->locals[l].bound = false;
	if (m.point->tid != SPEC_NONE)
		r->locals[m.point->tid] =
			raw_value_number(trace_stream(r->trace, what->thread)->number);
	if (m.point->atomic != SPEC_NONE)
		r->locals[m.point->atomic] =
			raw_value_number(event_group(what->event->kind) == EG_ATOMIC);
	if (reader_is_function(spec))
		fits = points_match(&m);
	else if (reader_is_access(spec))
		fits = accesses_match(&m);
	else
		fits = locks_match(&m);
	if (fits && spec->holding)
		try_each_held_lock(&m);
	else if (fits)
		apply_filter(&m);
}

/* `bindings` grows with each event, so it gives the order in which the events were found. */
SORT_COMPARISON(compare_steps, struct reader_step, a, b,
		sort_order(a->step.property, b->step.property)
			?: sort_order(a->step.event.event, b->step.event.event)
			?: sort_order(a->bindings, b->bindings))

/* Sorts the events of one anchor by their index in the property. They nearly always are sorted. */
static void sort_anchor(struct property_reader *r)
{
	struct reader_step *first = r->queue.items + r->anchor;
	size_t count = r->queue.count - r->anchor;

	for (size_t i = 1; i < count; i++) {
		if (compare_steps(&first[i - 1], &first[i]) > 0) {
			qsort(first, count, sizeof *first, compare_steps);
			return;
		}
	}
}

/*
 * Tries the points that start a lifetime first, because the other events at this anchor refer to
 * the new lifetime.
 */
void match_candidates(struct property_reader *r, const struct reader_happening *what)
{
	r->anchor = r->queue.count;
	for (size_t i = 0; i < r->candidates.count; i++) {
		if (r->points.items[r->candidates.items[i]].starts)
			try_point(r, r->candidates.items[i], what);
	}
	for (size_t i = 0; i < r->candidates.count; i++) {
		if (!r->points.items[r->candidates.items[i]].starts)
			try_point(r, r->candidates.items[i], what);
	}
	for (size_t i = 0; i < r->ending.count; i++)
		values_end(&r->props.items[r->ending.items[i].prop].values,
			   r->ending.items[i].value,
			   (struct event_id){ what->event->stream, what->event->index });
	r->ending.count = 0;
	r->candidates.count = 0;
	sort_anchor(r);
}
