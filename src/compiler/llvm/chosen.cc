/*
 * `p = c ? &a : &b; … *p` reads a or b. Where both can be read without harm LLVM makes of it a read of each and a
 * choice between the two values (InstCombinerImpl::visitLoadInst, and SROA where one of them is a local variable;
 * that the function is sanitized does not keep them from that). To the machine that is the same. But a race
 * with who writes the one that was not asked for would be no race of the program's.
 *
 * Right behind such a pass it is undone:
 *
 *  - Two reads that a choice is made between are told by their place in the source: they have the same one. They
 *    are made one again, of the place chosen.
 *  - Of one of them something else may be known (it is a constant, or a local variable, or was just read), or it may
 *    have been computed with. The read that is left is told by the name that LLVM gives it (for that names
 *    are kept: see src/cli/cc_clang.c), and is made where it is chosen only.
 *  - Likewise a read that was made before a branch to where its value is one of several.
 */
#include "compiler/llvm/chosen.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

static const unsigned near = 64; /* instructions to look at between a read and the choice */

static LoadInst *read_for(Value *value, const SelectInst &choice)
{
	LoadInst *load = dyn_cast<LoadInst>(value);

	return load && load->isSimple() && load->hasOneUse() &&
			       load->getParent() == choice.getParent()
		       ? load
		       : nullptr;
}

/* Could the read be made where the choice is? Both are in one block. */
static bool reaches(const LoadInst &load, const Instruction &choice)
{
	unsigned steps = 0;

	for (const Instruction *i = load.getNextNode(); i != &choice; i = i->getNextNode())
		if (!i || i->mayWriteToMemory() || ++steps > near)
			return false;
	return true;
}

static bool are_one(const LoadInst &a, const LoadInst &b)
{
	return a.getDebugLoc() && a.getDebugLoc() == b.getDebugLoc() &&
	       a.getPointerOperand()->getType() == b.getPointerOperand()->getType() &&
	       a.getPointerOperand() != b.getPointerOperand();
}

/* Two reads and a choice: one read of the place chosen. */
static bool make_one(SelectInst &choice)
{
	LoadInst *yes = read_for(choice.getTrueValue(), choice);
	LoadInst *no = read_for(choice.getFalseValue(), choice);

	if (!yes || !no || choice.getCondition()->getType()->isVectorTy() || !are_one(*yes, *no) ||
	    !reaches(*yes, choice) || !reaches(*no, choice))
		return false;
	IRBuilder<> builder(&choice);
	builder.SetCurrentDebugLocation(yes->getDebugLoc());
	Value *place = builder.CreateSelect(choice.getCondition(), yes->getPointerOperand(),
					    no->getPointerOperand());
	LoadInst *load = builder.CreateAlignedLoad(choice.getType(), place,
						   std::min(yes->getAlign(), no->getAlign()));
	if (yes->getMetadata(LLVMContext::MD_tbaa) == no->getMetadata(LLVMContext::MD_tbaa))
		load->setMetadata(LLVMContext::MD_tbaa, yes->getMetadata(LLVMContext::MD_tbaa));
	load->takeName(&choice);
	choice.replaceAllUsesWith(load);
	choice.eraseFromParent();
	yes->eraseFromParent();
	no->eraseFromParent();
	return true;
}

/* Is it one of LLVM's making? */
static bool is_added(const LoadInst &load)
{
	StringRef name = load.getName();

	return load.isSimple() && (name.contains(".val") || name.contains(".sroa.speculate"));
}

/*
 * What is computed of an added read and of nothing else that would have to be moved with it, for one use: from
 * the last to the read. Empty: it is no such thing.
 */
