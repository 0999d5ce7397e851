/*
 * The address of a[i] takes six bytes in a record. But if the reader knows a and i already (if i
 * was read from memory, for example, as in block[ptr[j]]), it can compute the address. If it knows
 * only a, then i takes four bytes or fewer, and can be used for b[i] and a[i + 1], too. In
 * compressors and hash tables, whose addresses no loop makes predictable, that saves a third of all
 * bytes.
 *
 * slots.cc computes what is known at each place, and so decides how an address is recorded.
 */
#include "compiler/llvm/indexed.h"
#include "event/wire.h"

#include "llvm/Support/KnownBits.h"

using namespace llvm;

/*
 * Returns the size in bytes of a number of this type, if a slot can be truncated to that size;
 * otherwise 0.
 */
static unsigned slot_width(const Type *type)
{
	unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;

	return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

/*
 * Finds the number from which an index is made, and how it is extended. (An index that is narrower
 * than a pointer is extended as a signed number.)
 */
static bool find_index(Value *operand, access_index &index)
{
	index.is_signed = true;
	if (isa<ZExtInst>(operand) || isa<SExtInst>(operand)) {
		Value *narrow = cast<Instruction>(operand)->getOperand(0);
		if (slot_width(narrow->getType())) {
			index.is_signed = isa<SExtInst>(operand);
			operand = narrow;
		}
	}
	index.number = operand;
	index.width = slot_width(operand->getType());
	return index.width && !isa<Constant>(operand);
}

/* Returns how many bytes the number takes in a record, or 0 if recording it is not worthwhile. */
static unsigned bytes_to_record(const DataLayout &layout, Value *number)
{
	KnownBits bits = computeKnownBits(number, layout);
	unsigned active = bits.countMaxActiveBits();

	return active <= 8 ? 1 : active <= 16 ? 2 : active <= 32 ? 4 : 0;
}

/* Returns i for a number of the form i + constant, as in a[i + 1]; otherwise the number itself. */
static Value *without_constant(Value *number)
{
	BinaryOperator *sum = dyn_cast<BinaryOperator>(number);
	bool is_sum = sum && sum->getOpcode() == Instruction::Add &&
		      isa<ConstantInt>(sum->getOperand(1)) && !isa<Constant>(sum->getOperand(0));

	return is_sum ? sum->getOperand(0) : number;
}

static void split_element(const DataLayout &layout, access_address &address)
{
	access_index index;
	GEPOperator *element = address.is_static ? nullptr : dyn_cast<GEPOperator>(address.base);
	APInt offset(64, 0);
	MapVector<Value *, APInt> variable;

	if (!element || !element->getType()->isPointerTy() ||
	    layout.getIndexTypeSizeInBits(element->getType()) != 64 ||
	    !element->collectOffset(layout, 64, variable, offset) || variable.size() != 1)
		return;
	const APInt &scale = variable.begin()->second;
	if (!find_index(variable.begin()->first, index) || scale.ult(1) ||
	    scale.ugt(WIRE_INDEX_SCALE_MAX))
		return;
	index.array = access_split(layout, element->getPointerOperand());
	index.offset = index.array.offset + offset.getSExtValue();
	if (index.offset != (int32_t)index.offset)
		return;
	index.scale = (unsigned)scale.getZExtValue();
	index.recorded = without_constant(index.number);
	index.bytes = bytes_to_record(layout, index.recorded);
	address.index = std::make_shared<access_index>(index);
}

void indexed_split(const DataLayout &layout, plan &p)
{
	for (auto &entry : p.blocks)
		for (op &o : entry.second) {
			if (o.from_shared)
				split_element(layout, o.from);
			if (o.to_shared)
				split_element(layout, o.to);
		}
}
