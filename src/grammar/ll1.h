/*
 * Inside the LL(1) engine. A grammar is a program: the steps of every rule one after the other, each
 * rule with an END behind it, and in front of all `start END`, the rule of nobody, where sessions
 * begin and are over. A session is a stack of places in it.
 *
 * All values of Lua that a session has are in one table, so that a copy of it or its key is one call:
 * [1] the environment, [2] `session`, from LL1_FRAMES on the frames of the stack, a table of
 * attributes for each slot. A rule without code, or whose code names no attributes, has no frame.
 */
#ifndef GRAMMAR_LL1_H
#define GRAMMAR_LL1_H

#include "grammar/engine.h"

enum ll1_kind { LL1_TERMINAL, LL1_NONTERMINAL, LL1_CODE, LL1_END };

/* How the rest of a rule, from some op on, can become the empty word. */
#define LL1_NULLABLE 1u
#define LL1_SILENT 2u /* and no code runs on the way */
#define LL1_PURE 4u   /* and what runs changes nothing but names that can be put back */
#define LL1_ALL (LL1_NULLABLE | LL1_SILENT | LL1_PURE)

struct ll1_op {
	uint8_t kind;
	uint8_t rest; /* of this op and what is behind it: LL1_NULLABLE … */
	bool tail;    /* NONTERMINAL: nothing is behind it */
	uint32_t symbol, slot, code;
	uint32_t frame; /* slots of its rule */
	const uint32_t *last;
	uint32_t last_count;
	const uint64_t *starts; /* which terminals this and what is behind it can begin with */
};

struct ll1_entry {
	uint32_t pc;   /* of a parent: its nonterminal that is under way */
	uint32_t base; /* of its frame */
	/* what all that is below this entry becomes the empty word by; so the end is asked in O(1) */
	uint32_t below;
};
typedef VEC(struct ll1_entry) ll1_stack;

#define LL1_ENVIRONMENT 1
#define LL1_SESSION 2
#define LL1_FRAMES 3

struct ll1_session {
	ll1_stack stack;
	int root;	/* the session's table, or LUA_NOREF */
	uint32_t room;	/* the highest place that a frame had in it */
	uint32_t floor; /* while an end is tried: frames below it are not touched */
};

struct ll1 {
	bool has_lua, uses_session; /* in its rules and the head */
	struct ll1_op *ops;
	uint32_t op_count;
	uint32_t *first_op; /* by rule */
	bool *needs_left;   /* by rule: some code of it names the left side */
	struct arena arena;

	/* for trying an end in place */
	ll1_stack scratch;
	uint64_t tries;
	uint64_t *tried_in;  /* by code: the last try in which its names were saved */
	VEC(uint32_t) saved; /* these codes, in the order in which they ran */
};

void ll1_compile(struct ll1 *ll1, const struct grammar *grammar);
void ll1_free(struct ll1 *ll1);

/* ---- the walk: ll1_walk.c ---------------------------------------------------------------------- */

/* The session's table lies on Lua's stack at `root`. */
struct ll1_walk {
	struct grammar_parser *parser;
	struct ll1_session *session;
	int root;
	struct grammar_violation *violation;
};

/* Takes a token that the stack is known to accept, and runs on to the next symbol. */
enum grammar_verdict ll1_walk_token(struct ll1_walk *walk, const struct grammar_token *token);
/* The rest of the session is the empty word: runs to its end. */
enum grammar_verdict ll1_walk_end(struct ll1_walk *walk);
/* The same, and everything is as it was before, if all code on the way is pure and holds. */
enum grammar_verdict ll1_try_end(struct ll1_walk *walk);

#endif
