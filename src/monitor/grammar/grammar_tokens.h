/* Property events as tokens of grammars: parameters, locals, thread, functions as values of Lua. */
#ifndef MONITOR_GRAMMAR_GRAMMAR_TOKENS_H
#define MONITOR_GRAMMAR_GRAMMAR_TOKENS_H

#include "grammar/word.h"
#include "property/property.h"

/*
 * The values of an event's attributes, in the order of grammar_attributes; `out` has room for them.
 * Texts in them are those that were given.
 */
void grammar_tokens_fill(
	const struct spec_property *property, uint32_t event, uint32_t stream,
	const struct property_value *const *parameters, /* NULL: not bound */
	const struct spec_value *captured,		/* NULL: nothing but the thread is known */
	struct script_value *out);

/* Of an event of a set. */
void grammar_tokens_of_event(const struct property_events *events,
			     const struct property_event *event, struct script_value *out);

/*
 * An attribute that some code of the grammar may look at, that a point of the event binds, and that was
 * not recorded, or not wholly: whatever came of it would be a guess. Its name; NULL: none.
 */
const char *grammar_tokens_lack(const struct grammar *grammar, uint32_t event,
				const struct spec_value *captured);
/* The same in words; to be freed. */
char *grammar_tokens_lack_words(const struct grammar *grammar, uint32_t event,
				const char *attribute);

/*
 * Why the words of a grammar cannot be judged: events may be missing, which would look like a violation, or
 * one of the set lacks an attribute. To be freed; NULL: they can. `events` may be what
 * property_reader_unseen tells: without events.
 */
char *grammar_tokens_unjudged(const struct grammar *grammar, const struct property_events *events);

#endif
