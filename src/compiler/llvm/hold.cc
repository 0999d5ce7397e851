/*
 * Where instructions are combined, `*(c ? &a : &b)` becomes `c ? a : b` with a read of each, since a global variable can be read
 * without harm (InstCombinerImpl::visitLoadInst; that the function is sanitized does not keep it from that). Undone
 * afterwards (as chosen.cc does for other passes) it would have to be found: the choice may have been moved to another block meanwhile, behind a
 * call, or be part of a larger one. So while that pass runs such a read is volatile, which it leaves alone.
 */
#include "compiler/llvm/hold.h"

#include "llvm/ADT/Any.h"

using namespace llvm;

static const char held[] = "sooth.held";
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

static bool is_of_a_choice(const Value *place)
{
	for (unsigned i = 0; i < deep; i++)
		if (const auto *part = dyn_cast<GEPOperator>(place))
			place = part->getPointerOperand();
		else if (const auto *cast = dyn_cast<BitCastOperator>(place))
			place = cast->getOperand(0);
		else
			break;
	return isa<SelectInst>(place);
}

static void hold(Function &function)
{
	for (Instruction &i : instructions(function)) {
		LoadInst *load = dyn_cast<LoadInst>(&i);
		if (!load || !load->isSimple() || !is_of_a_choice(load->getPointerOperand()))
			continue;
		load->setVolatile(true);
		load->setMetadata(held, MDNode::get(function.getContext(), {}));
	}
}

static void let_go(Function &function)
{
	for (Instruction &i : instructions(function))
		if (LoadInst *load = dyn_cast<LoadInst>(&i))
			if (load->getMetadata(held)) {
				load->setVolatile(false);
				load->setMetadata(held, nullptr);
			}
}

static bool is_concerned(StringRef pass, const Any &unit)
{
	return pass == "InstCombinePass" &&
	       function_of(unit)->hasFnAttribute(Attribute::SanitizeThread);
}

void hold_reads(PassBuilder &builder)
{
	PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();

	if (!callbacks)
		return;
	callbacks->registerBeforeNonSkippedPassCallback([](StringRef pass, Any unit) {
		if (is_concerned(pass, unit))
			hold(*function_of(unit));
	});
	callbacks->registerAfterPassCallback(
		[](StringRef pass, Any unit, const PreservedAnalyses &) {
			if (is_concerned(pass, unit))
				let_go(*function_of(unit));
		});
}
