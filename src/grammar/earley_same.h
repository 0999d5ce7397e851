/*
 * Places to come back to that are the same. In S : S S | a the sets behind the events differ in nothing
 * but in who was there before; what comes of it when an S that started in one of them is done is the
 * same as for an S of the first one, if S there and S here are taken for the same: a bisimulation. It is
 * looked for only between a set and those that its items go back to, and only where trees do not tell
 * them apart.
 */
#ifndef GRAMMAR_EARLEY_SAME_H
#define GRAMMAR_EARLEY_SAME_H

#include "grammar/earley_build.h"

/*
 * Is `goal`, started in `set`, the same as in set->same? Where `build` is itself the side of another, as
 * far as is known. What is found is kept with the set.
 */
bool earley_is_same(struct earley_build *build, struct earley_set *set, uint32_t goal);

#endif
