/* Chooses which cuts of a level to keep when there are too many (--breadth, effort, memory). */
#ifndef MONITOR_LATTICE_PRUNE_CUTS_H
#define MONITOR_LATTICE_PRUNE_CUTS_H

#include "monitor/lattice/level_walk.h"

/*
 * Keeps `most` cuts of the walk's level, which has more: the cut of the observed run; then cuts
 * with a monitor state that no kept cut has; then cuts with a set of states that no kept cut has;
 * then others, evenly spread.
 */
void prune_cuts(struct level_walk *walk, uint64_t most);

#endif
