/* Keys of Earley sessions: two sessions have equal texts only if they have the same future. */
#ifndef GRAMMAR_EARLEY_KEY_H
#define GRAMMAR_EARLEY_KEY_H

#include "grammar/earley_set.h"

/*
 * Appends the key of a set. Without code, the key is the set's number, which is valid while some
 * session refers to the set. With code, it contains everything to which the set refers, with the
 * attributes of events and the kept states. Returns false if one of those cannot be compared.
 */
bool earley_key(struct grammar_parser *parser, const struct earley_set *set, script_buffer *text,
		struct err *err);

#endif
