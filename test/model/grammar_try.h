/* Tries a case with all parts of the tool: all short words, some long ones, copies and keys. */
#ifndef MODEL_GRAMMAR_TRY_H
#define MODEL_GRAMMAR_TRY_H

#include "grammar_case.h"

struct try_totals {
	uint64_t grammars, ll1, refused_wordless, refused_ambiguous, with_code;
	uint64_t words, open, violated[3], broken, two_trees, ends, equal_keys, keys, incomparable;
	uint64_t early, sessions, only_earley, walks, codes;
};

struct try_failure {
	char said[4096];
	int word[CASE_WORD], length; /* indices of letters */
};

/*
 * Tries a case. `depth` is the length of the short words; 0: as long as they are not too many.
 * Returns false if there is an error.
 */
bool try_case(const struct grammar_case *c, int depth, uint64_t random, struct try_totals *totals,
	      struct try_failure *failure);

#endif
