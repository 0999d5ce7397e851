/*
 * InstCombine turns `*(c ? &a : &b)` into `c ? a : b`, which reads both, because reading a global
 * variable does no harm on the machine (InstCombinerImpl::visitLoadInst; the sanitize attribute of
 * the function does not prevent it). SROA, which turns local variables into registers, does the
 * same if one of the two is local. This cannot be undone afterwards, because the added reads cannot
 * be found reliably: the choice may have moved to another block, after a call, or be part of a
 * larger choice. So such a read is marked volatile while these passes run, and they leave it alone.
 * chosen.cc then does what SROA would have gained.
 */
#include "compiler/llvm/hold.h"

#include "llvm/ADT/Any.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

static const char held_mark[] = "sooth.held";
static const char volatile_mark[] = "sooth.volatile";
static const unsigned steps_max = 6; /* maximum number of steps from an address to its object */

/*
 * Returns the function that a pass is about to run on. any_cast cannot be used: it compares
 * addresses of variables, which differ between a plugin and the compiler. The layout of Any is the
 * same from LLVM 14 to 19.
 */
static Function *function_of(const Any &unit)
{
	struct storage {
		const void *methods;
		Function *value;
	};
	static_assert(sizeof(Any) == sizeof(void *), "an Any is a pointer to its value's box");

	return (*reinterpret_cast<const storage *const *>(&unit))->value;
}

const Value *hold_object_of(const Value *address)
{
	for (unsigned i = 0; i < steps_max; i++)
		if (const auto *part = dyn_cast<GEPOperator>(address))
			address = part->getPointerOperand();
		else if (const auto *cast = dyn_cast<BitCastOperator>(address))
			address = cast->getOperand(0);
		else
			break;
	return address;
}

static bool is_of_choice(const Value *address)
{
	const Value *whole = hold_object_of(address);

	return isa<SelectInst>(whole) || isa<PHINode>(whole);
}

static void mark(Instruction &i, const char *how)
{
	i.setMetadata(how, MDNode::get(i.getContext(), {}));
}

static bool unmark(Instruction &i, const char *how)
{
	bool was = i.getMetadata(how);

	i.setMetadata(how, nullptr);
	return was;
}

/* Is the copy so small that InstCombine turns it into a load and a store? */
static bool is_small(const MemCpyInst &copy)
{
	const ConstantInt *length = dyn_cast<ConstantInt>(copy.getLength());

	return length && length->getValue().ule(8);
}

static void hold_reads_in(Function &function, bool copies)
{
	for (Instruction &i : instructions(function))
		if (LoadInst *load = dyn_cast<LoadInst>(&i)) {
			if (!is_of_choice(load->getPointerOperand()) || load->isAtomic())
				continue;
			mark(*load, load->isVolatile() ? volatile_mark : held_mark);
			load->setVolatile(true);
		} else if (MemCpyInst *copy = dyn_cast<MemCpyInst>(&i)) {
			if (!copies || copy->isVolatile() || !is_small(*copy) ||
			    !is_of_choice(copy->getRawSource()))
				continue;
			mark(*copy, held_mark);
			copy->setVolatile(ConstantInt::getTrue(i.getContext()));
		}
}

/* Releases the volatile load and store into which InstCombine has turned a held copy. */
static void release_copied_read(LoadInst &load)
{
	if (!load.isVolatile() || load.isAtomic() || unmark(load, volatile_mark) ||
	    !is_of_choice(load.getPointerOperand()))
		return;
	load.setVolatile(false);
	for (User *user : load.users())
		if (StoreInst *store = dyn_cast<StoreInst>(user))
			store->setVolatile(false);
}

static void release_reads_in(Function &function)
{
	for (Instruction &i : instructions(function))
		if (LoadInst *load = dyn_cast<LoadInst>(&i)) {
			if (unmark(i, held_mark))
				load->setVolatile(false);
			else
				release_copied_read(*load);
		} else if (MemCpyInst *copy = dyn_cast<MemCpyInst>(&i)) {
			if (unmark(i, held_mark))
				copy->setVolatile(ConstantInt::getFalse(i.getContext()));
		}
}

/*
 * Turns pointers in local variables into registers. SROA would do that first and only then see
 * choices, so it is done before the choices are held. The unused variable, which SROA removes,
 * makes SROA report a change.
 */
static void promote_pointers(Function &function)
{
	std::vector<AllocaInst *> pointers;

	for (Instruction &i : function.getEntryBlock())
		if (AllocaInst *own = dyn_cast<AllocaInst>(&i))
			if (own->getAllocatedType()->isPointerTy() && isAllocaPromotable(own))
				pointers.push_back(own);
	if (pointers.empty())
		return;
	DominatorTree dominators(function);
	PromoteMemToReg(pointers, dominators);
	Instruction *first = &*function.getEntryBlock().getFirstInsertionPt();
	new AllocaInst(Type::getInt8Ty(function.getContext()), 0, "", first);
}

static const char combine[] = "InstCombinePass", to_registers[] = "SROAPass";

static bool is_held_during(StringRef pass, const Any &unit)
{
	return (pass == combine || pass == to_registers) &&
	       function_of(unit)->hasFnAttribute(Attribute::SanitizeThread);
}

void hold_reads(PassBuilder &builder)
{
	PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();

	if (!callbacks)
		return;
	/*
	 * Argument promotion is switched off: it makes the caller read in any case what the
	 * function may read through a pointer argument.
	 */
	callbacks->registerShouldRunOptionalPassCallback(
		[](StringRef pass, Any) { return pass != "ArgumentPromotionPass"; });
	callbacks->registerBeforeNonSkippedPassCallback([](StringRef pass, Any unit) {
		if (!is_held_during(pass, unit))
			return;
		if (pass == to_registers)
			promote_pointers(*function_of(unit));
		hold_reads_in(*function_of(unit), pass == combine);
	});
	callbacks->registerAfterPassCallback(
		[](StringRef pass, Any unit, const PreservedAnalyses &) {
			if (is_held_during(pass, unit))
				release_reads_in(*function_of(unit));
		});
}
