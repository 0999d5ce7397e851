/*
 * Determines which values the reader of a trace already knows. Both plugins use this template, each
 * with its compiler's types for values (`value_t`) and basic blocks (`block_t`). `start_t`
 * describes the contents of a value that is recorded before a loop.
 *
 * A pointer that was recorded once need not be recorded again while it stays the same: the table
 * says "the earlier pointer, plus 8". A slot is a number for such a value, unique in its function.
 * Where a slot is known is a classic forward must-analysis (available expressions). Recording a
 * value makes its slot known. A new definition of the value makes it unknown, and so does every
 * call that may run other instrumented code in this thread. Because of the last rule the reader
 * needs no stack frames: while a slot is known, the thread cannot have switched to another stack.
 *
 * Values that change from one iteration of a loop to the next are *followed* (loops.cc). A followed
 * value is recorded once before the loop. Then the reader computes it at the end of each iteration,
 * as the table says: "the pointer of the previous iteration, plus 8". A followed value stays known
 * at its definition: its slot holds the value in the current iteration even before the program
 * computes the value there.
 */
#ifndef COMPILER_SLOT_ANALYSIS_H
#define COMPILER_SLOT_ANALYSIS_H

#include "event/wire.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

template <typename value_t, typename block_t, typename start_t> class slot_analysis
{
      public:
	static const unsigned none = WIRE_NO_SLOT;

	/*
	 * Returns the slot of a value. The slot is assigned at the first request. Returns `none` if
	 * there are too many slots.
	 */
	unsigned of(value_t value)
	{
		auto found = numbers.find(value);
		if (found != numbers.end())
			return found->second;
		if (values.size() == WIRE_SLOTS)
			return none;
		unsigned slot = (unsigned)values.size();
		numbers.emplace(value, slot);
		values.push_back(value);
		return slot;
	}

	/* ---- proposals, before the analysis -------------------------------------------------- */

	/* At the end of block `at`, `value` is recorded; its contents there are `start`. */
	struct definition {
		value_t value;
		start_t start;
		block_t at;
	};
	/*
	 * At the end of block `at`, if execution continues to `toward`, `value` becomes `source` +
	 * `plus`.
	 */
	struct assignment {
		value_t value, source;
		int64_t plus;
		block_t at, toward;
	};
	/*
	 * A value that is followed through a loop. If the reader cannot compute the assignment, the
	 * value is not followed, and `otherwise` is defined instead.
	 */
	struct followed {
		value_t value;
		struct definition definition;
		struct assignment assignment;
		struct definition otherwise; /* without a value: nothing */
	};
	void follow(const followed &f)
	{
		all_followed.push_back(f);
	}
	/* Records a value before a loop that needs the value and does not change it. */
	void define(const definition &d)
	{
		for (const definition &other : invariants)
			if (other.value == d.value && other.at == d.at)
				return;
		invariants.push_back(d);
	}

	/* ---- generation: walks a block in the same order as the analysis --------------------- */

	void enter_block(block_t block)
	{
		auto found = known_in.find(block);
		if (found != known_in.end())
			known = found->second;
		else
			known.clear(); /* the block was added later: nothing is known about it */
	}
	bool is_known(value_t value) const
	{
		return is_in(known, value);
	}
	void recorded(value_t value)
	{
		record_in(known, value);
	}
	void forgotten()
	{
		known.clear();
	}
	/* Finds a known slot and a constant whose sum is the value. */
	bool find(value_t value, unsigned *slot, int64_t *plus) const
	{
		return find_in(known, value, slot, plus);
	}
	/*
	 * definitions_at() returns what must be defined at the end of a block, and assignments_at()
	 * what must be assigned after that.
	 */
	std::vector<definition> definitions_at(block_t block) const
	{
		std::vector<definition> found;
		for (const definition &d : invariants)
			if (d.at == block)
				found.push_back(d);
		for (const followed &f : all_followed)
			if (f.definition.at == block)
				found.push_back(f.definition);
		return found;
	}
	std::vector<assignment> assignments_at(block_t block) const
	{
		std::vector<assignment> found;
		for (const followed &f : all_followed)
			if (f.assignment.at == block)
				found.push_back(f.assignment);
		return found;
	}

      protected:
	typedef std::vector<bool> bits;
	/*
	 * The flow graph: each block with its predecessors. The order is such that most
	 * predecessors of a block come before it. Blocks that cannot be reached come last and are
	 * not `reachable`.
	 */
	struct graph_block {
		block_t block;
		std::vector<block_t> predecessors;
		bool reachable;
	};
	std::map<value_t, unsigned> numbers;
	bits known;

	~slot_analysis() = default;

	/* ---- supplied by the plugin ---------------------------------------------------------- */

	/*
	 * If the value is a sum of x and a constant, and x has the same width: returns x and stores
	 * the constant. Otherwise returns the value itself.
	 */
	virtual value_t without_constant(value_t value, int64_t *plus) const = 0;
	/*
	 * Returns the block that defines a value, or NULL if the value is the same everywhere in
	 * the function.
	 */
	virtual block_t defining_block(value_t value) const = 0;
	/*
	 * `set` contains the slots that are known at the start of a block. Changes it to those that
	 * are known at the end.
	 */
	virtual void apply_block(block_t block, bits &set) const = 0;

	/*
	 * Computes for each block which slots are known. Drops the followed values that the reader
	 * could not compute.
	 */
	void solve_on(const std::vector<graph_block> &graph)
	{
		number_all();
		do
			propagate(graph);
		while (drop_uncomputable());
	}

	bool is_in(const bits &set, value_t value) const
	{
		auto found = numbers.find(value);
		return found != numbers.end() && has(set, found->second);
	}

	/*
	 * Finds a slot in `set` that holds the value itself or the x of x + constant. x cannot have
	 * been redefined between the addition and here: its definition dominates the addition,
	 * which dominates this use.
	 */
	bool find_in(const bits &set, value_t value, unsigned *slot, int64_t *plus) const
	{
		auto found = numbers.find(value);
		*plus = 0;
		if (found == numbers.end() || !has(set, found->second))
			found = numbers.find(without_constant(value, plus));
		if (found == numbers.end() || !has(set, found->second))
			return false;
		*slot = found->second;
		return true;
	}

	void record_in(bits &set, value_t value) const
	{
		auto found = numbers.find(value);
		if (found == numbers.end())
			return;
		if (set.size() <= found->second)
			set.resize(found->second + 1);
		set[found->second] = true;
	}

      private:
	std::vector<value_t> values;
	std::vector<followed> all_followed;
	std::vector<definition> invariants;
	std::map<block_t, bits> known_in, known_out;

	static bool has(const bits &set, unsigned slot)
	{
		return slot < set.size() && set[slot];
	}

	/*
	 * Assigns a slot to every value that may become known. That must be done before the sets
	 * are made, because their size is fixed.
	 */
	void number_all()
	{
		std::vector<followed> kept;
		std::vector<definition> defined;

		for (const followed &f : all_followed)
			if (of(f.value) != none)
				kept.push_back(f);
		for (const definition &d : invariants)
			if (of(d.value) != none)
				defined.push_back(d);
		all_followed = kept;
		invariants = defined;
	}

	/*
	 * Returns the slots that are known on an edge: those that are known at the end of block
	 * `from`, except for the slots of values that `from` assigns. These are known only on the
	 * edge to the assignment's `toward`; elsewhere they are wrong.
	 */
	bits through_edge(block_t from, block_t to) const
	{
		const bits &at_end = known_out.at(from);
		bits out = at_end;
		unsigned slot;
		int64_t plus;

		for (const followed &f : all_followed)
			if (f.assignment.at == from)
				out[numbers.at(f.value)] =
					f.assignment.toward == to &&
					find_in(at_end, f.assignment.source, &slot, &plus);
		return out;
	}

	/*
	 * Iterates
	 *
	 *   in(b) = intersection of out(p) over the predecessors p of b, without what b defines;
	 *   out(b) = in(b) and what b records.
	 *
	 * What b records may depend on what is known, and not monotonically: LLVM's plugin does not
	 * record an index if the address is known. So the sets are only allowed to shrink. Then the
	 * iteration terminates, and each in(b) is a subset of the intersection, which is
	 * sufficient.
	 */
	void propagate(const std::vector<graph_block> &graph)
	{
		unsigned n = (unsigned)values.size();
		std::map<block_t, std::vector<unsigned>> defined;
		std::set<block_t> assigns;
		std::set<value_t> exempt;

		for (const followed &f : all_followed) {
			exempt.insert(f.value);
			assigns.insert(f.assignment.at);
		}
		for (unsigned s = 0; s < n; s++)
			if (block_t at = defining_block(values[s]))
				if (!exempt.count(values[s]))
					defined[at].push_back(s);
		for (const graph_block &b : graph) {
			known_in[b.block].assign(n, !b.predecessors.empty());
			known_out[b.block].assign(n, true);
		}
		for (bool changed = true; changed;) {
			changed = false;
			for (const graph_block &b : graph) {
				if (!b.reachable)
					continue;
				bits in = known_in[b.block];
				for (block_t before : b.predecessors) {
					const bits &out = assigns.count(before)
								  ? through_edge(before, b.block)
								  : known_out[before];
					for (unsigned s = 0; s < n; s++)
						in[s] = in[s] && out[s];
				}
				for (unsigned s : defined[b.block])
					in[s] = false;
				known_in[b.block] = in;
				apply_block(b.block, in);
				for (const definition &d : definitions_at(b.block))
					in[numbers.at(d.value)] = true;
				changed = changed || in != known_out[b.block];
				known_out[b.block] = in;
			}
		}
	}

	/*
	 * Drops followed values whose next value the reader could not compute. Returns whether
	 * there were any.
	 */
	bool drop_uncomputable()
	{
		std::vector<followed> kept;

		for (const followed &f : all_followed) {
			const assignment &a = f.assignment;
			unsigned slot = none;
			int64_t plus;
			bool good = find_in(known_out.at(a.at), a.source, &slot, &plus);
			/*
			 * Assignments are executed in sequence, so none may use a slot that an
			 * earlier assignment at the same block has changed.
			 */
			for (const followed &other : kept)
				if (other.assignment.at == a.at && numbers.at(other.value) == slot)
					good = false;
			if (good)
				kept.push_back(f);
			else if (numbers.count(f.otherwise.value))
				define(f.otherwise);
		}
		bool any = kept.size() != all_followed.size();
		all_followed = kept;
		return any;
	}
};

#endif
