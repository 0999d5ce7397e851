/* A piece of code while its names are looked up. */
#ifndef GRAMMAR_READING_H
#define GRAMMAR_READING_H

#include "grammar/make.h"
#include "grammar/phrases.h"

struct reading {
	struct make *make;
	const struct grammar_code *code;
	const char *lua;	/* of the code: lexemes are of this */
	script_lexemes lexemes; /* of code->lua */
	phrase_targets targets;
	struct intern locals; /* names that it declares somewhere */
};

void reading_open(struct reading *r, struct make *make, const struct grammar_code *code);
void reading_close(struct reading *r);

/* Is this lexeme a name in its own right: no field, no key of a table? */
bool reading_is_use(const struct reading *r, size_t i);
bool reading_is(const struct reading *r, size_t i, const char *name);
/* `x.y`: the lexeme of y, for that of x; 0: there is none. */
size_t reading_field(const struct reading *r, size_t i);
/* May it be a local of the piece itself? */
bool reading_may_be_local(const struct reading *r, size_t i);
/* The text of a lexeme, in the grammar's arena. */
const char *reading_name(const struct reading *r, size_t i);
/* Where it stands in the file: of a condition, the same word in what the user wrote. */
struct spec_place reading_place(const struct reading *r, size_t i);

/*
 * Looks at a use of an event's attributes: which it is, or that it may be any of them. Complains of
 * one that the event does not have.
 */
void reading_use_event(const struct reading *r, size_t i, uint32_t event);
/* A use of a name of the whole session, and what it assigns of those (`is_symbol` says what is none). */
void reading_use_wide(const struct reading *r, size_t i);
/* `session` is only read: complains where something in it is assigned. */
void reading_keep_session(const struct reading *r);

/* Which symbol of the grammar has this name, or GRAMMAR_NONE. */
uint32_t reading_symbol(const struct reading *r, size_t i);

#endif
