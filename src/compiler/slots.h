/*
 * Which values the reader of a trace knows already.
 *
 * A pointer that was recorded once need not be recorded again while it stays the same: the
 * table says "the pointer of before, plus 8". A slot is a number for such a value (an SSA name or
 * the address of a declaration), unique in its function. Where a slot is known is a classic
 * forward must-analysis (available expressions): recording makes it known, the value's new
 * definition and every call that may run other instrumented code of this thread make it unknown.
 * By the last rule the reader needs no frames: nothing that switches stacks can come between.
 */
#ifndef COMPILER_SLOTS_H
#define COMPILER_SLOTS_H

#include "compiler/gcc.h"

#include <map>
#include <vector>

class slots {
public:
	static const unsigned none = 0xffff;

	/* The slot of a value, made on first sight; `none` when there are too many. */
	unsigned of(tree value);

	/* Analysis: what happens in a block, in order. Then solve. */
	void note_recorded(basic_block bb, tree value);
	void note_forgotten(basic_block bb);
	void solve(function *fn);

	/* Generation: walking a block in the same order. */
	void enter_block(basic_block bb);
	bool is_known(tree value);
	void recorded(tree value);
	void forgotten();

	/* The slot of `value` minus a constant, if that is known: value == slot + *plus. */
	bool find(tree value, unsigned *slot, HOST_WIDE_INT *plus);

private:
	struct block {
		std::vector<bool> made, in;
		bool forgets = false;
	};
	std::map<tree, unsigned> numbers;
	std::vector<tree> values;
	std::map<int, block> blocks; /* by index; only those with something in them */
	std::vector<std::vector<bool>> known_in;
	std::vector<bool> known;
};

#endif
