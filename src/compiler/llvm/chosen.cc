/*
 * `p = c ? &a : &b; … *p` reads a or b. Where both can be read without harm LLVM's combiner of instructions makes
 * of it a read of each and a choice between the two values (InstCombinerImpl::visitLoadInst; that the function
 * is sanitized does not keep it from that). To the machine that is the same. But a race with who writes the
 * one that was not asked for would be no race of the program's.
 *
 * The two reads are told by their place in the source: they have the same one. So they are made one again,
 * of the place chosen, right behind the pass that parted them.
 */
#include "compiler/llvm/chosen.h"

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

/* Could the read be made where the choice is? */
static bool reaches(const LoadInst &load, const SelectInst &choice)
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

/* The first that can be made one: another may be made possible by it. */
static bool make_any(BasicBlock &block)
{
	for (Instruction &i : block)
		if (SelectInst *choice = dyn_cast<SelectInst>(&i))
			if (make_one(*choice))
				return true;
	return false;
}

PreservedAnalyses chosen_reads::run(Function &function, FunctionAnalysisManager &)
{
	bool any = false;

	if (!function.hasFnAttribute(Attribute::SanitizeThread))
		return PreservedAnalyses::all();
	for (BasicBlock &block : function)
		while (make_any(block))
			any = true;
	if (!any)
		return PreservedAnalyses::all();
	PreservedAnalyses kept;
	kept.preserveSet<CFGAnalyses>();
	return kept;
}
