#include "compiler/gcc.h"

#include "compiler/slots.h"
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

static void set(std::vector<bool> &bits, unsigned slot)
{
	if (slot == slots::none)
		return;
	if (bits.size() <= slot)
		bits.resize(slot + 1);
	bits[slot] = true;
}

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

/* in(b) = the meet over predecessors of out; out(b) = made, and in less what b defines anew. */
void slots::solve(function *fn)
{
	unsigned n = (unsigned)values.size();
	std::vector<std::vector<unsigned>> defined(last_basic_block_for_fn(fn));
	std::vector<std::vector<bool>> out(last_basic_block_for_fn(fn), std::vector<bool>(n, true));
	known_in.assign(last_basic_block_for_fn(fn), std::vector<bool>(n, false));

	for (unsigned s = 0; s < n; s++) {
		if (TREE_CODE(values[s]) != SSA_NAME)
			continue;
		basic_block bb = gimple_bb(SSA_NAME_DEF_STMT(values[s]));
		if (bb)
			defined[bb->index].push_back(s);
	}
	int *order = XNEWVEC(int, n_basic_blocks_for_fn(fn));
	int count = pre_and_rev_post_order_compute_fn(fn, NULL, order, false);
	out[ENTRY_BLOCK].assign(n, false);
	for (bool changed = true; changed;) {
		changed = false;
		for (int i = 0; i < count; i++) {
			basic_block bb = BASIC_BLOCK_FOR_FN(fn, order[i]);
			std::vector<bool> in(n, EDGE_COUNT(bb->preds) > 0);
			edge e;
			edge_iterator ei;
			FOR_EACH_EDGE(e, ei, bb->preds)
				for (unsigned s = 0; s < n; s++)
					in[s] = in[s] && out[e->src->index][s];
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
			if (in != out[bb->index]) {
				out[bb->index] = in;
				changed = true;
			}
		}
	}
	XDELETEVEC(order);
}

void slots::enter_block(basic_block bb)
{
	if ((size_t)bb->index < known_in.size())
		known = known_in[bb->index];
	else
		known.clear(); /* a block made since: nothing is known of it */
}

bool slots::is_known(tree value)
{
	auto found = numbers.find(value);
	return found != numbers.end() && found->second < known.size() && known[found->second];
}

void slots::recorded(tree value)
{
	set(known, of(value));
}

void slots::forgotten()
{
	known.clear();
}

bool slots::find(tree value, unsigned *slot, HOST_WIDE_INT *plus)
{
	*plus = 0;
	if (is_known(value)) {
		*slot = of(value);
		return true;
	}
	/* x + constant, where x is known and as wide. */
	if (TREE_CODE(value) != SSA_NAME)
		return false;
	gimple *def = SSA_NAME_DEF_STMT(value);
	if (!is_gimple_assign(def))
		return false;
	tree_code code = gimple_assign_rhs_code(def);
	if (code != PLUS_EXPR && code != POINTER_PLUS_EXPR)
		return false;
	tree x = gimple_assign_rhs1(def), c = gimple_assign_rhs2(def);
	if (TREE_CODE(x) != SSA_NAME || TREE_CODE(c) != INTEGER_CST || !tree_fits_shwi_p(c) ||
	    !is_known(x))
		return false;
	*slot = of(x);
	*plus = tree_to_shwi(c);
	return true;
}
