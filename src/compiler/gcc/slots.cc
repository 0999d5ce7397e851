/* The parts of the slot analysis (common/slot_analysis.h) that depend on gcc. */
#include "compiler/gcc/gcc.h"

#include "compiler/gcc/slots.h"

void slots::note_recorded(basic_block bb, tree value)
{
	of(value);
	record_in(effects[bb].made, value);
}

void slots::note_forgotten(basic_block bb)
{
	effects[bb].made.clear();
	effects[bb].forgets = true;
}

tree slots::without_constant(tree value, int64_t *plus) const
{
	if (TREE_CODE(value) != SSA_NAME)
		return value;
	gimple *def = SSA_NAME_DEF_STMT(value);
	if (!is_gimple_assign(def))
		return value;
	tree_code code = gimple_assign_rhs_code(def);
	if (code != PLUS_EXPR && code != POINTER_PLUS_EXPR)
		return value;
	tree x = gimple_assign_rhs1(def), constant = gimple_assign_rhs2(def);
	if (TREE_CODE(x) != SSA_NAME || TREE_CODE(constant) != INTEGER_CST ||
	    !cst_and_fits_in_hwi(constant))
		return value;
	*plus = int_cst_value(constant);
	return x;
}

basic_block slots::defining_block(tree value) const
{
	return TREE_CODE(value) == SSA_NAME ? gimple_bb(SSA_NAME_DEF_STMT(value)) : NULL;
}

void slots::apply_block(basic_block bb, bits &set) const
{
	auto found = effects.find(bb);

	if (found == effects.end())
		return;
	const bits &made = found->second.made;
	if (found->second.forgets)
		set.assign(set.size(), false);
	for (unsigned s = 0; s < made.size(); s++)
		set[s] = set[s] || made[s];
}

void slots::solve(function *fn)
{
	std::vector<graph_block> graph;
	int *order = XNEWVEC(int, n_basic_blocks_for_fn(fn));
	int count = pre_and_rev_post_order_compute_fn(fn, NULL, order, false);

	graph.push_back({ ENTRY_BLOCK_PTR_FOR_FN(fn), {}, true });
	for (int i = 0; i < count; i++) {
		graph_block b = { BASIC_BLOCK_FOR_FN(fn, order[i]), {}, true };
		edge e;
		edge_iterator ei;
		FOR_EACH_EDGE (e, ei, b.block->preds)
			b.predecessors.push_back(e->src);
		graph.push_back(b);
	}
	XDELETEVEC(order);
	solve_on(graph);
}
