/*
 * Which values the reader of a trace already knows.
 *
 * A pointer that was recorded once need not be recorded again while it stays the same: the table
 * says "the earlier pointer, plus 8". A slot is a number for such a value (an SSA name or the
 * address of a declaration), unique in its function. Where a slot is known is a classic forward
 * must-analysis (available expressions). Recording a value makes its slot known. A new definition
 * of the value makes it unknown, and so does every call that may run other instrumented code in
 * this thread. Because of the last rule the reader needs no stack frames: no switch of stacks can
 * come between.
 *
 * Values that change from one iteration of a loop to the next are *followed* (loops.cc). They are
 * recorded once before the loop; then the reader computes them, "the pointer of the previous
 * iteration, plus 8", as the table says at the end of each iteration. A followed value stays known
 * at its definition: its slot holds its value in the current iteration, also before the value is
 * computed there.
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

	/*
	 * Returns the slot of a value, which is assigned at the first request; `none` if there are
	 * too many.
	 */
	unsigned of(tree value);

	/* ---- analysis: what happens in a block, in program order ---- */
	void note_recorded(basic_block bb, tree value);
	void note_forgotten(basic_block bb);

	/* At the end of `at`, `value` is recorded with the contents that `expression` has there. */
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
	/*
	 * A value that is followed through a loop. It is dropped unless the reader can compute all
	 * its assignments.
	 */
	struct followed {
		tree value;
		std::vector<definition> definitions;
		std::vector<assignment> assignments;
	};
	void follow(const followed &f)
	{
		all_followed.push_back(f);
	}
	/*
	 * A value that is recorded before a loop because the loop needs it and does not change it.
	 */
	void define(const definition &d)
	{
		invariants.push_back(d);
	}

	/* Computes what is known where. Drops followed values that the reader could not compute. */
	void solve(function *fn);

	/* ---- generation: walks a block in the same order ---- */
	void enter_block(basic_block bb);
	bool is_known(tree value) const;
	void recorded(tree value);
	void forgotten();
	/* Finds a known slot and a constant whose sum is the value. */
	bool find(tree value, unsigned *slot, HOST_WIDE_INT *plus) const;
	/* What has to be defined and assigned at the end of a block, in this order. */
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
	std::map<int, block> blocks; /* by index; only blocks in which something happens */
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
