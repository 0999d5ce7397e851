/*
 * A grammar in tables: what both engines, `spec check` and `spec explain` work on. doc/grammars.md is
 * the law.
 *
 * Symbols are numbers: terminals 0 … terminal_count-1 are the property's events, nonterminals follow
 * in the order of the productions; the first of them is the start symbol.
 */
#ifndef GRAMMAR_GRAMMAR_H
#define GRAMMAR_GRAMMAR_H

#include "base/arena.h"
#include "script/script.h"
#include "spec/spec.h"

#define GRAMMAR_NONE UINT32_MAX

enum grammar_step_kind {
	GRAMMAR_TERMINAL,
	GRAMMAR_NONTERMINAL,
	GRAMMAR_ACTION,
	GRAMMAR_ASSERT,
};
struct grammar_step {
	uint8_t kind;
	/*
	 * TERMINAL, NONTERMINAL: no step behind this symbol needs its attributes, and for a
	 * nonterminal no step before it sets them; its `slot` is GRAMMAR_NONE.
	 */
	uint32_t symbol;
	uint32_t
		slot; /* where its attributes are in the frame of the alternative; 0: of the left side */
	uint32_t code; /* ACTION, ASSERT: which of `codes` */
	/* slots that no later step names any more: may be dropped behind this step */
	const uint32_t *last;
	uint32_t last_count;
};

/* An alternative. */
struct grammar_rule {
	uint32_t left;	 /* symbol */
	uint32_t number; /* of the alternative in its production, from 0 */
	const struct grammar_step *steps;
	uint32_t step_count;
	uint32_t slot_count; /* with 0, that of the left side */
	const char *const *slot_names;
	/*
	 * The left side's attributes are needed by steps from here on: where a symbol is the last
	 * step, or no step behind it needs the frame, the frame may be dropped before it.
	 */
	bool has_code;
	struct spec_place place;
};

/* Lua in the grammar. */
struct grammar_code {
	const char *text; /* as it is written */
	const char *lua;  /* what is compiled: of an assertion its condition; of an action `text` */
	bool condition;
	struct spec_place place; /* of the text's first byte */
	/* its parameters, behind the environment: slots of its rule, in this order; then `session` */
	const uint32_t *slots;
	const char *const *names; /* slot_count, and "session" if `session` */
	uint32_t slot_count;
	bool session;
	/*
	 * It changes nothing but session-wide names that it assigns itself (`assigns`): behind a
	 * prefix it may run without a copy of all attributes, if those names are put back.
	 */
	bool pure;
	const char *const *assigns;
	uint32_t assign_count;
	uint32_t rule;
};

/* What a token of an event carries: parameters, locals, and what every event has. */
struct grammar_event {
	const char *const *attributes;
	uint32_t attribute_count;
	bool *used; /* some code may look at it; otherwise it need not be captured */
	bool resets;
	/*
	 * The condition, as Lua over the event's attributes (by name: `slots` are numbers of
	 * attributes) and `session`; NULL: always.
	 */
	const struct grammar_code *reset_if;
};

enum grammar_mode {
	GRAMMAR_EVERY_EVENT, /* complete after each */
	GRAMMAR_AT_RESET,    /* complete at resets only, or at the end only */
};

struct grammar {
	const struct spec_file *file;
	const struct spec_property *property;
	const struct spec_formula *formula;
	uint8_t mode;
	bool until_end; /* the word must be complete where it ends */
	uint32_t terminal_count, symbol_count;
	const char **names;		/* of symbols */
	VEC(struct grammar_rule) rules; /* by left side */
	uint32_t *
		first_rule; /* by nonterminal (symbol - terminal_count), and one more: where its rules start */
	VEC(struct grammar_code) codes;
	struct grammar_event *events;	   /* by terminal */
	struct grammar_code *attributes;   /* the head, an action that assigns them; NULL none */
	struct grammar_code *on_violation; /* NULL none */
	bool has_code;			   /* some action or assertion */

	bool *nullable;	    /* by symbol */
	uint64_t **starts;  /* by symbol: FIRST, a set of terminals; 64 to a word */
	uint64_t **follows; /* by nonterminal: FOLLOW; bit terminal_count: the end */

	bool is_ll1;
	char *conflict; /* why it is not LL(1), in words; NULL if it is */
	/* LL(1): [nonterminal][terminal, or terminal_count at the end] is a rule or GRAMMAR_NONE */
	uint32_t *table;
	struct arena arena;
};

/*
 * The tables of a formula. Messages: errors for what is ill-formed (doc/grammars.md: no words,
 * ambiguity with actions, names without a label, use before it is there, dereferences, Lua that does
 * not compile), notes for what cannot be reached. NULL: there were errors.
 */
struct grammar *grammar_open(const struct spec_file *file, const struct spec_property *property,
			     const struct spec_formula *formula, struct spec_messages *messages);
void grammar_close(struct grammar *grammar);

/* The messages of all grammars of a file. */
void grammar_check(const struct spec_file *file, struct spec_messages *messages);

/*
 * Names of attributes that the tokens of an event have, in this order: the property's parameters, the
 * event's locals, and of `tid`, `callee`, `caller` those that are not among them. To be freed (the
 * array).
 */
const char **grammar_attributes(const struct spec_property *property, uint32_t event,
				uint32_t *count);

/* For `spec explain`: rules, sets, the engine and why. As spec_drawing. */
unsigned grammar_draw(FILE *out, const struct grammar *grammar, bool graphviz, unsigned next);

/*
 * A word with two trees, within bounds: for the error message. NULL: none was found. `trees` are two
 * lines of text, S(a B(b)). To be freed, all three.
 */
char *grammar_find_ambiguity(const struct grammar *grammar, char *trees[2]);

#endif
