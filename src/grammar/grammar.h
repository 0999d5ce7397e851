/*
 * The tables of a grammar. Both parsing engines, `spec check` and `spec explain` work on them. The
 * meaning of grammars is defined in doc/grammars.md.
 *
 * Symbols are numbers: the terminals 0 … terminal_count-1 are the property's events. The
 * nonterminals follow in the order of their productions; the first of them is the start symbol.
 */
#ifndef GRAMMAR_GRAMMAR_H
#define GRAMMAR_GRAMMAR_H

#include "base/arena.h"
#include "script/script.h"
#include "spec/spec.h"

#define GRAMMAR_NONE UINT32_MAX

/* Bit sets of symbols or of other numbers, 64 to a word. */
static inline bool grammar_set_has(const uint64_t *set, uint32_t member)
{
	return set[member / 64] >> member % 64 & 1;
}

static inline void grammar_set_add(uint64_t *set, uint32_t member)
{
	set[member / 64] |= UINT64_C(1) << member % 64;
}

enum grammar_step_kind {
	GRAMMAR_TERMINAL,
	GRAMMAR_NONTERMINAL,
	GRAMMAR_ACTION,
	GRAMMAR_ASSERT,
};
struct grammar_step {
	uint8_t kind;
	uint32_t symbol; /* TERMINAL, NONTERMINAL; otherwise GRAMMAR_NONE */
	/*
	 * TERMINAL, NONTERMINAL: index of its attributes in the alternative's frame, from 1 (slot 0
	 * belongs to the left side). GRAMMAR_NONE: no code of the alternative names the symbol.
	 */
	uint32_t slot;
	uint32_t code; /* ACTION, ASSERT: index into `codes` */
	/* slots that no later step names; the engine may drop them after this step */
	const uint32_t *last;
	uint32_t last_count;
};

static inline bool grammar_step_is_symbol(const struct grammar_step *step)
{
	return step->kind == GRAMMAR_TERMINAL || step->kind == GRAMMAR_NONTERMINAL;
}

/* One alternative of a production. */
struct grammar_rule {
	uint32_t left;	 /* a symbol */
	uint32_t number; /* number of the alternative in its production, from 0 */
	const struct grammar_step *steps;
	uint32_t step_count;
	uint32_t slot_count; /* including slot 0, the left side */
	struct spec_location place;
};

/* A piece of Lua in the grammar. */
struct grammar_code {
	const char *text; /* as the user wrote it */
	/* what is compiled: a condition as Lua, the head as statements, or `text` unchanged */
	const char *lua;
	bool condition;
	struct spec_location place; /* of the first byte of `text` */
	/*
	 * The code's parameters: the environment, these slots of its rule in this order, `session`.
	 */
	const uint32_t *slots;
	const char *const *names; /* slot_count names, then "session" if `session` is set */
	uint32_t slot_count;
	bool session;
	/*
	 * The code changes nothing except the session-wide names in `assigns`. It may therefore run
	 * after a prefix without a copy of all attributes, if those names are restored afterwards.
	 */
	bool pure;
	const char *const *assigns;
	uint32_t assign_count;
	uint32_t rule;
};

/* An event. Its attributes are the parameters, its locals, and those that every event has. */
struct grammar_event {
	const char *const *attributes;
	uint32_t attribute_count;
	bool *used; /* by attribute: some code may read it; otherwise it need not be captured */
	bool resets;
	/*
	 * The reset condition, compiled as Lua with the event's attributes as parameters (`slots`
	 * are attribute numbers), then `session`. NULL: if `resets` is set, the event always
	 * resets.
	 */
	const struct grammar_code *reset_if;
};

enum grammar_mode {
	GRAMMAR_EVERY_EVENT, /* the session must be complete after each event */
	/* the session must be complete only at resets or at the end of the word */
	GRAMMAR_AT_RESET,
};

struct grammar {
	const struct spec_file *file;
	const struct spec_property *property;
	const struct spec_formula *formula;
	uint8_t mode;
	bool until_end; /* the session must also be complete where the word ends */
	uint32_t terminal_count, symbol_count;
	const char **names;		/* by symbol */
	VEC(struct grammar_rule) rules; /* grouped by left side */
	/* by nonterminal (symbol - terminal_count): its first rule; one extra entry at the end */
	uint32_t *first_rule;
	VEC(struct grammar_code) codes;
	struct grammar_event *events; /* by terminal */
	/* the head: an action that assigns the initial attributes; NULL: none */
	struct grammar_code *attributes;
	struct grammar_code *on_violation; /* NULL: none */
	bool has_code;			   /* some reachable rule has an action or an assertion */

	bool *nullable;	   /* by symbol */
	uint64_t **starts; /* by symbol: FIRST, a bit set of terminals */
	/* by nonterminal: FOLLOW; bit terminal_count stands for the end of the session */
	uint64_t **follows;

	bool is_ll1;
	char *conflict; /* why the grammar is not LL(1), as text; NULL if it is */
	/*
	 * LL(1) table: [nonterminal][terminal, or terminal_count for the end] is a rule or
	 * GRAMMAR_NONE
	 */
	uint32_t *table;
	struct arena arena;
};

static inline uint32_t grammar_nonterminal_count(const struct grammar *grammar)
{
	return grammar->symbol_count - grammar->terminal_count;
}

/*
 * Builds the tables of a formula. Appends errors for ill-formed grammars (doc/grammars.md:
 * productions without words, ambiguity with actions, missing labels, use of an event's attributes
 * before the event, dereferences, Lua that does not compile) and notes for unreachable productions
 * to `messages`. Returns NULL if there were errors.
 */
struct grammar *grammar_open(const struct spec_file *file, const struct spec_property *property,
			     const struct spec_formula *formula, struct spec_messages *messages);
void grammar_close(struct grammar *grammar);

/* Appends the messages for all grammars of a file. */
void grammar_check(const struct spec_file *file, struct spec_messages *messages);

/*
 * Returns the names of the attributes that the tokens of an event have, in this order: the
 * property's parameters, the event's locals, then those of `tid`, `callee` and `caller` that are
 * not among them. The caller frees the array, not the names.
 */
const char **grammar_attributes(const struct spec_property *property, uint32_t event,
				uint32_t *count);

/*
 * Prints rules, sets, and the engine with the reason for its choice, for `spec explain`. Parameters
 * and result are those of spec_drawing.
 */
unsigned grammar_draw(FILE *out, const struct grammar *grammar, bool graphviz, unsigned next);

/*
 * Searches, within bounds, for a word with two parse trees. Returns the word and stores the two
 * trees as text, S(a B(b)), in `trees`; the caller frees all three. Returns NULL if none was found.
 */
char *grammar_find_ambiguity(const struct grammar *grammar, char *trees[2]);

#endif
