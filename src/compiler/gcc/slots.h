/*
 * Which values the reader of a trace knows already.
 *
 * A pointer that was recorded once need not be recorded again while it stays the same: the
 * table says "the pointer of before, plus 8". A slot is a number for such a value (an SSA name or
 * the address of a declaration), unique in its function. Where a slot is known is a classic
 * forward must-analysis (available expressions): recording makes it known, the value's new
 * definition and every call that may run other instrumented code of this thread make it unknown.
 * By the last rule the reader needs no frames: nothing that switches stacks can come between.
 *
 * Values that change from one round of a loop to the next are followed (loops.cc): recorded once
 * before the loop, and then computed by the reader, "the pointer of the round before, plus 8", as
 * the table says at the end of each round. Such a value is not forgotten at its definition: its
 * slot holds what it is (or is going to be) in the current round.
 */
#ifndef GCC_SLOTS_H
#define GCC_SLOTS_H

#include "compiler/gcc/gcc.h"

#include <map>
#include <set>
#include <vector>

class slots
{
      public:
	static const unsigned none = 0xffff;

	/* The slot of a value, made on first sight; `none` when there are too many. */
	unsigned of(tree value);

	/* ---- analysis: what happens in a block, in order ---- */
	void note_recorded(basic_block bb, tree value);
	void note_forgotten(basic_block bb);

	/* At the end of `at`, `value` is recorded as what `expression` is there. */
	struct definition {
		tree value, expression;
		basic_block at;
	};
	/* At the end of `at`, on the way to `toward`, `value` becomes `source` + `plus`. */
	struct assignment {
		tree value, source;
		HOST_WIDE_INT plus;
		basic_block at, toward;
	};
	/* A value followed through a loop. All its assignments must turn out computable. */
	struct followed {
		tree value;
		std::vector<definition> definitions;
		std::vector<assignment> assignments;
	};
	void follow(const followed &f)
	{
		all_followed.push_back(f);
	}
	/* A value recorded before a loop because the loop needs it and does not change it. */
	void define(const definition &d)
	{
		invariants.push_back(d);
	}

	/* Finds out what is known where; gives up on followed values that cannot be computed. */
	void solve(function *fn);

	/* ---- generation: walking a block in the same order ---- */
	void enter_block(basic_block bb);
	bool is_known(tree value) const;
	void recorded(tree value);
	void forgotten();
	/* A known slot and a constant that make up the value. */
	bool find(tree value, unsigned *slot, HOST_WIDE_INT *plus) const;
	/* What is to be defined and assigned at the end of a block, in this order. */
	std::vector<definition> definitions_at(basic_block bb) const;
	std::vector<assignment> assignments_at(basic_block bb) const;

      private:
	typedef std::vector<bool> bits;
	struct block {
		bits made;
		bool forgets = false;
	};
	std::map<tree, unsigned> numbers;
	std::vector<tree> values;
	std::map<int, block> blocks; /* by index; only those with something in them */
	std::vector<followed> all_followed;
	std::vector<definition> invariants;
	std::vector<bits> known_in, known_out;
	bits known;

	void number_all();
	void iterate(function *fn);
	bool computable(const assignment &a) const;
	bool give_up();
	bool find_in(const bits &set, tree value, unsigned *slot, HOST_WIDE_INT *plus) const;
	bits through_edge(basic_block from, basic_block to) const;
};

#endif
