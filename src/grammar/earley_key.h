/* Keys of Earley sessions: texts that are equal only for sessions with the same future. */
#ifndef GRAMMAR_EARLEY_KEY_H
#define GRAMMAR_EARLEY_KEY_H

#include "grammar/earley_set.h"

/*
 * Appends the key of a set. Without code it is the set's number, which is valid while some session
 * has the set. With code it contains everything that the set refers to, with the attributes of
 * events and the kept states. Returns false if one of those cannot be compared.
 */
bool earley_key(struct grammar_parser *parser, const struct earley_set *set, script_buffer *text,
		struct err *err);

#endif
