/*
 * Collects all events of all properties in memory (property_read()). Events with the same anchor
 * are sorted by their index in the property.
 */
#include "property/reader.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

SORT_COMPARISON(compare_events, struct property_event, a, b,
		sort_order(a->order, b->order)
			?: sort_order(b->before, a->before)
			?: sort_order(a->event, b->event)
			?: sort_order(a->bindings, b->bindings))

/* Copies the captured values of a step. Equal strings share one copy in `texts`. */
static void keep_captured(struct property_events *events, const struct property_step *step,
			  struct intern *texts)
{
	uint32_t locals = events->property->events[step->event.event].local_count;

	for (uint32_t i = 0; i < locals + PROPERTY_CAPTURED_MORE; i++) {
		struct spec_value *value = vec_push(&events->captured);

		*value = step->captured[i];
		if (value->type == SPEC_VALUE_TEXT)
			value->text = intern_text(
				texts, intern_put(texts, value->text, value->length, NULL));
	}
}

static void keep_event(struct property_events *events, const struct property_step *step,
		       struct intern *texts)
{
	struct property_event *event = vec_push(&events->events);

	*event = step->event;
	event->bindings = (uint32_t)events->bindings.count;
	for (uint32_t p = 0; p < events->parameters; p++)
		*vec_push(&events->bindings) = step->bindings[p];
	event->captured = (uint32_t)events->captured.count;
	if (step->captured)
		keep_captured(events, step, texts);
}

/* Makes the set the owner of the strings. */
static void move_texts(struct intern *texts, struct property_set *set)
{
	for (size_t i = 0; i < texts->items.count; i++)
		*vec_push(&set->texts) = texts->items.items[i].text;
	texts->items.count = 0;
	intern_free(texts);
}

/* Moves a property's values to its events, and makes the set the owner of their strings. */
static void move_values(struct reader_property *prop, struct property_events *events,
			struct property_set *set)
{
	for (size_t i = 0; i < prop->values.entries.count; i++) {
		struct property_value *value = &prop->values.entries.items[i].value;

		*vec_push(&events->values) = *value;
		if (value->text)
			*vec_push(&set->texts) = (char *)value->text;
		value->text = NULL;
	}
}

bool property_read(const struct trace *trace, struct spec_file *const *files, size_t count,
		   struct property_set *set, struct err *err)
{
	struct property_reader *r = reader_open(trace, files, count, true);
	struct property_step step;
	struct intern texts = { 0 };

	*set = (struct property_set){ 0 };
	for (size_t i = 0; i < r->props.count; i++)
		*vec_push(&set->properties) =
			(struct property_events){ .property = r->props.items[i].property,
						  .parameters = r->props.items[i].parameters };
	while (property_reader_next(r, &step)) {
		struct property_events *events = &set->properties.items[step.property];

		if (events->bindings.count + events->parameters > UINT32_MAX ||
		    events->captured.count + r->most_locals + PROPERTY_CAPTURED_MORE > UINT32_MAX) {
			move_texts(&texts, set);
			property_reader_close(r);
			property_set_free(set);
			return err_set(err, "property %s: too many events", events->property->name);
		}
		keep_event(events, &step, &texts);
	}
	for (uint32_t i = 0; i < r->props.count; i++) {
		struct property_events *events = &set->properties.items[i];

		vec_sort(&events->events, compare_events);
		not_recorded_report(r, i, events);
		move_values(&r->props.items[i], events, set);
	}
	move_texts(&texts, set);
	property_reader_close(r);
	return true;
}

void property_events_free(struct property_events *events)
{
	vec_free_all(&events->unseen);
	vec_free(&events->blind);
	vec_free(&events->withheld);
	vec_free(&events->doubtful);
	vec_free(&events->events);
	vec_free(&events->bindings);
	vec_free(&events->values);
	vec_free(&events->captured);
}

void property_set_free(struct property_set *set)
{
	for (size_t i = 0; i < set->properties.count; i++)
		property_events_free(&set->properties.items[i]);
	vec_free(&set->properties);
	vec_free_all(&set->texts);
}
