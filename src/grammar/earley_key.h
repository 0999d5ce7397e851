/* A text that is equal for sessions with the same future. */
#ifndef GRAMMAR_EARLEY_KEY_H
#define GRAMMAR_EARLEY_KEY_H

#include "grammar/earley_set.h"

/*
 * Without code the number of the set: it means something as long as some session has that set. With
 * code all that the set leads to, with the attributes of events and the states that were kept. False:
 * one of those cannot be compared.
 */
bool earley_key(struct grammar_parser *parser, const struct earley_set *set, script_key_text *text,
		struct err *err);

#endif
