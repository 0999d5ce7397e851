/* A derivation as a list, in the order in which it is walked: parents first, from left to right. */
#ifndef GRAMMAR_TREE_LIST_H
#define GRAMMAR_TREE_LIST_H

#include "grammar/earley_tables.h"
#include "grammar/tree.h"

enum tree_entry_kind {
	ENTRY_RULE,  /* a nonterminal, derived by `rule` */
	ENTRY_EMPTY, /* a nonterminal with its empty tree */
	ENTRY_LEAF,  /* an event: `tree` */
	ENTRY_KEPT,  /* a nonterminal: the state after it was kept in `tree` */
	ENTRY_HOLE,  /* not a symbol: the next entry starts in the state that was kept in `tree` */
};
struct tree_entry {
	uint8_t kind;
	/* KEPT: when this walk has kept its next state, no later walk needs this one */
	bool last_use;
	uint32_t rule;
	/* RULE: the SYMBOL, if the state after it is to be kept; otherwise NULL */
	struct tree *tree;
	/*
	 * RULE: a STEP, if the state in which the rule's last symbol starts is to be kept;
	 * otherwise NULL
	 */
	struct tree *hole;
};

/*
 * The list contains only what a walk needs. It omits nonterminals without code in their trees, with
 * everything below them, and events whose attributes no code names.
 */
typedef VEC(struct tree_entry) tree_list;

/* Lists trees one after the other; reuses its memory. */
struct tree_lister;
struct tree_lister *tree_lister_open(const struct earley_tables *tables);
void tree_lister_close(struct tree_lister *lister);

/*
 * Lists the tree below a SYMBOL of S'. Returns NULL if the tree is the only one. Otherwise returns
 * a message with a part of the word that has two trees and a description of both; the caller frees
 * it.
 *
 * The walk must start at entry `*start`: the kept states already contain the effects of the entries
 * before it. If the walk starts with a kept state, the entry at `*start` is a HOLE, or there are
 * some RULEs and then a KEPT.
 */
char *tree_list_only(struct tree_lister *lister, struct tree *root, tree_list *list, size_t *start);

#endif
