/* A derivation written down in the order in which it is walked: parents first, from left to right. */
#ifndef GRAMMAR_TREE_LIST_H
#define GRAMMAR_TREE_LIST_H

#include "grammar/earley_tables.h"
#include "grammar/tree.h"

enum tree_entry_kind {
	ENTRY_RULE,  /* a nonterminal, by `rule` */
	ENTRY_EMPTY, /* a nonterminal whose tree is the empty one */
	ENTRY_LEAF,  /* an event: `tree` */
	ENTRY_KEPT,  /* a nonterminal, `tree`, that was walked before and whose state was kept */
};
struct tree_entry {
	uint8_t kind;
	/* KEPT: when this walk has passed the next one that is to be kept, nobody needs this one */
	bool last_use;
	uint32_t rule;
	/* RULE: the SYMBOL, if it leads the session and someone else holds it too; otherwise NULL */
	struct tree *tree;
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
 * word that has two trees and what they are, to be freed.
 */
char *tree_list_only(struct tree_lister *lister, struct tree *root, tree_list *list);

#endif
