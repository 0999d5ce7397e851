/*
 * Could an operation have happened without some of what was before it? A release and the acquire
 * behind it depend on each other but cannot change places; two acquires can. The objects are played
 * again by their histories, as doc/controlled-runs.md has them.
 */
#ifndef EXPLORE_SEARCH_OP_ENABLED_H
#define EXPLORE_SEARCH_OP_ENABLED_H

#include "explore/search/dpor_path.h"

/*
 * Could `operation` happen in the state that the path leads to if node `without` and all that
 * happened after it are taken out? DPOR_PATH_NONE takes nothing out.
 */
bool path_could(const struct dpor_path *path, const struct control_event *operation,
		uint32_t without);

#endif
