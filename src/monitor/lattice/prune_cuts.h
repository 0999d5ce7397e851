/* Which cuts of a level go on when not all may. */
#ifndef MONITOR_LATTICE_PRUNE_CUTS_H
#define MONITOR_LATTICE_PRUNE_CUTS_H

#include "monitor/lattice/level_walk.h"

/*
 * Keeps `most` cuts: the one of the observed run; then those with a monitor state that no kept cut has;
 * then those with a set of states that none has; then, evenly, others. The level has more than that.
 */
void prune_cuts_cut(struct level_walk *walk, uint64_t most);

#endif
