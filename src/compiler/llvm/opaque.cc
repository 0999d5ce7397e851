/*
 * Adds calls of __sooth_opaque() around code in the program that is not recorded, as
 * src/compiler/gcc/opaque.cc does for gcc: inline assembly that may order threads
 * (common/asm_order.h), and calls of functions of this unit that are compiled without recording.
 */
#include "compiler/llvm/opaque.h"

#include "compiler/common/asm_order.h"
#include "compiler/common/builtin_order.h"
#include "compiler/common/client_request.h"

#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

static const char announcement[] = "__sooth_opaque";

bool opaque_is_announcement(const CallBase &call)
{
	const Function *function = call.getCalledFunction();

	return function && function->getName() == announcement;
}

static void announce(CallBase *code, Instruction *before)
{
	IRBuilder<> builder(before);
	FunctionType *type = FunctionType::get(builder.getVoidTy(), false);
	CallInst *call =
		builder.CreateCall(code->getModule()->getOrInsertFunction(announcement, type));

	call->setDebugLoc(code->getDebugLoc());
	call->addFnAttr(Attribute::NoUnwind);
}

/* ---- inline assembly ------------------------------------------------------------------------- */

static bool has_shared_operand(const CallBase &call, access_sharing &sharing)
{
	unsigned argument = 0;

	for (const InlineAsm::ConstraintInfo &operand :
	     cast<InlineAsm>(call.getCalledOperand())->ParseConstraints()) {
		if (operand.Type == InlineAsm::isClobber ||
		    (operand.Type == InlineAsm::isOutput && !operand.isIndirect))
			continue;
		if (argument == call.arg_size())
			break;
		const Value *value = call.getArgOperand(argument++);
		if (operand.isIndirect && sharing.is_shared(value))
			return true;
	}
	return false;
}

/* The optimiser must not move the statement to after accesses that it orders. */
static void make_volatile(CallBase *call)
{
	const InlineAsm *code = cast<InlineAsm>(call->getCalledOperand());

	call->setCalledOperand(InlineAsm::get(
		code->getFunctionType(), code->getAsmString(), code->getConstraintString(), true,
		code->isAlignStack(), code->getDialect(), code->canThrow()));
}

static void announce_asm(CallBase *call, access_sharing &sharing)
{
	const InlineAsm *code = cast<InlineAsm>(call->getCalledOperand());
	std::string text(code->getAsmString());
	bool clobbers = StringRef(code->getConstraintString()).contains("~{memory}");

	if (client_request_is_in(text) ||
	    !asm_order_is_possible(
		    { asm_order_text_of_llvm(text), clobbers, has_shared_operand(*call, sharing) }))
		return;
	announce(call, call);
	make_volatile(call);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Helpers that the front end generates have no attributes of the source. */
static bool is_opaque(const Function &function)
{
	for (const char *prefix : { "_ZTW", "_ZTh", "_ZTv", "_ZTc", "__clang_", "__sooth_" })
		if (llvm_starts_with(function.getName(), prefix))
			return false;
	return !function.isDeclarationForLinker() && !function.isIntrinsic() &&
	       (!function.hasFnAttribute(Attribute::SanitizeThread) ||
		function.hasFnAttribute(Attribute::Naked));
}

/* Returns the instruction that is executed after a call has returned, or NULL. */
static Instruction *after(CallBase *call)
{
	if (InvokeInst *invoke = dyn_cast<InvokeInst>(call)) {
		BasicBlock *next = invoke->getNormalDest();
		if (!next->getSinglePredecessor())
			next = SplitEdge(invoke->getParent(), next);
		return &*next->getFirstInsertionPt();
	}
	CallInst *plain = dyn_cast<CallInst>(call);
	return plain && !plain->isMustTailCall() && !plain->doesNotReturn() ? plain->getNextNode()
									    : nullptr;
}

static void announce_call(CallBase *call)
{
	const Function *function =
		dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts());

	if (!function || !is_opaque(*function))
		return;
	announce(call, call);
	if (Instruction *next = after(call))
		announce(call, next);
	if (CallInst *plain = dyn_cast<CallInst>(call); plain && !plain->isMustTailCall())
		plain->setTailCallKind(CallInst::TCK_NoTail);
}

/* ---- builtins of the processor --------------------------------------------------------------- */

static void announce_builtin(IntrinsicInst *call, access_sharing &sharing)
{
	StringRef name = call->getCalledFunction()->getName();
	bool shared = false;

	if ((!llvm_starts_with(name, "llvm.x86.") && !llvm_starts_with(name, "llvm.masked.")) ||
	    !call->mayReadOrWriteMemory())
		return;
	for (const Use &argument : call->args())
		if (argument->getType()->isPtrOrPtrVectorTy())
			shared |= argument->getType()->isVectorTy() || sharing.is_shared(argument);
	if (builtin_order_is_possible(name.str(), shared))
		announce(call, call);
}

/* ---- all of them ----------------------------------------------------------------------------- */

void opaque_announce(CallBase *call, access_sharing &sharing)
{
	if (call->isInlineAsm())
		announce_asm(call, sharing);
	else if (IntrinsicInst *builtin = dyn_cast<IntrinsicInst>(call))
		announce_builtin(builtin, sharing);
	else
		announce_call(call);
}
