/*
 * a[i] and a[i + 1] are two pointers to the compiler, each computed by itself. Scalar evolution knows that
 * they lie 4 bytes apart wherever i is; then the second is told as the first plus 4, and costs nothing.
 *
 * Scalar evolution speaks of a round of a loop. What it says of two pointers is true of their values at an
 * access if both were computed in the round in which the access is: where their definitions are in no
 * loop that the access is outside of. (A definition that dominates the access is then passed in each round
 * before it: a way around it would be a way around it in the first round.)
 */
#include "compiler/llvm/bases.h"

using namespace llvm;

namespace
{

const size_t others_most = 16; /* that one is compared with */

class sharer
{
      public:
	sharer(Function &function, FunctionAnalysisManager &analyses)
	    : evolution(analyses.getResult<ScalarEvolutionAnalysis>(function)),
	      loops(analyses.getResult<LoopAnalysis>(function)),
	      dominators(analyses.getResult<DominatorTreeAnalysis>(function))
	{
	}

	void share(access_address &address, Instruction *access)
	{
		if (address.is_static || !evolution.isSCEVable(address.base->getType()) ||
		    !is_of_round(address.base, access))
			return;
		const SCEV *mine = evolution.getSCEV(address.base);
		std::vector<Value *> &others = of_object[evolution.getPointerBase(mine)];
		for (Value *other : others)
			if (is_there(other, access) && is_of_round(other, access) &&
			    is_other_plus(address, mine, other))
				return;
		if (others.size() < others_most)
			others.push_back(address.base);
	}

      private:
	ScalarEvolution &evolution;
	LoopInfo &loops;
	DominatorTree &dominators;
	std::map<const SCEV *, std::vector<Value *>> of_object;

	bool is_there(Value *value, Instruction *access)
	{
		Instruction *made = dyn_cast<Instruction>(value);
		return !made || dominators.dominates(made, access);
	}

	bool is_of_round(Value *value, Instruction *access)
	{
		Instruction *made = dyn_cast<Instruction>(value);
		Loop *loop = made ? loops.getLoopFor(made->getParent()) : nullptr;
		return !loop || loop->contains(access->getParent());
	}

	bool is_other_plus(access_address &address, const SCEV *mine, Value *other)
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
	sharer s(function, analyses);

	for (BasicBlock &block : function)
		for (op &o : p.blocks[&block]) {
			if (o.from_shared)
				s.share(o.from, o.at);
			if (o.to_shared)
				s.share(o.to, o.at);
		}
}
