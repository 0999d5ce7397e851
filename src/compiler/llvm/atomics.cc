/*
 * Replaces atomic instructions and calls of libatomic by calls of __sooth_<operation><size>. Values
 * are converted to integers for the call, and back.
 */
#include "compiler/llvm/atomics.h"
#include "compiler/llvm/calls.h"

#include "llvm/CodeGen/AtomicExpandUtils.h"

#include <string>
#include <vector>

using namespace llvm;

/* numbered as in runtime/memory/atomic.c */
enum atomic_operation { ADD, SUB, AND, OR, XOR, NAND, OPERATIONS };
static const char *const operation_names[] = { "add", "sub", "and", "or", "xor", "nand" };

/* numbered as in <stdatomic.h> */
static int order_number(AtomicOrdering order)
{
	switch (order) {
	case AtomicOrdering::Acquire: return 2;
	case AtomicOrdering::Release: return 3;
	case AtomicOrdering::AcquireRelease: return 4;
	case AtomicOrdering::SequentiallyConsistent: return 5;
	default: return 0;
	}
}

class replacement
{
      public:
	explicit replacement(Instruction *old)
	    : old(old), builder(old), layout(old->getModule()->getDataLayout())
	{
	}

	uint64_t size_of(Type *type) const
	{
		return layout.getTypeStoreSize(type).getFixedValue();
	}
	IntegerType *integer(uint64_t size)
	{
		return builder.getIntNTy((unsigned)(8 * size));
	}
	Value *order(AtomicOrdering o)
	{
		return builder.getInt32((uint32_t)order_number(o));
	}
	Value *address(Value *pointer)
	{
		return builder.CreatePointerCast(pointer, builder.getInt8Ty()->getPointerTo());
	}
	/* Convert a value of any type to an integer, and back. */
	Value *to_integer(Value *v)
	{
		return builder.CreateBitOrPointerCast(v, integer(size_of(v->getType())));
	}
	Value *from_integer(Value *v, Type *type)
	{
		return builder.CreateBitOrPointerCast(v, type);
	}

	/* Adds a call __sooth_<operation_name><size>(arguments). */
	Value *call(const std::string &operation_name, uint64_t size, Type *result,
		    const std::vector<Value *> &arguments)
	{
		std::string name = "__sooth_" + operation_name + (size ? std::to_string(size) : "");
		std::vector<Type *> types;
		for (Value *a : arguments)
			types.push_back(a->getType());
		FunctionCallee callee = old->getModule()->getOrInsertFunction(
			name, FunctionType::get(result, types, false));
		CallInst *made = builder.CreateCall(callee, arguments);
		made->addFnAttr(Attribute::NoUnwind);
		/* In C, narrow parameters and results are passed extended. */
		for (unsigned i = 0; i < types.size(); i++)
			if (types[i]->isIntegerTy() && types[i]->getIntegerBitWidth() < 32)
				made->addParamAttr(i, Attribute::ZExt);
		return made;
	}

	void finish(Value *result)
	{
		if (result && !old->getType()->isVoidTy())
			old->replaceAllUsesWith(result);
		if (InvokeInst *invoke = dyn_cast<InvokeInst>(old)) {
			invoke->getUnwindDest()->removePredecessor(invoke->getParent());
			builder.CreateBr(invoke->getNormalDest());
		}
		old->eraseFromParent();
	}

	Instruction *old;
	IRBuilder<> builder;

      private:
	const DataLayout &layout;
};

/* ---- instructions ---------------------------------------------------------------------------- */

static void lower_load(LoadInst *load)
{
	replacement r(load);
	uint64_t size = r.size_of(load->getType());
	Value *value =
		r.call("load", size, r.integer(size),
		       { r.address(load->getPointerOperand()), r.order(load->getOrdering()) });
	r.finish(r.from_integer(value, load->getType()));
}

static void lower_store(StoreInst *store)
{
	replacement r(store);
	Value *value = r.to_integer(store->getValueOperand());
	r.call("store", r.size_of(value->getType()), r.builder.getVoidTy(),
	       { r.address(store->getPointerOperand()), value, r.order(store->getOrdering()) });
	r.finish(nullptr);
}

