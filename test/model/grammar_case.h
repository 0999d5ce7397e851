/*
 * A random attribute grammar with its property, and tokens for its words. Everything is one plain
 * value without pointers, so that shrinking can copy it and remove a piece.
 */
#ifndef MODEL_GRAMMAR_CASE_H
#define MODEL_GRAMMAR_CASE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CASE_EVENTS 4
#define CASE_PRODUCTIONS 4
#define CASE_RULES 16
#define CASE_ITEMS 12
#define CASE_STATEMENTS 96
#define CASE_NODES 700
#define CASE_LETTERS 5
#define CASE_WORD 96

/* ---- expressions: of Lua in actions, of C in conditions -------------------------------------- */

enum node_kind {
	NODE_NIL,
	NODE_NUMBER,	/* the number */
	NODE_TEXT,	/* `number` is an index in case_texts */
	NODE_ATTRIBUTE, /* attribute `number` of the symbol `symbol` */
	NODE_WIDE,	/* attribute `number` of the whole session */
	NODE_SESSION,	/* attribute `number` of the previous session */
	NODE_OWN,	/* attribute `number` of the event, in the condition of its reset */
	NODE_OR_ZERO,	/* (a or 0) */
	NODE_ADD,
	NODE_SUBTRACT,
	NODE_MULTIPLY,
	NODE_MODULO, /* a % number */
	NODE_LESS,
	NODE_EQUAL,
	NODE_UNEQUAL,
	NODE_NOT,
	NODE_AND,
	NODE_OR,
	NODE_CHOOSE,  /* Lua: a and b or c; C: a ? b : c */
	NODE_COUNT,   /* count of the table a */
	NODE_INDEX,   /* a[b] */
	NODE_TABLE,   /* {} */
	NODE_SINGLE,  /* {a} */
	NODE_WHOLE,   /* the whole table of the event `symbol` */
	NODE_GRAPH,   /* graph() */
	NODE_ACYCLIC, /* k.acyclic */
};
enum { NODE_ZEROTH, NODE_ONE }; /* the first two nodes of each case: nil, and the number 1 */
struct node {
	uint8_t kind;
	bool words; /* in conditions: write `and`, `or`, `not` and `~=` instead of the signs of C */
	int16_t symbol, number;
	int16_t a, b, c;
};

/* ---- code ------------------------------------------------------------------------------------ */

enum statement_kind {
	STATEMENT_NONE,
	STATEMENT_SET,	 /* target = a */
	STATEMENT_IF,	 /* if b then target = a end */
	STATEMENT_PUT,	 /* target[a] = b */
	STATEMENT_BUMP,	 /* bump(target, a, b) */
	STATEMENT_SWAP,	 /* g, h = h, g */
	STATEMENT_LOCAL, /* local v = a; target = v + v */
	STATEMENT_FAIL,	 /* if b then error("stop") end */
	STATEMENT_FRESH, /* m = {}; m[a] = b */
	STATEMENT_MAYBE, /* if a then m = {} end m[1] = b */
	STATEMENT_ALIAS, /* local t = target; t[a] = b */
	STATEMENT_TOTAL, /* for _, v in pairs(m) do g = (g or 0) + v end */
	STATEMENT_EDGE,	 /* k:edge(a, b) */
	STATEMENT_CUT,	 /* k:remove(a, b) */
	STATEMENT_GRAPH, /* k = graph(); k:edge(a, b) */
};
struct statement {
	uint8_t kind;
	int16_t symbol; /* symbol of the target; SYMBOL_WIDE: an attribute of the whole session */
	int16_t number; /* attribute of the target */
	int16_t a, b;
};
#define SYMBOL_WIDE (-1)
#define SYMBOL_LEFT 0

/*
 * Attributes: of events, in the order of case_event_names; p, q, t of nonterminals; g, h, m, k of
 * the whole session.
 */
enum { EVENT_X, EVENT_Y, EVENT_TID, EVENT_CALLEE, EVENT_O, EVENT_ATTRIBUTES };
enum { ATTRIBUTE_P, ATTRIBUTE_Q, ATTRIBUTE_T, ATTRIBUTES };
enum { WIDE_G, WIDE_H, WIDE_M, WIDE_K, WIDES }; /* g and h are numbers, m a map, k a graph */
extern const char *const case_event_names[EVENT_ATTRIBUTES];
extern const char *const case_attribute_names[ATTRIBUTES];
extern const char *const case_wide_names[WIDES];
extern const char *const case_texts[2];

/* ---- the grammar ----------------------------------------------------------------------------- */

enum item_kind { ITEM_EVENT, ITEM_PRODUCTION, ITEM_ACTION, ITEM_ASSERT };
struct item {
	uint8_t kind;
	uint8_t number; /* EVENT, PRODUCTION: its index */
	/*
	 * the label: none, or e<symbol>, or (LABEL_EVENT + i): the name of event i, which is not in
	 * the rule
	 */
	uint8_t label;
	/* a unique number by which expressions refer to it; 0 is the left side */
	int16_t symbol;
	int16_t first, count; /* ACTION: range of statements */
	int16_t node;	      /* ASSERT: index of the condition's node */
};
enum { LABEL_NONE, LABEL_OWN, LABEL_EVENT };

struct rule {
	uint8_t left;
	uint8_t count;
	struct item items[CASE_ITEMS];
};

enum reset_kind { RESET_NONE, RESET_ALWAYS, RESET_IF };
struct letter { /* a letter of the alphabet: an event with its values */
	uint8_t event;
	int8_t x, y, tid, callee, o; /* y < 0 stands for nil */
};

struct grammar_case {
	uint8_t event_count, production_count, rule_count, letter_count;
	struct rule rules[CASE_RULES]; /* sorted by left side */
	uint8_t reset[CASE_EVENTS];
	int16_t reset_node[CASE_EVENTS];
	bool until_end, parameter, reports;
	/* each event of a rule is repeated this often, which makes words long */
	uint8_t stretch;
	bool head_is_set[WIDES];
	int16_t head[WIDES]; /* index of each attribute's node */
	struct statement statements[CASE_STATEMENTS];
	struct node nodes[CASE_NODES];
	uint16_t statement_count, node_count;
	int16_t symbol_count;
	struct letter letters[CASE_LETTERS];
};

uint64_t case_random(uint64_t *random, uint64_t below);
void case_make(struct grammar_case *c, uint64_t *random);

/*
 * Prints the property file. `lines` gets the line of each piece of code, by rule and item; it may
 * be NULL.
 */
typedef int case_lines[CASE_RULES][CASE_ITEMS];
void case_print(const struct grammar_case *c, FILE *out, case_lines lines);
/* Prints a letter as a(x=1, tid=2). */
void case_print_letter(const struct grammar_case *c, int letter, FILE *out);

/* Returns the item of a rule with this symbol, or NULL. */
const struct item *case_find_symbol(const struct rule *rule, int symbol);

/*
 * Makes a smaller case, for `step` 0, 1, …; returns false if there are no more steps. If a step
 * changes nothing, the copy is the same as the original.
 */
bool case_shrink(const struct grammar_case *c, int step, struct grammar_case *smaller);

#endif
