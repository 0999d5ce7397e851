/* Which cuts of a level go on when not all may. */
#ifndef MONITOR_BREADTH_H
#define MONITOR_BREADTH_H

#include "monitor/level_walk.h"

/*
 * Keeps `most` cuts: the one of the observed run; then those with a monitor state that no kept cut has;
 * then those with a set of states that none has; then, evenly, others. The level has more than that.
 */
void breadth_cut(struct level_walk *walk, uint64_t most);

#endif
