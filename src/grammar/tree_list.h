/* A derivation written down in the order in which it is walked: parents first, from left to right. */
#ifndef GRAMMAR_TREE_LIST_H
#define GRAMMAR_TREE_LIST_H

#include "grammar/earley_tables.h"
#include "grammar/tree.h"

enum tree_entry_kind {
	ENTRY_RULE,  /* a nonterminal, by `rule` */
	ENTRY_EMPTY, /* a nonterminal whose tree is the empty one */
	ENTRY_LEAF,  /* an event: `tree` */
	ENTRY_KEPT,  /* a nonterminal, `tree`, behind which the state was kept */
	ENTRY_HOLE,  /* none, but the state of `tree` in which the next one starts */
};
struct tree_entry {
	uint8_t kind;
	/* KEPT: when this walk has passed the next one that is to be kept, nobody needs this one */
	bool last_use;
	uint32_t rule;
	/* RULE: the SYMBOL, if the state behind it is worth keeping; otherwise NULL */
	struct tree *tree;
	/* RULE: a STEP, if the state where its last symbol starts is; otherwise NULL */
	struct tree *hole;
};

/*
 * Only what a walk needs: no nonterminal without code in its trees and nothing below one, no event whose
 * attributes nobody names.
 */
typedef VEC(struct tree_entry) tree_list;

/* It has memory that is used again for the next tree. */
struct tree_lister;
struct tree_lister *tree_lister_open(const struct earley_tables *tables);
void tree_lister_close(struct tree_lister *lister);

/*
 * Lists the tree below a SYMBOL of S'. NULL: it is the only one. Otherwise a text with a piece of the
 * word that has two trees and what they are, to be freed. `*start` is the entry from which on it is to
 * be walked: what is before it lies behind the states that were kept. Then a HOLE is the first one, or
 * a KEPT follows some RULEs.
 */
char *tree_list_only(struct tree_lister *lister, struct tree *root, tree_list *list, size_t *start);

#endif
