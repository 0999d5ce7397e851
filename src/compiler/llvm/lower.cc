/*
 * Splits instructions so that each access to shared memory is a load, a store or an inline copy:
 * structs that are single values, large copies and fills, structs passed by value. Also redirects
 * calls of known functions (event/calls.def) to the runtime.
 */
#include "compiler/llvm/lower.h"
#include "compiler/llvm/atomics.h"
#include "compiler/llvm/calls.h"
#include "compiler/llvm/opaque.h"
#include "compiler/llvm/points.h"
#include "compiler/llvm/requests.h"

#include "llvm/Transforms/Utils/EscapeEnumerator.h"

#include <string>
#include <vector>

using namespace llvm;

/* Structs and arrays larger than this are copied by the runtime. */
static const uint64_t inline_copy_max = 256;

/* ---- structs as single values ---------------------------------------------------------------- */

static unsigned part_count(Type *type)
{
	return isa<StructType>(type) ? type->getStructNumElements()
				     : (unsigned)type->getArrayNumElements();
}

static uint64_t part_offset(const DataLayout &layout, Type *type, Type *part, unsigned i)
{
	return isa<StructType>(type)
		       ? layout.getStructLayout(cast<StructType>(type))->getElementOffset(i)
		       : i * layout.getTypeAllocSize(part).getFixedValue();
}

static Value *part_address(IRBuilder<> &builder, Type *type, Value *address, uint64_t offset)
{
	Value *at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), address, offset);
	return builder.CreatePointerCast(at, type->getPointerTo());
}

/*
 * Loads a struct field by field, so that the padding between fields is not read. Front ends load
 * and store a struct as one value to pass it in registers.
 */
static Value *load_parts(IRBuilder<> &builder, LoadInst *whole, Type *type, Value *address,
			 uint64_t offset)
{
	const DataLayout &layout = whole->getModule()->getDataLayout();
	if (!type->isAggregateType())
		return builder.CreateAlignedLoad(type, part_address(builder, type, address, offset),
						 commonAlignment(whole->getAlign(), offset),
						 whole->isVolatile());
	Value *all = PoisonValue::get(type);
	for (unsigned i = 0; i < part_count(type); i++) {
		Type *part = GetElementPtrInst::getTypeAtIndex(type, (uint64_t)i);
		uint64_t at = offset + part_offset(layout, type, part, i);
		all = builder.CreateInsertValue(all, load_parts(builder, whole, part, address, at),
						i);
	}
	return all;
}

static void store_parts(IRBuilder<> &builder, StoreInst *whole, Value *value, Value *address,
			uint64_t offset)
{
	const DataLayout &layout = whole->getModule()->getDataLayout();
	Type *type = value->getType();
	if (!type->isAggregateType()) {
		builder.CreateAlignedStore(value, part_address(builder, type, address, offset),
					   commonAlignment(whole->getAlign(), offset),
					   whole->isVolatile());
		return;
	}
	for (unsigned i = 0; i < part_count(type); i++) {
		Value *part = builder.CreateExtractValue(value, i);
		store_parts(builder, whole, part, address,
			    offset + part_offset(layout, type, part->getType(), i));
	}
}

static void lower_aggregate(Instruction *i)
{
	IRBuilder<> builder(i);
	Type *byte = builder.getInt8Ty()->getPointerTo();

	if (LoadInst *load = dyn_cast<LoadInst>(i)) {
		Value *address = builder.CreatePointerCast(load->getPointerOperand(), byte);
		load->replaceAllUsesWith(load_parts(builder, load, load->getType(), address, 0));
	} else {
		StoreInst *store = cast<StoreInst>(i);
		Value *address = builder.CreatePointerCast(store->getPointerOperand(), byte);
		store_parts(builder, store, store->getValueOperand(), address, 0);
	}
	i->eraseFromParent();
}

static bool is_aggregate(const Instruction &i)
{
	if (const LoadInst *load = dyn_cast<LoadInst>(&i))
		return load->getType()->isAggregateType();
	if (const StoreInst *store = dyn_cast<StoreInst>(&i))
		return store->getValueOperand()->getType()->isAggregateType();
	return false;
}

/* ---- copies and fills ------------------------------------------------------------------------ */

bool lower_is_inline(const MemIntrinsic &stmt)
{
	const ConstantInt *length = dyn_cast<ConstantInt>(stmt.getLength());
	if (!length || length->getValue().ugt(0xffff))
		return false;
	if (isa<MemTransferInst>(stmt))
		return length->getZExtValue() <= inline_copy_max;
	const ConstantInt *byte = dyn_cast<ConstantInt>(cast<MemSetInst>(stmt).getValue());
	return byte && (byte->isZero() || length->getZExtValue() <= 8);
}