static void lower_exchange(AtomicCmpXchgInst *exchange)
{
	replacement r(exchange);
	Type *type = exchange->getCompareOperand()->getType();
	Value *expected = r.to_integer(exchange->getCompareOperand());
	Value *desired = r.to_integer(exchange->getNewValOperand());
	Value *found = r.call("casval", r.size_of(type), expected->getType(),
			      { r.address(exchange->getPointerOperand()), expected, desired,
				r.order(exchange->getSuccessOrdering()) });
	Value *done = r.builder.CreateICmpEQ(found, expected);
	Value *pair = PoisonValue::get(exchange->getType());
	pair = r.builder.CreateInsertValue(pair, r.from_integer(found, type), 0);
	r.finish(r.builder.CreateInsertValue(pair, done, 1));
}

static int operation_of(AtomicRMWInst::BinOp op)
{
	switch (op) {
	case AtomicRMWInst::Add: return ADD;
	case AtomicRMWInst::Sub: return SUB;
	case AtomicRMWInst::And: return AND;
	case AtomicRMWInst::Or: return OR;
	case AtomicRMWInst::Xor: return XOR;
	case AtomicRMWInst::Nand: return NAND;
	default: return OPERATIONS;
	}
}

static void lower_update(AtomicRMWInst *update)
{
	replacement r(update);
	Type *type = update->getType();
	uint64_t size = r.size_of(type);
	Value *operand = r.to_integer(update->getValOperand()), *old;
	Value *address = r.address(update->getPointerOperand()),
	      *order = r.order(update->getOrdering());

	if (update->getOperation() == AtomicRMWInst::Xchg)
		old = r.call("swap", size, operand->getType(), { address, operand, order });
	else
		old = r.call("rmw", size, operand->getType(),
			     { address, operand,
			       r.builder.getInt32((uint32_t)operation_of(update->getOperation())),
			       order });
	r.finish(r.from_integer(old, type));
}

/*
 * Minimum, maximum and floating-point updates: each becomes a loop around a compare-and-exchange,
 * as in machine code. LLVM reads the first value by a plain load. It belongs to the atomic
 * operation: recorded as a plain access it would race with the same operation of another thread.
 */
static void lower_other_update(AtomicRMWInst *update)
{
	std::vector<AtomicCmpXchgInst *> made;
	std::vector<LoadInst *> first_loads;

	expandAtomicRMWToCmpXchg(update, [&](IRBuilderBase &builder, Value *address, Value *loaded,
					     Value *wanted, Align align, AtomicOrdering order,
					     SyncScope::ID scope, Value *&success, Value *&now,
					     auto...) {
		if (PHINode *value = dyn_cast<PHINode>(loaded))
			for (Value *from : value->incoming_values())
				if (LoadInst *load = dyn_cast<LoadInst>(from))
					first_loads.push_back(load);
		IntegerType *type = nullptr;
		Type *of = wanted->getType();
		if (!of->isIntegerTy() && !of->isPointerTy()) {
			type = builder.getIntNTy(of->getPrimitiveSizeInBits());
			loaded = builder.CreateBitCast(loaded, type);
			wanted = builder.CreateBitCast(wanted, type);
			address = builder.CreatePointerCast(address, type->getPointerTo());
		}
		AtomicOrdering failed = AtomicCmpXchgInst::getStrongestFailureOrdering(order);
		AtomicCmpXchgInst *pair = builder.CreateAtomicCmpXchg(address, loaded, wanted,
								      align, order, failed, scope);
		success = builder.CreateExtractValue(pair, 1);
		now = builder.CreateExtractValue(pair, 0);
		if (type)
			now = builder.CreateBitCast(now, of);
		made.push_back(pair);
	});
	for (AtomicCmpXchgInst *pair : made)
		lower_exchange(pair);
	for (LoadInst *load : first_loads) {
		load->setAtomic(AtomicOrdering::Monotonic);
		lower_load(load);
	}
}

/* ---- calls of libatomic ---------------------------------------------------------------------- */

/*
 * Splits the name of a function of libatomic: "__atomic_fetch_add_16" into "fetch_add" and 16. The
 * front end calls libatomic if an operation may not be lock-free.
 */
