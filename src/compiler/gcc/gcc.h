/* The headers of gcc that the plugin uses. They must be included in this order. */
#ifndef GCC_GCC_H
#define GCC_GCC_H

#include "gcc-plugin.h"

#include "tree.h"
#include "memmodel.h"
#include "tree-pass.h"
#include "context.h"
#include "basic-block.h"
#include "cfganal.h"
#include "function.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "fold-const.h"
#include "tree-ssa-alias.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-eh.h"
#include "tree-ssanames.h"
#include "tree-phinodes.h"
#include "options.h"
#include "stringpool.h"
#include "attribs.h"
#include "asan.h"
#include "internal-fn.h"
#include "langhooks.h"
#include "output.h"
#include "target.h"
#include "cgraph.h"
#include "stor-layout.h"
#include "varasm.h"
#include "diagnostic-core.h"

/*
 * Gives a new statement the location and the scope of the statement that it replaces or belongs to.
 */
static inline void gcc_copy_site(gimple *to, gimple *from)
{
	gimple_set_location(to, gimple_location(from));
	gimple_set_block(to, gimple_block(from));
}

#endif
