/* The analysis that slots.h describes, on gcc's SSA names and basic blocks. */
#include "compiler/gcc/gcc.h"

#include "compiler/gcc/slots.h"
#include "event/wire.h"

unsigned slots::of(tree value)
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

static void set(std::vector<bool> &set_of, unsigned slot)
{
	if (slot == slots::none)
		return;
	if (set_of.size() <= slot)
		set_of.resize(slot + 1);
	set_of[slot] = true;
}

static bool has(const std::vector<bool> &set_of, unsigned slot)
{
	return slot < set_of.size() && set_of[slot];
}

/* ---- analysis ------------------------------------------------------------------------------- */

void slots::note_recorded(basic_block bb, tree value)
{
	set(blocks[bb->index].made, of(value));
}

void slots::note_forgotten(basic_block bb)
{
	block &b = blocks[bb->index];
	b.made.clear();
	b.forgets = true;
}

bool slots::find_in(const bits &in, tree value, unsigned *slot, HOST_WIDE_INT *plus) const
{
	auto found = numbers.find(value);
	*plus = 0;
	if (found != numbers.end() && has(in, found->second)) {
		*slot = found->second;
		return true;
	}
	/*
	 * x + constant, where x is known and has the same width. x cannot have been redefined
	 * between the addition and here: its definition dominates the addition, which dominates
	 * this use.
	 */
	if (TREE_CODE(value) != SSA_NAME)
		return false;
	gimple *def = SSA_NAME_DEF_STMT(value);
	if (!is_gimple_assign(def))
		return false;
	tree_code code = gimple_assign_rhs_code(def);
	if (code != PLUS_EXPR && code != POINTER_PLUS_EXPR)
		return false;
	tree x = gimple_assign_rhs1(def), c = gimple_assign_rhs2(def);
	found = numbers.find(x);
	if (TREE_CODE(x) != SSA_NAME || TREE_CODE(c) != INTEGER_CST || !cst_and_fits_in_hwi(c) ||
	    found == numbers.end() || !has(in, found->second))
		return false;
	*slot = found->second;
	*plus = int_cst_value(c);
	return true;
}

bool slots::computable(const assignment &a) const
{
	unsigned slot;
	HOST_WIDE_INT plus;
	return find_in(known_out[a.at->index], a.source, &slot, &plus);
}

/*
 * Returns what is known on an edge: what is known at the end of its source, except for values that
 * the source assigns. Those are known on the edge to `toward`, and wrong elsewhere.
 */
slots::bits slots::through_edge(basic_block from, basic_block to) const
{
	bits out = known_out[from->index];
	for (const followed &f : all_followed)
		for (const assignment &a : f.assignments)
			if (a.at == from)
				out[numbers.at(f.value)] = a.toward == to && computable(a);
	return out;
}

/*
 * in(b) = intersection of out(p) over the predecessors p of b, without what b defines; out(b) =
 * in(b) and what b records.
 */
void slots::iterate(function *fn)
{
	unsigned n = (unsigned)values.size();
	size_t size = last_basic_block_for_fn(fn);
	std::vector<std::vector<unsigned>> defined(size);
	std::vector<bool> assigns(size, false);
	std::set<tree> exempt;

	for (const followed &f : all_followed) {
		exempt.insert(f.value);
		for (const assignment &a : f.assignments)
			assigns[a.at->index] = true;
	}
	for (unsigned s = 0; s < n; s++) {
		if (TREE_CODE(values[s]) != SSA_NAME || exempt.count(values[s]))
			continue;
		if (basic_block bb = gimple_bb(SSA_NAME_DEF_STMT(values[s])))
			defined[bb->index].push_back(s);
	}
	known_in.assign(size, bits(n, false));
	known_out.assign(size, bits(n, true));
	known_out[ENTRY_BLOCK].assign(n, false);

	int *order = XNEWVEC(int, n_basic_blocks_for_fn(fn));
	int count = pre_and_rev_post_order_compute_fn(fn, NULL, order, false);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < count; i++) {
			basic_block bb = BASIC_BLOCK_FOR_FN(fn, order[i]);
			bits in(n, EDGE_COUNT(bb->preds) > 0);
			edge e;
			edge_iterator ei;
			FOR_EACH_EDGE (e, ei, bb->preds) {
				const bits &out = assigns[e->src->index] ? through_edge(e->src, bb)
									 : known_out[e->src->index];
				for (unsigned s = 0; s < n; s++)
					in[s] = in[s] && out[s];
			}
			for (unsigned s : defined[bb->index])
				in[s] = false;
			known_in[bb->index] = in;
			auto b = blocks.find(bb->index);
			if (b != blocks.end()) {
				if (b->second.forgets)
					in.assign(n, false);
				for (unsigned s = 0; s < b->second.made.size(); s++)
					in[s] = in[s] || b->second.made[s];
			}
			for (const definition &d : definitions_at(bb))
				in[numbers.at(d.value)] = true;
			if (in != known_out[bb->index]) {
				known_out[bb->index] = in;
				changed = true;
			}
		}
	}
	XDELETEVEC(order);
}

/*
 * Drops followed values whose next value the reader could not compute. Returns whether there were
 * any.
 */
bool slots::give_up()
{
	std::vector<followed> kept;

	for (const followed &f : all_followed) {
		bool good = true;
		for (const assignment &a : f.assignments) {
			unsigned slot;
			HOST_WIDE_INT plus;
			good = good && find_in(known_out[a.at->index], a.source, &slot, &plus);
			/*
			 * Assignments are executed one after the other: none may use a slot that an
			 * earlier one changed.
			 */
			for (const followed &other : kept)
				for (const assignment &before : other.assignments)
					if (good && before.at == a.at &&
					    numbers.at(other.value) == slot)
						good = false;
		}
		if (good)
			kept.push_back(f);
	}
	bool any = kept.size() != all_followed.size();
	all_followed = kept;
	return any;
}

/* Every value that may become known must have its number before sets of a fixed size are made. */
void slots::number_all()
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

void slots::solve(function *fn)
{
	number_all();
	do
		iterate(fn);
	while (give_up());
}

/* ---- generation ----------------------------------------------------------------------------- */

void slots::enter_block(basic_block bb)
{
	if ((size_t)bb->index < known_in.size())
		known = known_in[bb->index];
	else
		known.clear(); /* the block was added later: nothing is known about it */
}

bool slots::is_known(tree value) const
{
	auto found = numbers.find(value);
	return found != numbers.end() && has(known, found->second);
}

void slots::recorded(tree value)
{
	set(known, of(value));
}

void slots::forgotten()
{
	known.clear();
}

bool slots::find(tree value, unsigned *slot, HOST_WIDE_INT *plus) const
{
	return find_in(known, value, slot, plus);
}

std::vector<slots::definition> slots::definitions_at(basic_block bb) const
{
	std::vector<definition> found;
	for (const definition &d : invariants)
		if (d.at == bb)
			found.push_back(d);
	for (const followed &f : all_followed)
		for (const definition &d : f.definitions)
			if (d.at == bb)
				found.push_back(d);
	return found;
}

std::vector<slots::assignment> slots::assignments_at(basic_block bb) const
{
	std::vector<assignment> found;
	for (const followed &f : all_followed)
		for (const assignment &a : f.assignments)
			if (a.at == bb)
				found.push_back(a);
	return found;
}
