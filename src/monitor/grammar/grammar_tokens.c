/* Makes tokens with attributes from property events (grammar_tokens.h). */
#include "monitor/grammar/grammar_tokens.h"

#include "base/mem.h"

#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

/* Objects and locks of a text trace have names as values, in calls and in fields alike. */
static struct script_value value_of_parameter(const struct property_value *value)
{
	struct script_value out = { .type = SCRIPT_NIL };

	if (!value)
		return out;
	if (value->text) {
		out.type = SCRIPT_TEXT;
		out.text = value->text;
		out.length = value->length;
	} else if (value->type == SPEC_FLOATING) {
		out.type = SCRIPT_REAL;
		memcpy(&out.real, &value->bits, sizeof out.real);
	} else {
		out.type = SCRIPT_INTEGER;
		out.integer = (int64_t)value->bits;
	}
	return out;
}

static struct script_value value_of_captured(const struct spec_value *value)
{
	struct script_value out = { .type = SCRIPT_NIL };

	switch (value->type) {
	case SPEC_VALUE_INT:
		out.type = SCRIPT_INTEGER;
		out.integer = value->number;
		break;
	case SPEC_VALUE_REAL:
		out.type = SCRIPT_REAL;
		out.real = value->real;
		break;
	case SPEC_VALUE_TEXT:
		out.type = SCRIPT_TEXT;
		out.text = value->text;
		out.length = value->length;
		break;
	}
	return out;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

/*
 * The attributes that every event has, in the order of grammar_attributes(), and their indices in
 * the captured values.
 */
static const struct {
	const char *name;
	enum property_captured captured_index;
} common_attributes[] = {
	{ "tid", PROPERTY_TID },
	{ "callee", PROPERTY_CALLEE },
	{ "caller", PROPERTY_CALLER },
};
#define COMMON_ATTRIBUTES (sizeof common_attributes / sizeof *common_attributes)

static bool has_own_attribute(const struct spec_property *property, const struct spec_event *event,
			      const char *name)
{
	for (uint32_t p = 0; p < property->parameter_count; p++) {
		if (!strcmp(property->parameters[p].name, name))
			return true;
	}
	for (uint32_t l = 0; l < event->local_count; l++) {
		if (!strcmp(event->locals[l], name))
			return true;
	}
	return false;
}

struct script_value *grammar_tokens_fill(const struct spec_property *property, uint32_t number,
					 uint32_t stream,
					 const struct property_value *const *parameters,
					 const struct spec_value *captured,
					 grammar_token_values *values)
{
	const struct spec_event *event = &property->events[number];
	struct script_value *out = vec_reserve(
		values, property->parameter_count + (size_t)event->local_count + COMMON_ATTRIBUTES);

	for (uint32_t p = 0; p < property->parameter_count; p++)
		*out++ = value_of_parameter(parameters[p]);
	for (uint32_t l = 0; l < event->local_count; l++)
		*out++ = captured ? value_of_captured(&captured[l])
				  : (struct script_value){ .type = SCRIPT_NIL };
	for (size_t i = 0; i < COMMON_ATTRIBUTES; i++) {
		if (has_own_attribute(property, event, common_attributes[i].name))
			continue;
		if (captured)
			*out++ = value_of_captured(&captured[event->local_count +
							     common_attributes[i].captured_index]);
		else if (common_attributes[i].captured_index == PROPERTY_TID)
			*out++ = (struct script_value){ .type = SCRIPT_INTEGER, .integer = stream };
		else
			*out++ = (struct script_value){ .type = SCRIPT_NIL };
	}
	return values->items;
}

struct script_value *grammar_tokens_of_event(const struct property_events *events,
					     const struct property_event *event,
					     grammar_token_values *values)
{
	const struct spec_property *property = events->property;
	const struct property_value *parameters[64] = { 0 }; /* src/spec limits their number */

	for (uint32_t p = 0; p < property->parameter_count; p++) {
		uint32_t value = events->bindings.items[event->bindings + p];

		if (value != PROPERTY_NONE)
			parameters[p] = &events->values.items[value];
	}
	return grammar_tokens_fill(
		property, event->event, event->id.stream, parameters,
		events->captured.count ? &events->captured.items[event->captured] : NULL, values);
}

/* ---- what must not be judged ----------------------------------------------------------------- */

const char *grammar_tokens_missing(const struct grammar *grammar, uint32_t event,
				   const struct spec_value *captured)
{
	const struct spec_event *about = &grammar->property->events[event];
	const bool *used = grammar->events[event].used + grammar->property->parameter_count;

	for (uint32_t l = 0; l < about->local_count; l++) {
		if (captured[l].cut && used[l])
			return about->locals[l];
	}
	return NULL;
}

char *grammar_tokens_missing_text(const struct grammar *grammar, uint32_t event,
				  const char *attribute)
{
	return mem_format(
		"event %s: the value of `%s` was not recorded, or not completely, and the "
		"grammar uses it",
		grammar->property->events[event].name, attribute);
}

char *grammar_tokens_unjudged(const struct grammar *grammar, const struct property_events *events)
{
	if (events->doubtful.count)
		return mem_format("a missing event would look like a violation: %s",
				  events->unseen.items[0]);
	for (size_t i = 0; i < events->events.count && events->captured.count; i++) {
		const struct property_event *e = &events->events.items[i];
		const char *missing = grammar_tokens_missing(grammar, e->event,
							     &events->captured.items[e->captured]);

		if (missing)
			return grammar_tokens_missing_text(grammar, e->event, missing);
	}
	return NULL;
}
