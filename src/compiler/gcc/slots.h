/*
 * Determines which values the reader of a trace already knows (common/slot_analysis.h), for gcc. A
 * value is an SSA name, or a declaration, which stands for its address.
 */
#ifndef GCC_SLOTS_H
#define GCC_SLOTS_H

#include "compiler/common/slot_analysis.h"
#include "compiler/gcc/gcc.h"

class slots : public slot_analysis<tree, basic_block, tree>
{
      public:
	/* ---- what happens in a block, in program order --------------------------------------- */
	void note_recorded(basic_block bb, tree value);
	void note_forgotten(basic_block bb);

	void solve(function *fn);

      private:
	struct block_effect {
		bits made;
		bool forgets = false;
	};
	std::map<basic_block, block_effect> effects; /* only blocks that have an effect */

	tree without_constant(tree value, int64_t *plus) const override;
	basic_block defining_block(tree value) const override;
	void apply_block(basic_block bb, bits &set) const override;
};

#endif
