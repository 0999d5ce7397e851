/*
 * `p = c ? &own : &b; … *p` reads either a local variable or b. To keep the local variable in a
 * register, LLVM would read both and then choose between the values, because reading b does no harm
 * on the machine. A race between that read and a write of b would not be a race of the program.
 * hold.cc prevents the transformation. This pass allows the register nevertheless: it creates a
 * separate read on the path of each choice.
 *
 *  - If the choice is a select, the two paths are created.
 *  - If the choice is a phi, the paths exist, and the reads are made in the predecessors. That is
 *    done only if no instruction between the phi and the read matters.
 */
#include "compiler/llvm/chosen.h"
#include "compiler/llvm/hold.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

/* maximum number of instructions between a phi and a read, and of addresses in a choice */
static const unsigned distance_max = 64;
static const unsigned depth_max = 4; /* how deep choices may be nested */

namespace
{

struct read_candidate {
	LoadInst *load;
	unsigned depth;
};

} // namespace

static bool may_be_local(const Value *address)
{
	SmallPtrSet<const Value *, 8> seen;
	SmallVector<const Value *, 8> left = { address };

	while (!left.empty() && seen.size() < distance_max) {
		const Value *whole = hold_object_of(left.pop_back_val());
		if (isa<AllocaInst>(whole))
			return true;
		if (!seen.insert(whole).second)
			continue;
		if (const auto *choice = dyn_cast<SelectInst>(whole))
			left.append({ choice->getTrueValue(), choice->getFalseValue() });
		else if (const auto *phi = dyn_cast<PHINode>(whole))
			left.append(phi->op_begin(), phi->op_end());
	}
	return false;
}

/*
 * Returns a copy of the read, inserted before `end`. In the copy, `from` replaces `choice`, the
 * object that contains the address.
 */
static LoadInst *copy_read_before(LoadInst &load, const Value *choice, Value *from,
				  Instruction *end)
{
	SmallVector<Instruction *, 4> chain = { &load };

	while (chain.back()->getOperand(0) != choice)
		chain.push_back(cast<Instruction>(chain.back()->getOperand(0)));
	for (size_t i = chain.size(); i-- > 0;) {
		Instruction *copy = chain[i]->clone();
		copy->setOperand(0, from);
		copy->insertBefore(end);
		from = copy;
	}
	return cast<LoadInst>(from);
}

/*
 * Replaces the read by the phi `values`, and removes unused parts of its address computation. Loads
 * in that computation are not removed, because they are in the work list.
 */
static void replace_read(LoadInst &load, PHINode *values)
{
	Instruction *address = cast<Instruction>(load.getPointerOperand());

	values->setDebugLoc(load.getDebugLoc());
	load.replaceAllUsesWith(values);
	load.eraseFromParent();
	while (address && address->use_empty()) {
		bool is_part = isa<GetElementPtrInst>(address) || isa<BitCastInst>(address);
		Instruction *whole =
			is_part ? dyn_cast<Instruction>(address->getOperand(0)) : nullptr;
		address->eraseFromParent();
		address = whole;
	}
}

static PHINode *read_on_two_paths(LoadInst &load, SelectInst &choice)
{
	Instruction *yes, *no;

	SplitBlockAndInsertIfThenElse(choice.getCondition(), &load, &yes, &no);
	PHINode *values = PHINode::Create(load.getType(), 2, "", &load.getParent()->front());
	values->addIncoming(copy_read_before(load, &choice, choice.getTrueValue(), yes),
			    yes->getParent());
	values->addIncoming(copy_read_before(load, &choice, choice.getFalseValue(), no),
			    no->getParent());
	return values;
}

/* Could the read be made at the start of its block? */
static bool could_be_at_start(const LoadInst &load, const PHINode &phi)
{
	unsigned steps = 0;

	if (load.getParent() != phi.getParent())
		return false;
	for (const Value *part = load.getPointerOperand(); part != &phi;) {
		const GEPOperator *element = dyn_cast<GEPOperator>(part);
		if (element && !element->hasAllConstantIndices())
			return false;
		part = cast<Operator>(part)->getOperand(0);
	}
	for (const Instruction *i = phi.getNextNode(); i != &load; i = i->getNextNode())
		if (i->mayWriteToMemory() || !isGuaranteedToTransferExecutionToSuccessor(i) ||
		    ++steps > distance_max)
			return false;
	return true;
}

static bool has_branching_predecessors(const PHINode &phi)
{
	return llvm::all_of(phi.blocks(), [](const BasicBlock *from) {
		return isa<BranchInst>(from->getTerminator()) ||
		       isa<SwitchInst>(from->getTerminator());
	});
}

static PHINode *read_in_predecessors(LoadInst &load, PHINode &phi)
{
	BasicBlock *block = phi.getParent();
	SmallVector<BasicBlock *, 4> from(predecessors(block));
	CriticalEdgeSplittingOptions options;

	/* Merges equal edges of a switch into one. */
	options.setMergeIdenticalEdges();
	for (BasicBlock *before : from)
		if (is_contained(predecessors(block), before) &&
		    before->getTerminator()->getNumSuccessors() > 1)
			SplitCriticalEdge(before, block, options);
	PHINode *values = PHINode::Create(load.getType(), 2, "", &block->front());
	for (BasicBlock *before : predecessors(block))
		values->addIncoming(copy_read_before(load, &phi,
						     phi.getIncomingValueForBlock(before),
						     before->getTerminator()),
				    before);
	return values;
}

/* Splits the read. Returns the phi of the values, or NULL if the read cannot be split. */
static PHINode *split_read(LoadInst &load)
{
	Value *choice = const_cast<Value *>(hold_object_of(load.getPointerOperand()));

	if (!load.isSimple() || !may_be_local(choice))
		return nullptr;
	if (SelectInst *two = dyn_cast<SelectInst>(choice))
		return two->getCondition()->getType()->isVectorTy() ? nullptr
								    : read_on_two_paths(load, *two);
	PHINode *phi = dyn_cast<PHINode>(choice);
	if (!phi || !has_branching_predecessors(*phi) || !could_be_at_start(load, *phi))
		return nullptr;
	return read_in_predecessors(load, *phi);
}

PreservedAnalyses chosen_reads::run(Function &function, FunctionAnalysisManager &)
{
	SmallVector<read_candidate, 16> left;
	bool any = false;

	if (!function.hasFnAttribute(Attribute::SanitizeThread))
		return PreservedAnalyses::all();
	for (Instruction &i : instructions(function))
		if (LoadInst *load = dyn_cast<LoadInst>(&i))
			left.push_back({ load, 0 });
	while (!left.empty()) {
		read_candidate r = left.pop_back_val();
		PHINode *values = r.depth < depth_max ? split_read(*r.load) : nullptr;
		if (!values)
			continue;
		any = true;
		for (Value *value : values->incoming_values())
			left.push_back({ cast<LoadInst>(value), r.depth + 1 });
		replace_read(*r.load, values);
	}
	return any ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
