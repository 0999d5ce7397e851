/*
 * Splits a piece of Lua into lexemes, records the brackets and blocks around each lexeme, and
 * answers questions about the neighbours of a name. This is enough for scope rules, so no parser is
 * needed. Text that is not valid Lua yields some lexemes and no error.
 */
#ifndef SCRIPT_LEXEME_H
#define SCRIPT_LEXEME_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum script_lexeme_kind { SCRIPT_NAME, SCRIPT_KEYWORD, SCRIPT_NUMBER, SCRIPT_STRING, SCRIPT_SIGN };

struct script_lexeme {
	uint8_t kind;
	/* SIGN: its character; 'd' for .., 'l' for ::, 'q' for ==, 0 for all others */
	char sign;
	/* the innermost bracket or block around the lexeme is a table constructor */
	bool in_table;
	uint32_t depth; /* number of open brackets and blocks around it */
	size_t at, length;
	size_t opens; /* for a closing bracket or keyword: index of the opening lexeme */
};
typedef VEC(struct script_lexeme) script_lexemes;

/* Appends the lexemes of the text, without comments. The caller frees the list with vec_free(). */
void script_read_lexemes(const char *text, script_lexemes *out);

/* Returns the end of the long string at `at`, [[ … ]] or [==[ … ]==]; 0 if there is none. */
size_t script_skip_long(const char *text, size_t at);

/* Is the lexeme this Lua keyword, for example `end`? */
bool script_lexeme_is_keyword(const char *text, const struct script_lexeme *lexeme,
			      const char *word);
/* Is lexeme `i` this sign? False if `i` is past the last lexeme. */
bool script_is_sign(const script_lexemes *lexemes, size_t i, char sign);
/* Is lexeme `i` a name that is neither a field after . or : nor a key in a table constructor? */
bool script_is_free(const script_lexemes *lexemes, size_t i);
/*
 * Returns the first lexeme of the operand that ends with lexeme `i`: for example the a of
 * `a.b[c](d)`.
 */
size_t script_operand_start(const script_lexemes *lexemes, size_t i);

/* Is the name a Lua keyword? */
bool script_is_keyword(const char *name);

/* Does the library define this name? */
bool script_has_name(const char *name);
/*
 * Is the library function `name` ("count", "math.max") known to change none of its arguments and to
 * report nothing? Returns false for unknown functions and for methods.
 */
bool script_is_pure(const char *name, size_t length);

#endif
