/* Property events as tokens of grammars: parameters, locals, thread and functions as Lua values. */
#ifndef MONITOR_GRAMMAR_GRAMMAR_TOKENS_H
#define MONITOR_GRAMMAR_GRAMMAR_TOKENS_H

#include "grammar/word.h"
#include "property/property.h"

/*
 * Fills in the values of an event's attributes, in the order of grammar_attributes(). Makes room in
 * `values` and returns its items. Texts are not copied.
 */
typedef VEC(struct script_value) grammar_token_values;
struct script_value *
grammar_tokens_fill(const struct spec_property *property, uint32_t event, uint32_t stream,
		    const struct property_value *const *parameters, /* NULL: not bound */
		    const struct spec_value *captured, /* NULL: only the thread is known */
		    grammar_token_values *values);

/* Like grammar_tokens_fill(), but for an event of a property set. */
struct script_value *grammar_tokens_of_event(const struct property_events *events,
					     const struct property_event *event,
					     grammar_token_values *values);

/*
 * Returns an attribute whose value is missing, so that a verdict that depends on it would be a
 * guess; NULL if there is none. Code of the grammar may read this attribute, a point of the event
 * binds it, and it was not recorded, or not completely.
 */
const char *grammar_tokens_missing(const struct grammar *grammar, uint32_t event,
				   const struct spec_value *captured);
/* Returns a text that reports such an attribute; the caller frees it. */
char *grammar_tokens_missing_text(const struct grammar *grammar, uint32_t event,
				  const char *attribute);

/*
 * Returns why the words of a grammar cannot be judged, or NULL if they can: events may be missing,
 * which would look like a violation, or an event lacks an attribute. The caller frees it. `events`
 * may be the result of property_reader_unseen(), which has no events.
 */
char *grammar_tokens_unjudged(const struct grammar *grammar, const struct property_events *events);

#endif
