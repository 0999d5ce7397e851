/*
 * Splits masked loads and stores of vectors into accesses of their parts (the single numbers), each
 * of which happens only if the mask selects it. Otherwise InstCombine would turn a masked load into
 * a load of the whole vector where the machine can do that, and that would be recorded as a read of
 * all parts: a race with a write of a part that the program does not read. This pass comes first.
 *
 * Gathers and scatters stay as they are, and are announced as code that is not recorded
 * (opaque.cc).
 */
#include "compiler/llvm/masked.h"

#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace
{

/* A masked load or store. */
struct masked_access {
	IntrinsicInst *call = nullptr;
	Value *pointer = nullptr, *mask = nullptr;
	Value *stored = nullptr; /* the value; NULL: a load */
	Value *others = nullptr; /* of a load: the parts that are not read; NULL: zeros */
	bool by_sign = false;	 /* the mask is the parts' sign bits */
	MaybeAlign align;
};

bool find_access(IntrinsicInst *call, masked_access &a)
{
	a.call = call;
	switch (call->getIntrinsicID()) {
	case Intrinsic::masked_load:
		a.pointer = call->getArgOperand(0);
		a.align = MaybeAlign(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
		a.mask = call->getArgOperand(2);
		a.others = call->getArgOperand(3);
		return isa<FixedVectorType>(call->getType());
	case Intrinsic::masked_store:
		a.stored = call->getArgOperand(0);
		a.pointer = call->getArgOperand(1);
		a.align = MaybeAlign(cast<ConstantInt>(call->getArgOperand(2))->getZExtValue());
		a.mask = call->getArgOperand(3);
		return isa<FixedVectorType>(a.stored->getType());
	case Intrinsic::x86_avx_maskload_ps:
	case Intrinsic::x86_avx_maskload_pd:
	case Intrinsic::x86_avx_maskload_ps_256:
	case Intrinsic::x86_avx_maskload_pd_256:
	case Intrinsic::x86_avx2_maskload_d:
	case Intrinsic::x86_avx2_maskload_q:
	case Intrinsic::x86_avx2_maskload_d_256:
	case Intrinsic::x86_avx2_maskload_q_256: break;
	case Intrinsic::x86_avx_maskstore_ps:
	case Intrinsic::x86_avx_maskstore_pd:
	case Intrinsic::x86_avx_maskstore_ps_256:
	case Intrinsic::x86_avx_maskstore_pd_256:
	case Intrinsic::x86_avx2_maskstore_d:
	case Intrinsic::x86_avx2_maskstore_q:
	case Intrinsic::x86_avx2_maskstore_d_256:
	case Intrinsic::x86_avx2_maskstore_q_256: a.stored = call->getArgOperand(2); break;
	default: return false;
	}
	a.by_sign = true;
	a.pointer = call->getArgOperand(0);
	a.mask = call->getArgOperand(1);
	return true;
}

class splitter
{
      public:
	explicit splitter(const masked_access &a)
	    : a(a), type(cast<FixedVectorType>(a.stored ? a.stored->getType() : a.call->getType())),
	      result(a.others ? a.others : Constant::getNullValue(type))
	{
		IRBuilder<> builder(a.call);
		parts = builder.CreatePointerCast(a.pointer,
						  type->getElementType()->getPointerTo());
		flags = a.mask;
		if (a.by_sign)
			flags = builder.CreateICmpSLT(a.mask,
						      Constant::getNullValue(a.mask->getType()));
	}

	void split()
	{
		for (unsigned part = 0; part < type->getNumElements(); part++)
			split_part(part);
		if (!a.stored)
			a.call->replaceAllUsesWith(result);
		a.call->eraseFromParent();
	}

      private:
	const masked_access &a;
	FixedVectorType *type;
	Value *result, *parts, *flags;

	/* Returns the vector in which a load has set the part. */
	Value *access(unsigned part, Instruction *before)
	{
		IRBuilder<> builder(before);
		Type *scalar = type->getElementType();
		uint64_t bytes = scalar->getPrimitiveSizeInBits() / 8;
		Value *at = builder.CreateConstGEP1_32(scalar, parts, part);
		Align align = a.align ? commonAlignment(*a.align, part * bytes) : Align(1);

		builder.SetCurrentDebugLocation(a.call->getDebugLoc());
		if (a.stored) {
			Value *value = builder.CreateExtractElement(a.stored, part);
			builder.CreateAlignedStore(value, at, align);
			return nullptr;
		}
		Value *value = builder.CreateAlignedLoad(scalar, at, align);
		return builder.CreateInsertElement(result, value, part);
	}

	void split_part(unsigned part)
	{
		IRBuilder<> builder(a.call);
		Value *flag = builder.CreateExtractElement(flags, part);

		if (ConstantInt *known = dyn_cast<ConstantInt>(flag)) {
			if (known->isOne())
				if (Value *value = access(part, a.call))
					result = value;
			return;
		}
		BasicBlock *before = a.call->getParent();
		Instruction *then = SplitBlockAndInsertIfThen(flag, a.call, false);
		Value *value = access(part, then);
		if (!value)
			return;
		PHINode *joined = PHINode::Create(type, 2, "", &*a.call->getParent()->begin());
		joined->addIncoming(value, then->getParent());
		joined->addIncoming(result, before);
		result = joined;
	}
};

} // namespace

PreservedAnalyses masked_split::run(Function &function, FunctionAnalysisManager &)
{
	std::vector<masked_access> found;

	if (!function.hasFnAttribute(Attribute::SanitizeThread))
		return PreservedAnalyses::all();
	for (Instruction &i : instructions(function)) {
		masked_access a;
		if (IntrinsicInst *call = dyn_cast<IntrinsicInst>(&i))
			if (find_access(call, a))
				found.push_back(a);
	}
	for (const masked_access &a : found)
		splitter(a).split();
	return found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
