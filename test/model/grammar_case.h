/*
 * A random attribute grammar with its property, and tokens for words. All of it is one plain value
 * without pointers, so that shrinking copies it and takes a piece away.
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
	NODE_NUMBER,	/* number */
	NODE_TEXT,	/* number: of case_texts */
	NODE_ATTRIBUTE, /* number, of the symbol `symbol` */
	NODE_WIDE,	/* number: an attribute of the whole session */
	NODE_SESSION,	/* number: of the session before */
	NODE_OWN,	/* number: of the event, in the condition of its reset */
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
	NODE_COUNT,   /* of the table a */
	NODE_INDEX,   /* a[b] */
	NODE_TABLE,   /* {} */
	NODE_SINGLE,  /* {a} */
	NODE_WHOLE,   /* the table of the symbol `symbol`, an event */
	NODE_GRAPH,   /* graph() */
	NODE_ACYCLIC, /* k.acyclic */
};
enum { NODE_ZEROTH, NODE_ONE }; /* the nodes that each case has: nil, and the number 1 */
struct node {
	uint8_t kind;
	bool words; /* in conditions: `and`, `or`, `not`, `~=` for the signs of C */
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
	int16_t symbol; /* of the target; SYMBOL_WIDE: an attribute of the whole session */
	int16_t number; /* of the target */
	int16_t a, b;
};
#define SYMBOL_WIDE (-1)
#define SYMBOL_LEFT 0

/* Attributes. Of events, in the order of CASE_EVENT_NAMES; p, q, t of nonterminals; g, h, m, k wide. */
enum { EVENT_X, EVENT_Y, EVENT_TID, EVENT_CALLEE, EVENT_O, EVENT_ATTRIBUTES };
enum { ATTRIBUTE_P, ATTRIBUTE_Q, ATTRIBUTE_T, ATTRIBUTES };
enum { WIDE_G, WIDE_H, WIDE_M, WIDE_K, WIDES }; /* numbers, a map, a graph */
extern const char *const case_event_names[EVENT_ATTRIBUTES];
extern const char *const case_attribute_names[ATTRIBUTES];
extern const char *const case_wide_names[WIDES];
extern const char *const case_texts[2];

/* ---- the grammar ----------------------------------------------------------------------------- */

enum item_kind { ITEM_EVENT, ITEM_PRODUCTION, ITEM_ACTION, ITEM_ASSERT };
struct item {
	uint8_t kind;
	uint8_t number; /* EVENT, PRODUCTION */
	/* how it is called: by its name, e<symbol>, or (LABEL_EVENT + i) as event i, which is not here */
	uint8_t label;
	int16_t symbol;	      /* unique; how expressions refer to it; 0 is the left side */
	int16_t first, count; /* ACTION: statements */
	int16_t node;	      /* ASSERT */
};
enum { LABEL_NONE, LABEL_OWN, LABEL_EVENT };

struct rule {
	uint8_t left;
	uint8_t count;
	struct item items[CASE_ITEMS];
};

enum reset_kind { RESET_NONE, RESET_ALWAYS, RESET_IF };
struct letter { /* of the alphabet: an event with its values */
	uint8_t event;
	int8_t x, y, tid, callee, o; /* y < 0: nil */
};

struct grammar_case {
	uint8_t event_count, production_count, rule_count, letter_count;
	struct rule rules[CASE_RULES]; /* by left side */
	uint8_t reset[CASE_EVENTS];
	int16_t reset_node[CASE_EVENTS];
	bool until_end, parameter, reports;
	/* each event of a rule stands there so many times in a row: its words are long */
	uint8_t stretch;
	bool head_is_set[WIDES];
	int16_t head[WIDES]; /* nodes */
	struct statement statements[CASE_STATEMENTS];
	struct node nodes[CASE_NODES];
	uint16_t statement_count, node_count;
	int16_t symbol_count;
	struct letter letters[CASE_LETTERS];
};

uint64_t case_random(uint64_t *random, uint64_t below);
void case_make(struct grammar_case *c, uint64_t *random);

/* The property file. `lines`: of each code the line it stands in, by rule and item. NULL: no matter. */
typedef int case_lines[CASE_RULES][CASE_ITEMS];
void case_print(const struct grammar_case *c, FILE *out, case_lines lines);
/* a(x=1, tid=2) */
void case_print_letter(const struct grammar_case *c, int letter, FILE *out);

/* The item with this symbol in a rule, or NULL. */
const struct item *case_find_symbol(const struct rule *rule, int symbol);

/*
 * A case that has something less, for `step` 0, 1, …; false: there are no more. Where a step changes
 * nothing the copy is the same.
 */
bool case_shrink(const struct grammar_case *c, int step, struct grammar_case *smaller);

#endif
