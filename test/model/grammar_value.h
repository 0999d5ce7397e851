/* Lua values, as far as the random grammars use them, and the evaluator of their code. */
#ifndef MODEL_GRAMMAR_VALUE_H
#define MODEL_GRAMMAR_VALUE_H

#include "grammar_case.h"

#include "base/arena.h"

enum value_kind { VALUE_NIL, VALUE_BOOLEAN, VALUE_NUMBER, VALUE_TEXT, VALUE_TABLE };
struct value {
	enum value_kind kind;
	int64_t number; /* also for BOOLEAN */
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
	bool graph; /* a graph: the key of an edge is 3 * from + to */
};

struct table *table_make(struct arena *arena);
/* Makes a deep copy. If a table occurs twice, it is one table in the copy. */
struct table *table_copy(const struct table *table);
struct value table_get(const struct table *table, struct value key);
/* a nil value removes the key */
void table_set(struct table *table, struct value key, struct value value);

struct value value_text(const char *text);
struct value value_number(int64_t number);
/* Prints a value like script_show(). `plain`: like `report`, a text without quotes. */
void value_show(struct value value, bool plain, FILE *out);

/* The environment in which code is executed. */
struct scope {
	const struct grammar_case *c;
	struct arena *arena;
	struct value wide[WIDES];
	/* the previous session: its attributes, and the copy that the head, or all actions, get */
	const struct table *before;
	struct table *given;
	const struct letter *own; /* reset: the event */
	/*
	 * rule: the tables of its symbols; tables of nonterminals are created when they are needed
	 */
	const struct rule *rule;
	struct table *left, *slots[CASE_ITEMS];
};

/* These return false if Lua would raise an error. */
bool scope_run(struct scope *scope, const struct item *action);
bool scope_holds(struct scope *scope, int node, bool *holds); /* evaluates a condition in C */
bool scope_begin(struct scope *scope);			      /* executes the head */

struct table *scope_event(struct scope *scope, const struct letter *letter);

#endif
