/* Walks a session's tree: runs its actions and assertions from left to right. */
#ifndef GRAMMAR_TREE_WALK_H
#define GRAMMAR_TREE_WALK_H

#include "grammar/earley_tables.h"
#include "grammar/tree.h"

/* Walks trees one after the other; reuses its memory. */
struct tree_walker;
struct tree_walker *tree_walker_open(struct grammar_parser *parser,
				     const struct earley_tables *tables);
void tree_walker_close(struct tree_walker *walker);

struct tree_walk {
	int before; /* the attributes of the previous session */
	/*
	 * The session goes on. The walk then keeps the states after symbols with which longer
	 * sessions may start as well, so that the next walk starts there, and releases everything
	 * below these symbols.
	 */
	bool goes_on;
	bool sole;  /* no other session refers to its Earley set */
	bool tells; /* run `on violation` at the end even if the walk succeeds */
};

/*
 * Is the tree below `root`, a SYMBOL of S', the only one, and do its assertions hold? If both is
 * true and `attributes` is not NULL, sets `*attributes` to a reference to the table of the start
 * symbol.
 */
enum grammar_verdict tree_walk(struct tree_walker *walker, const struct tree_walk *walk,
			       struct tree *root, int *attributes,
			       struct grammar_violation *violation);

#endif
