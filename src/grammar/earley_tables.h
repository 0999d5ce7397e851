/*
 * The tables that Earley's algorithm needs, computed once for a grammar.
 *
 * A *core* is an alternative with a dot. The dot skips symbols that derive only the empty word:
 * they have no cores, so that a marker after a right recursion (S : a S mark; mark : { … };) does
 * not disable Leo's rule. The alternative S' → S is added after those of the grammar.
 *
 * A *corner* of a symbol X is a core with the dot before X and only nullable symbols before the
 * dot. If the left side of a corner is predicted in a set, X is expected in the same set.
 */
#ifndef GRAMMAR_EARLEY_TABLES_H
#define GRAMMAR_EARLEY_TABLES_H

#include "grammar/grammar.h"

struct earley_core {
	uint32_t symbol; /* after the dot; GRAMMAR_NONE: the dot is at the end */
	uint32_t next;	 /* the core with the dot after `symbol` */
	uint32_t rule, left;
	uint32_t dot; /* the number of symbols with cores before it */
};

struct earley_tables {
	const struct grammar *grammar;
	/*
	 * Numbered by the symbol after the dot, so that a set sorted by cores is also sorted by
	 * symbols.
	 */
	struct earley_core *cores;
	uint32_t core_count;
	uint32_t *first_core; /* by symbol; one extra entry at the end */
	uint32_t start;	      /* the core S' → • S */
	uint32_t goal;	      /* S', the symbol number after those of the grammar */
	/*
	 * `corners`: cores, grouped by symbol. `first_corner`: by symbol, index of its first
	 * corner, with one extra entry at the end.
	 */
	uint32_t *corners, *first_corner;
	/*
	 * By nonterminal: bit set, `words` words long, of the nonterminals that are predicted
	 * wherever it is expected, including itself.
	 */
	uint64_t *closure;
	uint32_t words;
	/*
	 * `kept`: the steps whose symbols have cores, grouped by rule. `first_kept`: by rule, index
	 * of its first such step, with one extra entry at the end.
	 */
	uint32_t *kept, *first_kept;
	/*
	 * By nonterminal: the alternative of its empty tree, or GRAMMAR_NONE; and whether there is
	 * more than one empty tree.
	 */
	uint32_t *empty_rule;
	bool *empty_twice;
	/* by nonterminal: some of its trees contain code */
	bool *has_code;
	/* by rule, including S' → S: no code runs after its last symbol that has a core */
	bool *ends_clean;
	/*
	 * By nonterminal E, a bit set of nonterminals N: if E is expected and a tree of N starts at
	 * the same event, no code runs between the start of E and the start of N.
	 */
	uint64_t *leads;
};

struct earley_tables *earley_tables_make(const struct grammar *grammar);
void earley_tables_free(struct earley_tables *tables);

#endif