static SmallVector<Instruction *, 4> computed_of_added(Value *value, const Instruction &before)
{
	SmallVector<Instruction *, 4> all;

	for (Instruction *i = dyn_cast<Instruction>(value); i && all.size() < 4;) {
		if (!i->hasOneUse() || i->getParent() != before.getParent())
			break;
		all.push_back(i);
		if (LoadInst *load = dyn_cast<LoadInst>(i)) {
			if (is_added(*load) && reaches(*load, before))
				return all;
			break;
		}
		if (!isa<CastInst>(i) && !isa<BinaryOperator>(i) && !isa<CmpInst>(i))
			break;
		Instruction *next = nullptr;
		for (Value *operand : i->operands())
			if (Instruction *made = dyn_cast<Instruction>(operand))
				if (made->getParent() == i->getParent() && made->hasOneUse())
					next = made;
		i = next;
	}
	return {};
}

static void move_before(const SmallVector<Instruction *, 4> &all, Instruction *end)
{
	for (size_t i = all.size(); i-- > 0;)
		all[i]->moveBefore(end);
}

/* A read that is one of the two things chosen between: made if it is chosen. */
static bool make_conditional(SelectInst &choice)
{
	Value *condition = choice.getCondition();
	bool if_true = true;

	if (condition->getType()->isVectorTy())
		return false;
	SmallVector<Instruction *, 4> all = computed_of_added(choice.getTrueValue(), choice);
	if (all.empty()) {
		if_true = false;
		all = computed_of_added(choice.getFalseValue(), choice);
	}
	if (all.empty())
		return false;
	IRBuilder<> builder(&choice);
	if (!isGuaranteedNotToBeUndefOrPoison(condition))
		condition = builder.CreateFreeze(condition);
	if (!if_true)
		condition = builder.CreateNot(condition);
	Value *otherwise = if_true ? choice.getFalseValue() : choice.getTrueValue();
	BasicBlock *before = choice.getParent();
	Instruction *end = SplitBlockAndInsertIfThen(condition, &choice, false);
	move_before(all, end);
	builder.SetInsertPoint(&choice);
	PHINode *phi = builder.CreatePHI(choice.getType(), 2);
	phi->addIncoming(all.front(), end->getParent());
	phi->addIncoming(otherwise, before);
	phi->takeName(&choice);
	choice.replaceAllUsesWith(phi);
	choice.eraseFromParent();
	return true;
}

/* A read whose value is used only behind one of the ways out of its block: made on that way. */
static bool make_on_edge(PHINode &phi, unsigned i)
{
	Instruction *branch = phi.getIncomingBlock(i)->getTerminator();
	SmallVector<Instruction *, 4> all = computed_of_added(phi.getIncomingValue(i), *branch);

	if (all.empty() || (!isa<BranchInst>(branch) && !isa<SwitchInst>(branch)) ||
	    branch->getNumSuccessors() < 2)
		return false;
	BasicBlock *middle =
		SplitCriticalEdge(branch, GetSuccessorNumber(branch->getParent(), phi.getParent()));
	if (!middle)
		return false;
	move_before(all, middle->getTerminator());
	return true;
}

/* The first that can be mended: another may be made possible by it. */
static bool mend_any(BasicBlock &block, bool &ways)
{
	for (PHINode &phi : block.phis())
		for (unsigned i = 0; i < phi.getNumIncomingValues(); i++)
			if (make_on_edge(phi, i))
				return ways = true;
	for (Instruction &i : block)
		if (SelectInst *choice = dyn_cast<SelectInst>(&i)) {
			if (make_one(*choice))
				return true;
			if (make_conditional(*choice))
				return ways = true;
		}
	return false;
}

PreservedAnalyses chosen_reads::run(Function &function, FunctionAnalysisManager &)
{
	bool any = false, ways = false;

	if (!function.hasFnAttribute(Attribute::SanitizeThread))
		return PreservedAnalyses::all();
	/* Blocks that are made on the way come behind their first half, and are looked at as well. */
	for (BasicBlock &block : function)
		while (mend_any(block, ways))
			any = true;
	if (!any)
		return PreservedAnalyses::all();
	PreservedAnalyses kept;
	if (!ways)
		kept.preserveSet<CFGAnalyses>();
	return kept;
}
