/*
 * Decides whether an operation could have happened without some of the earlier operations. For
 * example, an acquire depends on the release before it, but the two cannot be reversed; two
 * acquires can. To decide this, the histories of the objects are replayed by the rules of
 * doc/controlled-runs.md.
 */
#ifndef EXPLORE_SEARCH_OP_ENABLED_H
#define EXPLORE_SEARCH_OP_ENABLED_H

#include "explore/search/dpor_path.h"

/*
 * Could `operation` happen in the state after the path if node `without`, and every node that
 * happens after it, are removed? `without` DPOR_PATH_NONE: nothing is removed.
 */
bool op_enabled_without(const struct dpor_path *path, const struct control_event *operation,
			uint32_t without);

#endif
