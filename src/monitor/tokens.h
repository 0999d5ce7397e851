/* Property events as tokens of grammars: parameters, locals, thread, functions as values of Lua. */
#ifndef MONITOR_TOKENS_H
#define MONITOR_TOKENS_H

#include "grammar/word.h"
#include "property/property.h"

/* The values of an event's attributes, in the order of grammar_attributes; `out` has room for them. */
void tokens_fill(const struct spec_property *property, uint32_t event, uint32_t stream,
		 const struct property_value *const *parameters, /* NULL: not bound */
		 const struct spec_value *captured, struct script_value *out);

/* Of an event of a set. */
void tokens_of_event(const struct property_events *events, const struct property_event *event,
		     struct script_value *out);

#endif
