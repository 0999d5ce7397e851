/*
 * Classifies calls: known functions (event/calls.def), the runtime's own functions, points,
 * intrinsics, and all others.
 */
#include "compiler/llvm/calls.h"
#include "compiler/llvm/opaque.h"
#include "compiler/llvm/points.h"

using namespace llvm;

StringRef calls_name(const Function &function)
{
	StringRef name = function.getName();
	return llvm_starts_with(name, "\01") ? name.drop_front() : name;
}

static const Function *callee(const CallBase &call)
{
	return dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
}

const known_call *calls_find(const CallBase &call)
{
	const Function *function = callee(call);

	return function && !function->hasLocalLinkage()
		       ? known_call_find(calls_name(*function).str())
		       : nullptr;
}

static bool is_runtime_call(const CallBase &call)
{
	const Function *function = callee(call);
	return function && llvm_starts_with(calls_name(*function), "__sooth_");
}

bool calls_runtime_only(const CallBase &call)
{
	const known_call *found = calls_find(call);
	return is_runtime_call(call) || (found && found->how == CALL_REDIRECT);
}

/* Intrinsics stand for instructions, except for those that leave or enter functions. */
static calls_meaning classify_intrinsic(const IntrinsicInst &call)
{
	switch (call.getIntrinsicID()) {
	case Intrinsic::eh_sjlj_setjmp:
	case Intrinsic::eh_sjlj_longjmp:
	case Intrinsic::eh_unwind_init:
	case Intrinsic::clear_cache: return CALL_OTHER;
	default: return CALL_NOTHING;
	}
}

calls_meaning calls_classify(const CallBase &call, Value **object)
{
	*object = nullptr;
	if (const IntrinsicInst *intrinsic = dyn_cast<IntrinsicInst>(&call))
		return classify_intrinsic(*intrinsic);
	if (call.isInlineAsm()) {
		if (points_is_point(call))
			return CALL_POINT;
		/* an empty template only keeps the compiler from moving code */
		const InlineAsm *text = cast<InlineAsm>(call.getCalledOperand());
		return text->getAsmString().empty() ? CALL_NOTHING : CALL_OTHER;
	}
	if (const known_call *found = calls_find(call)) {
		if (found->how == CALL_OBJECT && call.arg_size() > found->argument)
			*object = call.getArgOperand(found->argument);
		return CALL_SITE;
	}
	if (opaque_is_announcement(call))
		return CALL_OTHER;
	if (is_runtime_call(call)) {
		if (call.arg_size() > 1)
			*object = call.getArgOperand(0);
		return CALL_SITE;
	}
	return CALL_OTHER;
}

bool calls_runs_program(const CallBase &call)
{
	return known_call_runs_program(calls_find(call));
}