/* Replaces a large or variable-sized copy by a call of the runtime. */
static void lower_memory(MemIntrinsic *stmt)
{
	IRBuilder<> builder(stmt);
	Type *pointer = builder.getInt8Ty()->getPointerTo();
	bool fills = isa<MemSetInst>(stmt);
	Value *to = builder.CreatePointerCast(stmt->getRawDest(), pointer), *second;

	if (fills)
		second = builder.CreateZExt(cast<MemSetInst>(stmt)->getValue(),
					    builder.getInt32Ty());
	else
		second = builder.CreatePointerCast(cast<MemTransferInst>(stmt)->getRawSource(),
						   pointer);
	Value *length = builder.CreateZExtOrTrunc(stmt->getLength(), builder.getInt64Ty());
	FunctionType *type = FunctionType::get(
		pointer, { pointer, second->getType(), builder.getInt64Ty() }, false);
	const char *name = fills ? "__sooth_memset" : "__sooth_memmove";
	CallInst *call = builder.CreateCall(stmt->getModule()->getOrInsertFunction(name, type),
					    { to, second, length });
	call->addFnAttr(Attribute::NoUnwind);
	stmt->eraseFromParent();
}

static bool is_shared_memory(const MemIntrinsic &stmt, access_sharing &sharing)
{
	const MemTransferInst *copy = dyn_cast<MemTransferInst>(&stmt);
	return sharing.is_shared(stmt.getRawDest()) ||
	       (copy && sharing.is_shared(copy->getRawSource()));
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Structs passed by value are read before the call. */
static void lower_arguments(CallBase *call, access_sharing &sharing)
{
	const DataLayout &layout = call->getModule()->getDataLayout();

	for (unsigned i = 0; i < call->arg_size(); i++) {
		if (!call->isByValArgument(i) || !sharing.is_shared(call->getArgOperand(i)))
			continue;
		Type *type = call->getParamByValType(i);
		MaybeAlign wanted = call->getParamAlign(i);
		Align align = wanted ? *wanted : Align(8);
		IRBuilder<> start(&*call->getFunction()->getEntryBlock().begin());
		AllocaInst *copy = start.CreateAlloca(type, nullptr, "sooth");
		if (copy->getAlign() < align)
			copy->setAlignment(align);
		IRBuilder<> builder(call);
		builder.CreateMemCpy(copy, copy->getAlign(), call->getArgOperand(i), align,
				     layout.getTypeAllocSize(type).getFixedValue());
		call->setArgOperand(i, copy);
	}
}

/*
 * Replaces the program's memcpy(…), for example, by __sooth_memcpy(…), a function about which the
 * compiler knows nothing.
 */
static void redirect_to_runtime(CallBase *call, const known_call *known)
{
	Module *module = call->getModule();
	FunctionCallee target = module->getOrInsertFunction("__sooth_" + std::string(known->name),
							    call->getFunctionType());

	call->setCalledOperand(target.getCallee());
	if (CallInst *plain = dyn_cast<CallInst>(call))
		plain->setTailCallKind(CallInst::TCK_NoTail);
}

/*
 * Removes what the optimiser has found out about the memory effects of a called function. Those
 * facts were true of the program, but recorded code also writes records, and a call of it must not
 * be moved into the middle of another record.
 */
static void forget_effects(CallBase *call)
{
	llvm_forget_memory_effects(*call);
	if (Function *function = dyn_cast<Function>(call->getCalledOperand()->stripPointerCasts()))
		if (!function->isIntrinsic())
			llvm_forget_memory_effects(*function);
}

static void lower_call(CallBase *call, access_sharing &sharing)
{
	if (call->isInlineAsm() && !points_is_point(*call)) {
		requests_announce(call);
		opaque_announce(call, sharing);
	}
	if (isa<IntrinsicInst>(call))
		opaque_announce(call, sharing);
	if (isa<IntrinsicInst>(call) || call->isInlineAsm())
		return;
	lower_arguments(call, sharing);
	const known_call *known = calls_find(*call);
	if (known && known->how == CALL_REDIRECT)
		redirect_to_runtime(call, known);
	else
		opaque_announce(call, sharing);
	forget_effects(call);
}

/* ---- the whole function ---------------------------------------------------------------------- */

void lower_function(Function &function, access_sharing &sharing)
{
	std::vector<Instruction *> work;

	/* Adds a landing pad to the function: exceptions leave the function through it. */
	EscapeEnumerator escapes(function, "sooth_cleanup");
	while (escapes.Next())
		;
	for (Instruction &i : instructions(function))
		if (is_aggregate(i))
			work.push_back(&i);
	for (Instruction *i : work)
		lower_aggregate(i);
	atomics_lower(function);
	work.clear();
	for (Instruction &i : instructions(function))
		if (CallBase *call = dyn_cast<CallBase>(&i))
			work.push_back(call);
	for (Instruction *i : work)
		lower_call(cast<CallBase>(i), sharing);
	work.clear();
	for (Instruction &i : instructions(function))
		if (MemIntrinsic *stmt = dyn_cast<MemIntrinsic>(&i))
			if (!lower_is_inline(*stmt) && is_shared_memory(*stmt, sharing))
				work.push_back(stmt);
	for (Instruction *i : work)
		lower_memory(cast<MemIntrinsic>(i));
}
