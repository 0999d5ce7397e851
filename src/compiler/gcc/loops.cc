/*
 * Finds pointers that need not be recorded in each iteration of a loop. There are three kinds:
 *
 *  - pointers that the loop does not change: they are recorded once, before it;
 *  - pointers that advance by a constant (p++, a[i]; scalar evolution finds them): they are
 *    recorded before the loop, and the table says "plus 8" at the end of each iteration;
 *  - pointers that become, at the end of each iteration, a value that was just read
 *    (n = n->next): the record of that read contains the value.
 *
 * Everything found here is only a proposal. slots.cc checks on the flow graph that the reader can
 * compute each step on every path, and drops the other proposals.
 */
#include "compiler/gcc/gcc.h"
#include "cfgloop.h"
#include "tree-ssa-loop.h"
#include "tree-scalar-evolution.h"

#include "compiler/gcc/loops.h"
#include "compiler/gcc/segment.h"

void loops_prepare()
{
	if (!optimize)
		return;
	loop_optimizer_init(LOOPS_NORMAL);
	scev_initialize();
}

void loops_finish()
{
	if (!optimize)
		return;
	scev_finalize();
	loop_optimizer_finalize();
}

/* Does the block end inside a segment? Then additional elements at its end cost nothing. */
static bool ends_in_segment(const plan &p, basic_block bb)
{
	return !p.blocks[bb->index].empty() && p.blocks[bb->index].back().is_access();
}

/*
 * Returns the block at whose end a value for the next iteration can be assigned without cost: the
 * nearest block before the edge that has operations, if it ends inside a segment; otherwise NULL.
 * Sets `toward` to the successor of that block on the path.
 */
static basic_block find_block_to_assign(const plan &p, edge e, basic_block *toward)
{
	basic_block at = e->src;
	*toward = e->dest;
	while (p.blocks[at->index].empty() && single_pred_p(at) && single_succ_p(at) &&
	       at != ENTRY_BLOCK_PTR_FOR_FN(cfun)) {
		*toward = at;
		at = single_pred(at);
	}
	return ends_in_segment(p, at) ? at : NULL;
}

/* Proposes a pointer that advances by a constant. */
static bool follow_induction(plan &p, class loop *loop, tree value)
{
	affine_iv iv;

	if (!simple_iv(loop, loop, value, &iv, true) || !tree_fits_shwi_p(iv.step) ||
	    integer_zerop(iv.step) || generic_expr_could_trap_p(iv.base))
		return false;
	basic_block toward, at = find_block_to_assign(p, loop_latch_edge(loop), &toward);
	if (!at)
		return false;
	p.known.follow({ value,
			 { value, iv.base, loop_preheader_edge(loop)->src },
			 { value, value, tree_to_shwi(iv.step), at, toward },
			 {} });
	return true;
}

/* Proposes a pointer that has another value in the next iteration, as its PHI node says. */
static bool follow_phi(plan &p, class loop *loop, tree value)
{
	gphi *phi = dyn_cast<gphi *>(SSA_NAME_DEF_STMT(value));
	if (!phi || gimple_bb(phi) != loop->header)
		return false;
	basic_block toward, at = find_block_to_assign(p, loop_latch_edge(loop), &toward);
	if (!at)
		return false;
	edge entry = loop_preheader_edge(loop);
	tree next = PHI_ARG_DEF_FROM_EDGE(phi, loop_latch_edge(loop));
	if (TREE_CODE(next) != SSA_NAME)
		return false;
	p.known.follow({ value,
			 { value, PHI_ARG_DEF_FROM_EDGE(phi, entry), entry->src },
			 { value, next, 0, at, toward },
			 {} });
	return true;
}

/* May a call in the loop run other instrumented code? After such a call, no slot is known. */
static bool may_run_recorded_code(const plan &p, class loop *loop)
{
	basic_block *body = get_loop_body(loop);
	bool found = false;

	for (unsigned i = 0; i < loop->num_nodes && !found; i++)
		for (const op &o : p.blocks[body[i]->index])
			found = found || o.kind == op::FORGET || o.kind == op::EXIT;
	free(body);
	return found;
}

static bool changes_in(class loop *loop, tree value)
{
	return TREE_CODE(value) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(value) &&
	       flow_bb_inside_loop_p(loop, gimple_bb(SSA_NAME_DEF_STMT(value)));
}

class loop_finder
{
      public:
	explicit loop_finder(plan &p) : p(p)
	{
	}

	void propose(basic_block bb, const access_address &address)
	{
		tree value = address.base;
		class loop *loop = bb->loop_father;

		if (!value || address.is_static || !loop_outer(loop) || !seen.insert(value).second)
			return;
		auto known = without_calls.find(loop);
		if (known == without_calls.end())
			known = without_calls.emplace(loop, !may_run_recorded_code(p, loop)).first;
		if (!known->second)
			return;
		if (changes_in(loop, value)) {
			if (!follow_induction(p, loop, value))
				follow_phi(p, loop, value);
			return;
		}
		tree expression = DECL_P(value) ? build_fold_addr_expr(value) : value;
		p.known.define({ value, expression, loop_preheader_edge(loop)->src });
	}

      private:
	plan &p;
	std::set<tree> seen;
	std::map<class loop *, bool> without_calls;
};

void loops_find(function *fn, plan &p)
{
	basic_block bb;
	loop_finder f(p);

	if (!optimize || number_of_loops(fn) <= 1)
		return;
	FOR_EACH_BB_FN (bb, fn) {
		for (const op &o : p.blocks[bb->index]) {
			if (o.from_shared)
				f.propose(bb, o.from);
			if (o.to_shared)
				f.propose(bb, o.to);
		}
	}
}
