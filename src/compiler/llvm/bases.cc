/*
 * For the compiler, a[i] and a[i + 1] are two pointers, each with its own computation. Scalar
 * evolution knows that they are always 4 bytes apart. So the second pointer is described as the
 * first plus 4, and takes no bytes in a record.
 *
 * Scalar evolution describes values in one iteration of a loop. What it says about two pointers is
 * true at an access if both pointers were computed in the same iteration as the access. That is so
 * if their definitions are in no loop that does not contain the access. (A definition that
 * dominates the access is then executed before it in each iteration: a path around the definition
 * would also exist in the first iteration.)
 */
#include "compiler/llvm/bases.h"

using namespace llvm;

namespace
{

const size_t others_max = 16; /* a pointer is compared with at most this many others */

class base_sharer
{
      public:
	base_sharer(Function &function, FunctionAnalysisManager &analyses)
	    : evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
	      loops(analyses.getResult<LoopAnalysis>(function)),
	      dominators(analyses.getResult<DominatorTreeAnalysis>(function))
	{
	}

	void share(access_address &address, Instruction *access)
	{
		if (address.is_static || !evolution.isSCEVable(address.base->getType()) ||
		    !is_of_iteration(address.base, access))
			return;
		const SCEV *mine = evolution.getSCEV(address.base);
		std::vector<Value *> &others = of_object[evolution.getPointerBase(mine)];
		for (Value *other : others)
			if (is_computed_before(other, access) && is_of_iteration(other, access) &&
			    describe_as_other(address, mine, other))
				return;
		if (others.size() < others_max)
			others.push_back(address.base);
	}

      private:
	ScalarEvolution &evolution;
	LoopInfo &loops;
	DominatorTree &dominators;
	std::map<const SCEV *, std::vector<Value *>> of_object;

	bool is_computed_before(Value *value, Instruction *access)
	{
		Instruction *made = dyn_cast<Instruction>(value);
		return !made || dominators.dominates(made, access);
	}

	bool is_of_iteration(Value *value, Instruction *access)
	{
		Instruction *made = dyn_cast<Instruction>(value);
		Loop *loop = made ? loops.getLoopFor(made->getParent()) : nullptr;
		return !loop || loop->contains(access->getParent());
	}

	bool describe_as_other(access_address &address, const SCEV *mine, Value *other)
	{
		if (other == address.base)
			return true;
		const SCEVConstant *apart = dyn_cast<SCEVConstant>(
			evolution.getMinusSCEV(mine, evolution.getSCEV(other)));
		if (!apart || !apart->getAPInt().isSignedIntN(32))
			return false;
		int64_t offset = address.offset + apart->getAPInt().getSExtValue();
		if (offset != (int32_t)offset)
			return false;
		address.base = other;
		address.offset = offset;
		return true;
	}
};

} // namespace

void bases_share(Function &function, FunctionAnalysisManager &analyses, plan &p)
{
	base_sharer s(function, analyses);

	for (BasicBlock &block : function)
		for (op &o : p.blocks[&block]) {
			if (o.from_shared)
				s.share(o.from, o.at);
			if (o.to_shared)
				s.share(o.to, o.at);
		}
}