static bool parse_builtin_name(const CallBase &call, std::string *operation_name, uint64_t *size)
{
	const Function *function = call.getCalledFunction();
	if (!function || !llvm_starts_with(calls_name(*function), "__atomic_"))
		return false;
	StringRef name = calls_name(*function).drop_front(9);
	size_t bar = name.rfind('_');
	if (bar == StringRef::npos || name.substr(bar + 1).getAsInteger(10, *size) || *size > 16)
		return false;
	*operation_name = name.substr(0, bar).str();
	return true;
}

static void lower_library_update(replacement &r, CallBase *call, const std::string &operation_name,
				 uint64_t size)
{
	for (int i = 0; i < OPERATIONS; i++)
		if (operation_name == std::string("fetch_") + operation_names[i])
			r.finish(r.call("rmw", size, r.integer(size),
					{ call->getArgOperand(0), call->getArgOperand(1),
					  r.builder.getInt32((uint32_t)i),
					  call->getArgOperand(2) }));
}

#define EXPECTED_IS_SHARED 256

static void lower_library_call(CallBase *call)
{
	std::string operation_name;
	uint64_t size;

	if (!parse_builtin_name(*call, &operation_name, &size))
		return;
	replacement r(call);
	auto argument = [&](unsigned i) { return call->getArgOperand(i); };
	if (operation_name == "load") {
		r.finish(r.call("load", size, r.integer(size), { argument(0), argument(1) }));
	} else if (operation_name == "store") {
		r.call("store", size, r.builder.getVoidTy(),
		       { argument(0), argument(1), argument(2) });
		r.finish(nullptr);
	} else if (operation_name == "exchange") {
		r.finish(r.call("swap", size, r.integer(size),
				{ argument(0), argument(1), argument(2) }));
	} else if (operation_name == "compare_exchange") {
		Value *mode = r.builder.CreateOr(argument(3), EXPECTED_IS_SHARED);
		r.finish(r.call("cas", size, call->getType(),
				{ argument(0), argument(1), argument(2), mode }));
	} else {
		lower_library_update(r, call, operation_name, size);
	}
}

/* ---- the whole function ---------------------------------------------------------------------- */

static bool is_of_one_thread(Instruction *i)
{
	SyncScope::ID scope = SyncScope::System;
	if (LoadInst *load = dyn_cast<LoadInst>(i))
		scope = load->getSyncScopeID();
	else if (StoreInst *store = dyn_cast<StoreInst>(i))
		scope = store->getSyncScopeID();
	else if (FenceInst *fence = dyn_cast<FenceInst>(i))
		scope = fence->getSyncScopeID();
	return scope == SyncScope::SingleThread;
}

static void lower_instruction(Instruction *i)
{
	if (LoadInst *load = dyn_cast<LoadInst>(i)) {
		lower_load(load);
	} else if (StoreInst *store = dyn_cast<StoreInst>(i)) {
		lower_store(store);
	} else if (AtomicCmpXchgInst *exchange = dyn_cast<AtomicCmpXchgInst>(i)) {
		lower_exchange(exchange);
	} else if (AtomicRMWInst *update = dyn_cast<AtomicRMWInst>(i)) {
		if (operation_of(update->getOperation()) == OPERATIONS &&
		    update->getOperation() != AtomicRMWInst::Xchg)
			lower_other_update(update);
		else
			lower_update(update);
	} else if (FenceInst *fence = dyn_cast<FenceInst>(i)) {
		replacement r(fence);
		r.call("fence", 0, r.builder.getVoidTy(), { r.order(fence->getOrdering()) });
		r.finish(nullptr);
	} else if (CallBase *call = dyn_cast<CallBase>(i)) {
		lower_library_call(call);
	}
}

void atomics_lower(Function &function)
{
	std::vector<Instruction *> found;

	for (Instruction &i : instructions(function))
		if ((i.isAtomic() && !is_of_one_thread(&i)) ||
		    (isa<CallBase>(i) && !isa<IntrinsicInst>(i)))
			found.push_back(&i);
	for (Instruction *i : found)
		lower_instruction(i);
}
