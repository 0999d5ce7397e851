/*
 * Where instructions are combined, `*(c ? &a : &b)` becomes `c ? a : b` with a read of each, since a global variable can be read
 * without harm (InstCombinerImpl::visitLoadInst; that the function is sanitized does not keep it from that). So it does where local
 * variables become registers (SROA), if one of the two is one. Undone afterwards it would have to be found: the choice may have been moved to
 * another block meanwhile, behind a call, or be part of a larger one. So while these passes run such a read is volatile, which they leave
 * alone; what the second would have got by it, chosen.cc does.
 */
#include "compiler/llvm/hold.h"

#include "llvm/ADT/Any.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

static const char held[] = "sooth.held";
static const char volatile_anyway[] = "sooth.volatile";
static const unsigned deep = 6; /* from a place to what it is an element of */

/*
 * The function that a pass is about to run on. any_cast would not do: it compares addresses of variables, which are others in
 * a plugin than in the compiler. What is behind them is the same from LLVM 14 to 19.
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

const Value *hold_whole(const Value *place)
{
	for (unsigned i = 0; i < deep; i++)
		if (const auto *part = dyn_cast<GEPOperator>(place))
			place = part->getPointerOperand();
		else if (const auto *cast = dyn_cast<BitCastOperator>(place))
			place = cast->getOperand(0);
		else
			break;
	return place;
}

static bool is_of_a_choice(const Value *place)
{
	const Value *whole = hold_whole(place);

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

/* Where instructions are combined, such a copy becomes a read and a write. */
static bool is_of_few_bytes(const MemCpyInst &copy)
{
	const ConstantInt *length = dyn_cast<ConstantInt>(copy.getLength());

	return length && length->getValue().ule(8);
}

static void hold(Function &function, bool copies)
{
	for (Instruction &i : instructions(function))
		if (LoadInst *load = dyn_cast<LoadInst>(&i)) {
			if (!is_of_a_choice(load->getPointerOperand()) || load->isAtomic())
				continue;
			mark(*load, load->isVolatile() ? volatile_anyway : held);
			load->setVolatile(true);
		} else if (MemCpyInst *copy = dyn_cast<MemCpyInst>(&i)) {
			if (!copies || copy->isVolatile() || !is_of_few_bytes(*copy) ||
			    !is_of_a_choice(copy->getRawSource()))
				continue;
			mark(*copy, held);
			copy->setVolatile(ConstantInt::getTrue(i.getContext()));
		}
}

/* What a copy became is as volatile as it was. */
static void let_go_of_copy(LoadInst &load)
{
	if (!load.isVolatile() || load.isAtomic() || unmark(load, volatile_anyway) ||
	    !is_of_a_choice(load.getPointerOperand()))
		return;
	load.setVolatile(false);
	for (User *user : load.users())
		if (StoreInst *store = dyn_cast<StoreInst>(user))
			store->setVolatile(false);
}

static void let_go(Function &function)
{
	for (Instruction &i : instructions(function))
		if (LoadInst *load = dyn_cast<LoadInst>(&i)) {
			if (unmark(i, held))
				load->setVolatile(false);
			else
				let_go_of_copy(*load);
		} else if (MemCpyInst *copy = dyn_cast<MemCpyInst>(&i)) {
			if (unmark(i, held))
				copy->setVolatile(ConstantInt::getFalse(i.getContext()));
		}
}

/*
 * SROA makes registers of pointers first, and only then sees what is chosen between: here they are made before it. The variable that nobody
 * uses, which it takes away, has it say that something was changed.
 */
static void show_choices(Function &function)
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

static bool is_concerned(StringRef pass, const Any &unit)
{
	return (pass == combine || pass == to_registers) &&
	       function_of(unit)->hasFnAttribute(Attribute::SanitizeThread);
}

void hold_reads(PassBuilder &builder)
{
	PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();

	if (!callbacks)
		return;
	/* What a function might read by a pointer it is given would be read by its caller, in any case. */
	callbacks->registerShouldRunOptionalPassCallback(
		[](StringRef pass, Any) { return pass != "ArgumentPromotionPass"; });
	callbacks->registerBeforeNonSkippedPassCallback([](StringRef pass, Any unit) {
		if (!is_concerned(pass, unit))
			return;
		if (pass == to_registers)
			show_choices(*function_of(unit));
		hold(*function_of(unit), pass == combine);
	});
	callbacks->registerAfterPassCallback(
		[](StringRef pass, Any unit, const PreservedAnalyses &) {
			if (is_concerned(pass, unit))
				let_go(*function_of(unit));
		});
}
