/*
 * What Earley's algorithm asks of a grammar, worked out once.
 *
 * A *core* is an alternative with a dot. The dot skips symbols that derive nothing but the empty word:
 * they have no cores, so that a marker behind a right recursion (S : a S mark; mark : { … };) does not
 * hide it from Leo's rule. One more alternative stands behind those of the grammar, S' → S.
 *
 * A *corner* of a symbol X is a core with the dot before X and only nullable symbols before the dot:
 * where its left side is predicted, X is expected at the same place.
 */
#ifndef GRAMMAR_EARLEY_TABLES_H
#define GRAMMAR_EARLEY_TABLES_H

#include "grammar/grammar.h"

struct earley_core {
	uint32_t symbol; /* behind the dot; GRAMMAR_NONE: the dot is at the end */
	uint32_t next;	 /* the core with the dot behind it */
	uint32_t rule, left;
	uint32_t dot; /* how many symbols with cores are before it */
};

struct earley_tables {
	const struct grammar *grammar;
	/* numbered by the symbol behind the dot: a set sorted by cores is one sorted by symbols */
	struct earley_core *cores;
	uint32_t core_count;
	uint32_t *first_core; /* by symbol, and one more */
	uint32_t start;	      /* the core S' → • S */
	uint32_t goal;	      /* S', a symbol behind those of the grammar */
	/* cores; and by symbol and one more: where the corners of it start */
	uint32_t *corners, *first_corner;
	/* by nonterminal: which of them are predicted with it, it included; `words` of 64 bits each */
	uint64_t *closure;
	uint32_t words;
	/* the steps whose symbols have cores, and by rule and one more: where those of it start */
	uint32_t *kept, *first_kept;
	/* by nonterminal: the alternative of its empty tree, or GRAMMAR_NONE; are there more such trees? */
	uint32_t *empty_rule;
	bool *empty_twice;
	/* by nonterminal: its trees have code in them */
	bool *has_code;
	bool *ends_clean; /* by rule, also S' → S: no code behind its last symbol with cores */
	/*
	 * by nonterminal where it is expected, a set of nonterminals: wherever a tree of one of those
	 * starts in the same place, no code is run between that place and the tree
	 */
	uint64_t *leads;
};

struct earley_tables *earley_tables_make(const struct grammar *grammar);
void earley_tables_free(struct earley_tables *tables);

static inline bool earley_predicts(const uint64_t *predicted, uint32_t nonterminal)
{
	return predicted[nonterminal / 64] >> nonterminal % 64 & 1;
}

#endif
