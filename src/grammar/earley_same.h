/*
 * Finds equivalent return points. In S : S S | a, the sets after the events differ only in the sets
 * before them. The items that result when an S that started in one of them is complete are the same
 * as for an S that started in the first one, if S here and S there are assumed to be equivalent: a
 * bisimulation. Only a set and the sets that its items return to are compared, and only for
 * grammars without code, where no trees distinguish them.
 */
#ifndef GRAMMAR_EARLEY_SAME_H
#define GRAMMAR_EARLEY_SAME_H

#include "grammar/earley_build.h"

/*
 * Is `goal`, started in `set`, equivalent to `goal` started in set->same? If not known yet, tests
 * it and stores the result with the set. If `build` is the second builder of another one, uses only
 * stored results.
 */
bool earley_is_same(struct earley_build *build, struct earley_set *set, uint32_t goal);

#endif
