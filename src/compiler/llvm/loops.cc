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
#include "compiler/llvm/loops.h"

#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

#include <set>

using namespace llvm;

static const std::vector<op> &ops_of(const plan &p, BasicBlock *block)
{
	static const std::vector<op> none;
	auto found = p.blocks.find(block);
	return found == p.blocks.end() ? none : found->second;
}

/*
 * Returns the block at whose end a value for the next iteration can be assigned without cost: the
 * nearest block before the edge that has operations, if it ends inside a segment; otherwise NULL.
 * Sets `toward` to the successor of that block on the path.
 */
static BasicBlock *find_block_to_assign(const plan &p, Loop *loop, BasicBlock **toward)
{
	BasicBlock *at = loop->getLoopLatch();
	*toward = loop->getHeader();
	while (ops_of(p, at).empty() && at->getSinglePredecessor() && at->getSingleSuccessor()) {
		*toward = at;
		at = at->getSinglePredecessor();
	}
	/* If the block ends inside a segment, more elements cost nothing. */
	const std::vector<op> &ops = ops_of(p, at);
	return !ops.empty() && ops.back().is_access() ? at : nullptr;
}

class loop_finder
{
      public:
	loop_finder(plan &p, LoopInfo &loops, ScalarEvolution &evolution, const DataLayout &layout)
	    : p(p), loops(loops), evolution(evolution), expander(evolution, layout, "sooth")
	{
	}

	void propose(BasicBlock *block, const access_address &address)
	{
		Value *value = address.base;
		Loop *loop = loops.getLoopFor(block);

		if (address.is_static || !loop || !seen.insert(value).second)
			return;
		slots::definition array = find_array(loop, address);
		if (!propose_pointer(loop, value, array) && array.value)
			p.known.define(array);
	}

      private:
	plan &p;
	LoopInfo &loops;
	ScalarEvolution &evolution;
	SCEVExpander expander;
	std::set<Value *> seen;
	std::map<Loop *, bool> without_calls;

	bool has_no_calls(Loop *loop)
	{
		auto known = without_calls.find(loop);
		if (known == without_calls.end())
			known = without_calls.emplace(loop, !may_run_recorded_code(loop)).first;
		return known->second;
	}

	/*
	 * Makes a proposal for a pointer. Returns false if the pointer must be recorded in each
	 * iteration.
	 */
	bool propose_pointer(Loop *loop, Value *value, const slots::definition &otherwise)
	{
		if (!loop->getLoopPreheader() || !loop->getLoopLatch() || !has_no_calls(loop))
			return false;
		if (!loop->isLoopInvariant(value))
			return follow_induction(loop, value, otherwise) || follow_phi(loop, value);
		p.known.define({ value, {}, loop->getLoopPreheader() });
		return true;
	}

	bool is_safe(const SCEV *start)
	{
#if LLVM_VERSION_MAJOR < 16
		return isSafeToExpand(start, evolution);
#else
		return expander.isSafeToExpand(start);
#endif
	}

	/*
	 * Returns the array whose elements a loop accesses in an order that cannot be followed. The
	 * definition records the array before the outermost loop that does not change it.
	 */
	slots::definition find_array(Loop *loop, const access_address &address)
	{
		slots::definition array = {};

		if (!address.index || address.index->array.is_static)
			return array;
		Value *base = address.index->array.base;
		for (; loop && has_no_calls(loop) && loop->isLoopInvariant(base);
		     loop = loop->getParentLoop())
			if (loop->getLoopPreheader())
				array = { base, {}, loop->getLoopPreheader() };
		return array;
	}

	/* Proposes a pointer that advances by a constant. */
	bool follow_induction(Loop *loop, Value *value, const slots::definition &otherwise)
	{
		const SCEVAddRecExpr *sum =
			evolution.isSCEVable(value->getType())
				? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(value))
				: nullptr;
		if (!sum || sum->getLoop() != loop || !sum->isAffine())
			return false;
		const SCEVConstant *step =
			dyn_cast<SCEVConstant>(sum->getStepRecurrence(evolution));
		if (!step || !is_safe(sum->getStart()))
			return false;
		BasicBlock *toward, *at = find_block_to_assign(p, loop, &toward);
		if (!at)
			return false;
		int64_t plus = step->getAPInt().getSExtValue();
		p.known.follow({ value,
				 { value, { sum->getStart(), nullptr }, loop->getLoopPreheader() },
				 { value, value, plus, at, toward },
				 otherwise });
		return true;
	}

	/* Proposes a pointer that has another value in the next iteration, as its PHI node says. */
	bool follow_phi(Loop *loop, Value *value)
	{
		PHINode *phi = dyn_cast<PHINode>(value);
		if (!phi || phi->getParent() != loop->getHeader())
			return false;
		BasicBlock *toward, *at = find_block_to_assign(p, loop, &toward);
		if (!at)
			return false;
		Value *next = phi->getIncomingValueForBlock(loop->getLoopLatch());
		Value *first = phi->getIncomingValueForBlock(loop->getLoopPreheader());
		if (!isa<Instruction>(next) && !isa<Argument>(next))
			return false;
		p.known.follow({ value,
				 { value, { nullptr, first }, loop->getLoopPreheader() },
				 { value, next, 0, at, toward },
				 {} });
		return true;
	}

	/*
	 * May a call in the loop run other instrumented code? After such a call, no slot is known.
	 */
	bool may_run_recorded_code(Loop *loop)
	{
		for (BasicBlock *block : loop->blocks())
			for (const op &o : ops_of(p, block))
				if (o.kind == op::FORGET || o.kind == op::EXIT)
					return true;
		return false;
	}
};

void loops_find(Function &function, LoopInfo &loops, ScalarEvolution &evolution, plan &p)
{
	loop_finder f(p, loops, evolution, function.getParent()->getDataLayout());

	for (BasicBlock &block : function)
		for (const op &o : ops_of(p, &block)) {
			if (o.from_shared)
				f.propose(&block, o.from);
			if (o.to_shared)
				f.propose(&block, o.to);
		}
}
