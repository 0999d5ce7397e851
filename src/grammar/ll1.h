/*
 * Internals of the LL(1) engine. A grammar is compiled to a program: the steps of every rule, each
 * rule followed by an END. The program starts with `start END`, which belongs to no rule: sessions
 * begin and end there. A session is a stack of positions in the program.
 *
 * All Lua values of a session are in one table, the root, so that one call copies it or computes
 * its key: [1] is the environment, [2] is `session`, and from LL1_FRAMES on follow the frames of
 * the stack, with one table of attributes per slot. A rule without code, or whose code names no
 * attributes, has no frame.
 */
#ifndef GRAMMAR_LL1_H
#define GRAMMAR_LL1_H

#include "grammar/engine.h"

enum ll1_kind { LL1_TERMINAL, LL1_NONTERMINAL, LL1_CODE, LL1_END };

/* Flags: how the rest of a rule, from some op on, can derive the empty word. */
#define LL1_NULLABLE 1u
#define LL1_SILENT 2u /* … and no code runs on the way */
#define LL1_PURE 4u /* … and all code that runs changes nothing but names that can be restored */
#define LL1_ALL (LL1_NULLABLE | LL1_SILENT | LL1_PURE)

struct ll1_op {
	uint8_t kind;
	uint8_t rest; /* LL1_NULLABLE etc., for this op and all ops after it in the rule */
	bool tail;    /* NONTERMINAL: it is the last op of its rule */
	uint32_t symbol, slot, code;
	uint32_t frame; /* number of slots of its rule */
	const uint32_t *last;
	uint32_t last_count;
	const uint64_t *starts; /* FIRST of this op and the ops after it */
};

struct ll1_entry {
	/* position in the program; below the top: of the nonterminal that is being derived */
	uint32_t pc;
	uint32_t base; /* index of its frame in the root table */
	/*
	 * The `rest` flags that hold for all entries below this one together. With them, the test
	 * whether the session may end takes constant time.
	 */
	uint32_t below;
};
typedef VEC(struct ll1_entry) ll1_stack;

#define LL1_ENVIRONMENT 1
#define LL1_SESSION 2
#define LL1_FRAMES 3

struct ll1_session {
	ll1_stack stack;
	int root;	/* reference to the session's table, or LUA_NOREF */
	uint32_t room;	/* the highest index in the table that any frame has used */
	uint32_t floor; /* in ll1_try_end(): frames below this index must not change */
};

struct ll1 {
	/* has_lua: a rule or the head has code; uses_session: code of a rule names `session` */
	bool has_lua, uses_session;
	struct ll1_op *ops;
	uint32_t op_count;
	uint32_t *first_op; /* by rule: index of its first op */
	bool *needs_left;   /* by rule: some of its code names the left side */
	struct arena arena;

	/* for ll1_try_end(): */
	ll1_stack scratch;
	uint64_t tries;
	uint64_t *tried_in;  /* by code: the last try in which its names were saved */
	VEC(uint32_t) saved; /* the codes whose names were saved, in the order in which they ran */
};

void ll1_compile(struct ll1 *ll1, const struct grammar *grammar);
void ll1_free(struct ll1 *ll1);

/* ---- walking the tree: ll1_walk.c ------------------------------------------------------------ */

/* A walk. `root` is the index of the session's table on Lua's stack; 0: the session has none. */
struct ll1_walk {
	struct grammar_parser *parser;
	struct ll1_session *session;
	int root;
	struct grammar_violation *violation;
};

/* Consumes a token that the stack is known to accept, then runs all code before the next symbol. */
enum grammar_verdict ll1_walk_token(struct ll1_walk *walk, const struct grammar_token *token);
/* Derives the empty word from the rest of the stack, and runs all code up to the session's end. */
enum grammar_verdict ll1_walk_end(struct ll1_walk *walk);
/*
 * Like ll1_walk_end(), but restores the session afterwards. All code on the way must be pure. After
 * a failure the session is not restored.
 */
enum grammar_verdict ll1_try_end(struct ll1_walk *walk);

#endif
