/*
 * Could an operation have happened without some of what was before it? A release and the acquire
 * behind it depend on each other but cannot change places; two acquires can. The objects are played
 * again by their histories, as doc/controlled-runs.md has them.
 */
#ifndef EXPLORE_COULD_H
#define EXPLORE_COULD_H

#include "explore/path.h"

/*
 * Could `operation` happen in the state that the path leads to if node `without` and all that
 * happened after it are taken out? PATH_NONE takes nothing out.
 */
bool path_could(const struct path *path, const struct control_event *operation, uint32_t without);

#endif
