/* Walking a session's tree: its actions and assertions, from left to right. */
#ifndef GRAMMAR_TREE_WALK_H
#define GRAMMAR_TREE_WALK_H

#include "grammar/earley_tables.h"
#include "grammar/tree.h"

/* It has memory that is used again for the next walk. */
struct tree_walker;
struct tree_walker *tree_walker_open(struct grammar_parser *parser,
				     const struct earley_tables *tables);
void tree_walker_close(struct tree_walker *walker);

struct tree_walk {
	int before; /* the attributes of the session before */
	/*
	 * The session goes on: states at the end of symbols that may lead longer sessions are kept with
	 * them, so that the next walk starts there. What is below such a symbol is let go.
	 */
	bool goes_on;
	bool sole;  /* nobody else has this session's set */
	bool tells; /* `on violation` is run at the end, whatever comes of the walk */
};

/*
 * Is the tree below `root`, a SYMBOL of S', the only one, and do its assertions hold? If so, and
 * `attributes` is not NULL, it becomes a reference to the table of the start symbol.
 */
enum grammar_verdict tree_walk(struct tree_walker *walker, const struct tree_walk *walk,
			       struct tree *root, int *attributes,
			       struct grammar_violation *violation);

#endif
