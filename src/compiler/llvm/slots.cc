/* The parts of the slot analysis (common/slot_analysis.h) that depend on LLVM. */
#include "compiler/llvm/slots.h"

#include "llvm/ADT/PostOrderIterator.h"

using namespace llvm;

void slots::note_address(BasicBlock *at, const access_address &address)
{
	of(address.base);
	if (address.index) {
		of(address.index->recorded);
		if (!address.index->array.is_static)
			of(address.index->array.base);
	}
	notes[at].push_back({ address, nullptr, false });
}

void slots::note_recorded(BasicBlock *at, Value *value)
{
	of(value);
	notes[at].push_back({ access_address(), value, false });
}

void slots::note_stored(BasicBlock *at, Value *value)
{
	of(value);
	notes[at].push_back({ access_address(), value, true });
}

void slots::note_forgotten(BasicBlock *at)
{
	notes[at] = { { access_address(), nullptr, false } };
}

Value *slots::without_constant(Value *value, int64_t *plus) const
{
	if (value->getType()->isPointerTy() && layout) {
		APInt offset(layout->getIndexTypeSizeInBits(value->getType()), 0);
		Value *base = value->stripAndAccumulateConstantOffsets(*layout, offset, true);
		*plus = offset.getSExtValue();
		return base;
	}
	BinaryOperator *sum = dyn_cast<BinaryOperator>(value);
	if (!sum || sum->getOpcode() != Instruction::Add)
		return value;
	ConstantInt *constant = dyn_cast<ConstantInt>(sum->getOperand(1));
	if (!constant || constant->getBitWidth() > 64)
		return value;
	*plus = constant->getSExtValue();
	return sum->getOperand(0);
}

BasicBlock *slots::defining_block(Value *value) const
{
	Instruction *made = dyn_cast<Instruction>(value);
	return made ? made->getParent() : nullptr;
}

/*
 * If the reader knows the index but neither the array nor the address, the array is recorded: it
 * takes six bytes, just as the address would, and stays useful longer.
 */
slots::way slots::way_in(const bits &in, const access_address &address) const
{
	const access_index *index = address.index.get();
	unsigned slot;
	int64_t plus;

	if (is_in(in, address.base))
		return KNOWN;
	if (!index || !numbers.count(address.base))
		return TO_BE_RECORDED;
	bool array_known = index->array.is_static || is_in(in, index->array.base);
	if (find_in(in, index->number, &slot, &plus)) {
		if (array_known)
			return COMPUTED;
		return numbers.count(index->array.base) ? ARRAY_FIRST : TO_BE_RECORDED;
	}
	return array_known && index->bytes && numbers.count(index->recorded) ? INDEX_FIRST
									     : TO_BE_RECORDED;
}

slots::way slots::way_to(const access_address &address) const
{
	return way_in(known, address);
}

void slots::record_address_in(bits &in, const access_address &address) const
{
	switch (way_in(in, address)) {
	case ARRAY_FIRST: record_in(in, address.index->array.base); break;
	case INDEX_FIRST: record_in(in, address.index->recorded); break;
	default: break;
	}
	record_in(in, address.base);
}

void slots::apply_block(BasicBlock *at, bits &in) const
{
	auto found = notes.find(at);
	unsigned slot;
	int64_t plus;

	if (found == notes.end())
		return;
	for (const note &n : found->second)
		if (n.address.base)
			record_address_in(in, n.address);
		else if (!n.value)
			in.assign(in.size(), false);
		else if (!n.unless_found || !find_in(in, n.value, &slot, &plus))
			record_in(in, n.value);
}

void slots::solve(Function &function)
{
	std::vector<graph_block> graph;
	ReversePostOrderTraversal<Function *> order(&function);
	std::set<BasicBlock *> reached(order.begin(), order.end());

	layout = &function.getParent()->getDataLayout();
	for (BasicBlock *block : order)
		graph.push_back({ block, { pred_begin(block), pred_end(block) }, true });
	for (BasicBlock &block : function)
		if (!reached.count(&block))
			graph.push_back(
				{ &block, { pred_begin(&block), pred_end(&block) }, false });
	solve_on(graph);
}
