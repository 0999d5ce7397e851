/* A piece of code while its names are looked up. */
#ifndef GRAMMAR_CODE_NAMES_H
#define GRAMMAR_CODE_NAMES_H

#include "grammar/builder.h"
#include "grammar/code_assignments.h"

struct code_names {
	struct builder *make;
	const struct grammar_code *code;
	const char *lua;	/* of the code: lexemes are of this */
	script_lexemes lexemes; /* of code->lua */
	phrase_targets targets;
	struct intern locals; /* names that it declares somewhere */
};

void code_names_open(struct code_names *r, struct builder *make, const struct grammar_code *code);
void code_names_close(struct code_names *r);

/* Is this lexeme a name in its own right: no field, no key of a table? */
bool code_names_is_use(const struct code_names *r, size_t i);
bool code_names_is(const struct code_names *r, size_t i, const char *name);
/* `x.y`: the lexeme of y, for that of x; 0: there is none. */
size_t code_names_field(const struct code_names *r, size_t i);
/* May it be a local of the piece itself? */
bool code_names_may_be_local(const struct code_names *r, size_t i);
/* The text of a lexeme, in the grammar's arena. */
const char *code_names_name(const struct code_names *r, size_t i);
/* Where it stands in the file: of a condition, the same word in what the user wrote. */
struct spec_place code_names_place(const struct code_names *r, size_t i);

/*
 * Looks at a use of an event's attributes: which it is, or that it may be any of them. Complains of
 * one that the event does not have.
 */
void code_names_use_event(const struct code_names *r, size_t i, uint32_t event);
/* A use of a name of the whole session, and what it assigns of those (`is_symbol` says what is none). */
void code_names_use_wide(const struct code_names *r, size_t i);
/* `session` is only read: complains where something in it is assigned. */
void code_names_keep_session(const struct code_names *r);

/* Which symbol of the grammar has this name, or GRAMMAR_NONE. */
uint32_t code_names_symbol(const struct code_names *r, size_t i);

#endif
