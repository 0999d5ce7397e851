/*
 * Splits addresses into a base and a constant offset, and decides which memory other threads can
 * see: an object is private if no use of its address, direct or derived, lets the address escape.
 * Accesses to private objects are not recorded.
 */
#include "compiler/llvm/access.h"
#include "compiler/llvm/calls.h"

#include <set>

using namespace llvm;

uint64_t access_size(const DataLayout &layout, Type *type)
{
	return layout.getTypeStoreSize(type).getFixedValue();
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* Does code in this unit refer to the variable as symbol(%rip)? Then the table can do so, too. */
static bool has_static_address(const Value *base)
{
	const GlobalVariable *variable = dyn_cast<GlobalVariable>(base);
	return variable && !variable->isThreadLocal() && !variable->isDeclarationForLinker() &&
	       !variable->isInterposable() && !variable->hasLinkOnceLinkage() &&
	       !variable->hasCommonLinkage() && !variable->hasComdat() && variable->isDSOLocal();
}

access_address access_split(const DataLayout &layout, Value *pointer)
{
	access_address address;
	APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);

	address.pointer = pointer;
	address.base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
	address.offset = offset.getSExtValue();
	if (address.offset != (int32_t)address.offset) {
		address.base = pointer;
		address.offset = 0;
	}
	address.is_static = has_static_address(address.base);
	return address;
}

/* ---- which objects other threads can see ----------------------------------------------------- */

/*
 * The effect of a use of a pointer on its object: none; there is another pointer to the object; the
 * object's address escapes.
 */
enum use { USE_HARMLESS, USE_DERIVES, USE_ESCAPES };

/*
 * A memory operand ("m") of an asm does not let the address escape. Neither do the operands of
 * points.
 */
static use asm_use(const CallBase &call, const Use &use)
{
	unsigned argument = 0;

	for (const InlineAsm::ConstraintInfo &operand :
	     cast<InlineAsm>(call.getCalledOperand())->ParseConstraints()) {
		if (operand.Type != InlineAsm::isInput && !operand.isIndirect)
			continue;
		bool stays = operand.isIndirect || call.doesNotCapture(argument);
		if (call.getArgOperand(argument++) == use.get() && !stays)
			return USE_ESCAPES;
	}
	return USE_HARMLESS;
}

/*
 * If a pointer is passed to a function, the address counts as escaped, even if the callee is known
 * not to keep it: the callee records its accesses through the pointer, so this function must record
 * its own. That is not necessary for calls in which the runtime accesses the object on behalf of
 * this function.
 */
static use call_use(const CallBase &call, const Use &use)
{
	if (call.isInlineAsm())
		return asm_use(call, use);
	if (const IntrinsicInst *intrinsic = dyn_cast<IntrinsicInst>(&call)) {
		if (isa<DbgInfoIntrinsic>(intrinsic) || isa<MemIntrinsic>(intrinsic) ||
		    intrinsic->isLifetimeStartOrEnd())
			return USE_HARMLESS;
		switch (intrinsic->getIntrinsicID()) {
		case Intrinsic::vastart:
		case Intrinsic::vaend:
		case Intrinsic::vacopy:
		case Intrinsic::assume:
		case Intrinsic::prefetch: return USE_HARMLESS;
		case Intrinsic::launder_invariant_group:
		case Intrinsic::strip_invariant_group:
#if LLVM_VERSION_MAJOR >= 15
		case Intrinsic::threadlocal_address:
#endif
		case Intrinsic::ptr_annotation: return USE_DERIVES;
		default: return USE_ESCAPES;
		}
	}
	if (!call.isArgOperand(&use))
		return USE_ESCAPES;
	unsigned argument = call.getArgOperandNo(&use);
	if (call.isByValArgument(argument) || call.paramHasAttr(argument, Attribute::StructRet))
		return USE_HARMLESS;
	return calls_runtime_only(call) ? USE_DERIVES : USE_ESCAPES;
}

static use how_used(const Use &use)
{
	const User *user = use.getUser();

	if (isa<LoadInst>(user) || isa<ICmpInst>(user))
		return USE_HARMLESS;
	if (const StoreInst *store = dyn_cast<StoreInst>(user))
		return use.getOperandNo() == store->getPointerOperandIndex() ? USE_HARMLESS
									     : USE_ESCAPES;
	if (isa<AtomicRMWInst>(user) || isa<AtomicCmpXchgInst>(user))
		return use.getOperandNo() == 0 ? USE_HARMLESS : USE_ESCAPES;
	if (isa<GEPOperator>(user) || isa<BitCastOperator>(user) || isa<PHINode>(user) ||
	    isa<SelectInst>(user))
		return USE_DERIVES;
	if (const CallBase *call = dyn_cast<CallBase>(user))
		return call_use(*call, use);
	return USE_ESCAPES;
}

bool access_sharing::escapes(const Value *object)
{
	std::vector<const Value *> work = { object };
	std::set<const Value *> seen = { object };

	while (!work.empty()) {
		const Value *value = work.back();
		work.pop_back();
		for (const Use &use : value->uses())
			switch (how_used(use)) {
			case USE_HARMLESS: break;
			case USE_ESCAPES: return true;
			case USE_DERIVES:
				if (seen.insert(use.getUser()).second)
					work.push_back(use.getUser());
				break;
			}
	}
	return false;
}

bool access_sharing::is_private_object(const Value *object)
{
	if (const GlobalVariable *variable = dyn_cast<GlobalVariable>(object)) {
		if (variable->isConstant())
			return true;
		if (!variable->isThreadLocal() || !variable->hasLocalLinkage())
			return false;
	} else if (const Argument *argument = dyn_cast<Argument>(object)) {
		if (!argument->hasByValAttr())
			return false;
	} else if (isa<UndefValue>(object)) {
		return true;
	} else if (!isa<AllocaInst>(object)) {
		return false;
	}
	auto found = answers.find(object);
	if (found == answers.end())
		found = answers.emplace(object, !escapes(object)).first;
	return found->second;
}

/*
 * If `object` is a call of the intrinsic that computes the address of a thread-local variable,
 * returns the variable; otherwise returns `object`.
 */
static const Value *thread_local_behind(const Value *object)
{
#if LLVM_VERSION_MAJOR >= 15
	if (const IntrinsicInst *call = dyn_cast<IntrinsicInst>(object))
		if (call->getIntrinsicID() == Intrinsic::threadlocal_address)
			return call->getArgOperand(0);
#endif
	return object;
}

bool access_sharing::is_shared(const Value *pointer)
{
	SmallVector<const Value *, 4> objects;

	/* Other address spaces are relative to segment registers; they count as private. */
	if (pointer->getType()->getPointerAddressSpace() != 0)
		return false;
	getUnderlyingObjects(pointer, objects);
	for (const Value *object : objects)
		if (!is_private_object(thread_local_behind(object)))
			return true;
	return false;
}
