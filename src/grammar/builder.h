/*
 * Translates a parsed grammar (spec_grammar) into its tables (grammar.h). This header declares what
 * the stages of that translation share. All results live in the grammar's arena. Errors are
 * collected with builder_complain(), so that the user sees all of them at once.
 */
#ifndef GRAMMAR_BUILDER_H
#define GRAMMAR_BUILDER_H

#include "base/intern.h"
#include "grammar/grammar.h"

/* A session-wide name: a name that is not a symbol of the alternative that contains the code. */
struct builder_name {
	struct spec_location used; /* location of the first use; line 0: never used */
	bool is_set;		   /* some code assigns it */
	bool is_local;		   /* some code may use this name for a local of its own */
};

struct builder {
	struct grammar *grammar;
	const struct spec_grammar *spec;
	struct spec_messages *messages;
	unsigned errors;
	bool *reachable;	       /* by nonterminal */
	struct intern names;	       /* the session-wide names */
	VEC(struct builder_name) wide; /* by name */
};

/*
 * Adds a message, unless the same message exists already: two grammars of a property share code,
 * for example reset conditions, and report the same errors in it.
 */
void builder_complain(struct builder *builder, enum spec_severity severity,
		      struct spec_location place, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* rules.c: builds symbols, rules, steps and codes; calls scope_rule() for each rule. */
void rules_read(struct builder *builder);

/*
 * sets.c: finds productions without words and unreachable productions; computes nullable, FIRST,
 * FOLLOW and the LL(1) table.
 */
void sets_find(struct builder *builder);

/*
 * code.c: code_read() reads a piece of Lua or a condition; code_compile() compiles all of them to
 * find their errors.
 */
void code_read(struct builder *builder, struct grammar_code *code, const char *text,
	       struct spec_location place, bool condition);
void code_compile(struct builder *builder);
/*
 * Returns the location in the property file of the `length` bytes from index `at` on in a piece of
 * code.
 */
struct spec_location code_place(const struct grammar_code *code, size_t at, size_t length);

/* scope.c: resolves the names in an alternative's code and assigns slots. */
void scope_rule(struct builder *builder, struct grammar_rule *rule, struct grammar_step *steps,
		const struct spec_item *items);

/*
 * outside.c: attributes of events, and code outside of alternatives (reset conditions, the head,
 * `on violation`).
 */
void outside_events(struct builder *builder);
void outside_read(struct builder *builder);
/* Adds notes for events that no alternative contains, and for events that are in no word. */
void outside_report_events(struct builder *builder);

/* undeclared_names.c: adds notes for session-wide names that no code sets. */
void undeclared_names_report(struct builder *builder);

/* code_purity.c: sets `pure` and `assigns` of all codes. Needs all session-wide names. */
void code_purity_find(struct builder *builder);

#endif
