/*
 * From a grammar as it is read to its tables: what the files of that work share. Everything is made in
 * the grammar's arena; what is wrong is told by builder_complain, and all of it in one go.
 */
#ifndef GRAMMAR_BUILDER_H
#define GRAMMAR_BUILDER_H

#include "base/intern.h"
#include "grammar/grammar.h"

/* A name of the whole session: what is no symbol of the alternative that it stands in. */
struct builder_name {
	struct spec_place used; /* where it is first; line 0: nowhere */
	bool is_set;		/* somewhere */
	bool is_local;		/* somewhere a name of that piece of code alone */
};

struct builder {
	struct grammar *grammar;
	const struct spec_grammar *spec;
	struct spec_messages *messages;
	unsigned errors;
	bool *reachable;	       /* by nonterminal */
	struct intern names;	       /* of the whole session */
	VEC(struct builder_name) wide; /* by name */
};

/* A message that another grammar of the property gave already (of its resets, say) is not repeated. */
void builder_complain(struct builder *make, enum spec_severity severity, struct spec_place place,
		      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* rules.c: symbols, rules, their steps, the pieces of code; each rule goes through scope_rule. */
void rules_read(struct builder *make);

/* sets.c: what has no words, what cannot be reached, nullable, FIRST, FOLLOW, the table. */
void sets_find(struct builder *make);

static inline bool sets_has(const uint64_t *set, uint32_t member)
{
	return set[member / 64] >> member % 64 & 1;
}

/* code.c: a piece of Lua or a condition at a place; compiling all of them for their mistakes. */
void code_read(struct builder *make, struct grammar_code *code, const char *text,
	       struct spec_place place, bool condition);
void code_compile(struct builder *make);
/* Where a byte of a piece of code stands in the file; `length` bytes of it are meant. */
struct spec_place code_place(const struct grammar_code *code, size_t at, size_t length);

/* scope.c: what the names in an alternative's code mean; slots. */
void scope_rule(struct builder *make, struct grammar_rule *rule, struct grammar_step *steps,
		const struct spec_item *items);

/* outside.c: attributes of events; code outside of alternatives: resets, the head, on violation. */
void outside_events(struct builder *make);
void outside_read(struct builder *make);
/* Events that no alternative has, or that are in no word. */
void outside_tell(struct builder *make);

/* undeclared_names.c: names of the whole session that nothing sets. */
void undeclared_names_tell(struct builder *make);

/* code_purity.c: sets `pure` and `assigns` of all codes, once all names are known. */
void code_purity_find(struct builder *make);

#endif
