/*
 * Finds equivalent return points. With the grammar S : S S | a, the sets after successive events
 * differ only in the earlier sets to which their items return. Suppose that an S starts in one of
 * these sets, and compare it with an S that starts in the first set. When the S is complete, the
 * same items result in both cases, if the two return points are assumed to be equivalent: a
 * bisimulation. Then one return point can replace the other.
 *
 * A set is compared only with the sets to which its items return. This is done only for grammars
 * without code: with code, each return has its own trees.
 */
#ifndef GRAMMAR_EARLEY_SAME_H
#define GRAMMAR_EARLEY_SAME_H

#include "grammar/earley_build.h"

/*
 * Is `goal`, started in `set`, equivalent to `goal` started in set->same? The first call tests it
 * and stores the result with the set. A second builder, which has no `side`, uses only stored
 * results.
 */
bool earley_is_same(struct earley_build *build, struct earley_set *set, uint32_t goal);

#endif
