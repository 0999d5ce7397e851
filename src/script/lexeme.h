/*
 * A piece of Lua as its lexemes, with the brackets and blocks they are in, and what stands beside a
 * name: for scopes, without parsing it. A text that is not Lua gives some lexemes and no error.
 */
#ifndef SCRIPT_LEXEME_H
#define SCRIPT_LEXEME_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum script_lexeme_kind { SCRIPT_NAME, SCRIPT_WORD, SCRIPT_NUMBER, SCRIPT_STRING, SCRIPT_SIGN };

struct script_lexeme {
	uint8_t kind;
	char sign;	/* SIGN: its character; 'd' for .., 'l' for ::, 'q' for ==, 0 for others */
	bool in_table;	/* the innermost bracket or block around it is a table constructor */
	uint32_t depth; /* how many brackets and blocks are open around it */
	size_t at, length;
	size_t opens; /* what closes a bracket or a block: the lexeme that opens it */
};
typedef VEC(struct script_lexeme) script_lexemes;

/* Without comments. To be freed with vec_free. */
void script_read_lexemes(const char *text, script_lexemes *out);

/* Is it this word of Lua (`end`)? */
bool script_lexeme_is(const char *text, const struct script_lexeme *lexeme, const char *word);
/* `i` may be beyond the last one. */
bool script_is_sign(const script_lexemes *lexemes, size_t i, char sign);
/* A name that is no field behind . or :, and no key of a table constructor. */
bool script_is_free(const script_lexemes *lexemes, size_t i);
/* Where the operand that ends with lexeme `i` starts: of `a.b[c](d)` its a. */
size_t script_operand_start(const script_lexemes *lexemes, size_t i);

/* Is it a keyword of Lua? */
bool script_is_word(const char *name);

/* Has the library something of this name? */
bool script_has_name(const char *name);
/*
 * "count", "math.max": a call of this function of the library changes nothing that it is given and
 * reports nothing. Not known, as of methods: false.
 */
bool script_is_pure(const char *name, size_t length);

#endif
