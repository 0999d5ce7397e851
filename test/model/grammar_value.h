/* Values of Lua, as far as the random grammars have them, and the evaluator of their code. */
#ifndef MODEL_GRAMMAR_VALUE_H
#define MODEL_GRAMMAR_VALUE_H

#include "grammar_case.h"

#include "base/arena.h"

enum value_kind { VALUE_NIL, VALUE_BOOLEAN, VALUE_NUMBER, VALUE_TEXT, VALUE_TABLE };
struct value {
	enum value_kind kind;
	int64_t number; /* and BOOLEAN */
	const char *text;
	struct table *table;
};
struct entry {
	struct value key, value;
};
struct table {
	struct arena *arena;
	struct entry *items;
	int count, room;
	bool graph; /* keys: 3 * from + to */
};

struct table *table_make(struct arena *arena);
/* All the way down; what is one table in it is one table in the copy. */
struct table *table_copy(const struct table *table);
struct value table_get(const struct table *table, struct value key);
void table_set(struct table *table, struct value key, struct value value); /* nil removes */

struct value value_text(const char *text);
struct value value_number(int64_t number);
/* As script_show does; `plain`: as `report` does, a text without its quotes. */
void value_show(struct value value, bool plain, FILE *out);

/* Where code is carried out. */
struct scope {
	const struct grammar_case *c;
	struct arena *arena;
	struct value wide[WIDES];
	/* of the session before: as it was, and the copy that the head, or all actions, are given */
	const struct table *before;
	struct table *given;
	const struct letter *own; /* the event of a reset */
	/* in a rule: the tables of its symbols; those of nonterminals are made when they are needed */
	const struct rule *rule;
	struct table *left, *slots[CASE_ITEMS];
};

/* False: Lua would raise an error. */
bool scope_run(struct scope *scope, const struct item *action);
bool scope_holds(struct scope *scope, int node, bool *holds); /* a condition of C */
bool scope_begin(struct scope *scope);			      /* the head */

struct table *scope_event(struct scope *scope, const struct letter *letter);

#endif
