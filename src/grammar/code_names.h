/* The names in a piece of code, while they are resolved. `i` is always the index of a lexeme. */
#ifndef GRAMMAR_CODE_NAMES_H
#define GRAMMAR_CODE_NAMES_H

#include "grammar/builder.h"
#include "grammar/code_assignments.h"

struct code_names {
	struct builder *builder;
	const struct grammar_code *code;
	const char *lua; /* code->lua; the lexemes refer to this text */
	script_lexemes lexemes;
	assignment_targets targets;
	struct intern locals; /* names that this code declares local somewhere */
};

void code_names_open(struct code_names *r, struct builder *builder,
		     const struct grammar_code *code);
void code_names_close(struct code_names *r);

/* Is this lexeme a name on its own, neither a field nor a key in a table constructor? */
bool code_names_is_use(const struct code_names *r, size_t i);
bool code_names_is(const struct code_names *r, size_t i, const char *name);
/* May the name mean a local of this piece of code? */
bool code_names_may_be_local(const struct code_names *r, size_t i);
/* The text of a lexeme, in the grammar's arena. */
const char *code_names_name(const struct code_names *r, size_t i);
/*
 * The location of the lexeme in the property file. For a condition, the location of the same word
 * in the user's text.
 */
struct spec_location code_names_place(const struct code_names *r, size_t i);

/*
 * Marks the attributes of `event` that a use of its name reads: one of them, or all if no field is
 * given. Reports an attribute that the event does not have.
 */
void code_names_use_event(const struct code_names *r, size_t i, uint32_t event);
/* Records a use of, or an assignment to, a session-wide name. */
void code_names_use_wide(const struct code_names *r, size_t i);
/* Reports every assignment to `session`, which is read-only. */
void code_names_keep_session(const struct code_names *r);

/* The symbol of the grammar with this name, or GRAMMAR_NONE. */
uint32_t code_names_symbol(const struct code_names *r, size_t i);

#endif
