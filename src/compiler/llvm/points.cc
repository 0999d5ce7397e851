/*
 * Inserts points, as src/compiler/gcc/points.cc does for gcc. A NOP is a volatile asm that clobbers
 * memory: LLVM neither moves it nor moves accesses across it.
 *
 *	BODY	first in a function that is compiled here, RETURN last, with the result
 *	CALL	before a call of any other function, RETURN after it, with the result
 *
 * At the start of the pipeline no call has been simplified yet: a printf that will become a puts
 * has its points already, and keeps them. But memcpy, memmove and memset are not calls in LLVM's
 * IR; those in the source are recognised by their location (point_seen.h).
 */
#include "compiler/llvm/points.h"

#include "compiler/common/point_row.h"
#include "compiler/llvm/llvm.h"
#include "compiler/llvm/options.h"
#include "compiler/llvm/point_asm.h"
#include "compiler/llvm/point_seen.h"
#include "compiler/llvm/point_values.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace
{

Function *callee_of(const CallBase &call)
{
	return dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
}

/* ---- what a function contains ---------------------------------------------------------------- */

/* A call, with facts about it from before any point was inserted. */
struct candidate_call {
	CallBase *call;
	std::string name; /* linker name */
	bool hides_first, hides_second;
};

struct point_candidates {
	std::vector<candidate_call> calls;
	std::vector<CallBase *> calls_by_pointer, probes;
	std::vector<ReturnInst *> returns;
	unsigned statements = 0;
	bool calls_any = false;
};

/* Is it a function that only the compiler or its library calls, but not the source? */
bool is_compiler_helper(StringRef name)
{
	for (const char *prefix : { "__builtin_", "__sync_", "__atomic_", "__cxa_", "_Unwind_",
				    "__sooth_", "__tsan_", "__ubsan_", "__clang_", "__gxx_" })
		if (llvm_starts_with(name, prefix))
			return true;
	return false;
}

/*
 * Is this the address of a local that does not escape? No other code can know such an address, and
 * gcc's rows do not contain it, either.
 */
bool is_private(const Value *value)
{
	const Value *object = getUnderlyingObject(value);
	return isa<AllocaInst>(object) && !PointerMayBeCaptured(object, true, true);
}

/* If the source calls memcpy, memmove or memset here, returns that name; otherwise "". */
std::string called_intrinsic(const CallBase &call)
{
	const auto *memory = dyn_cast<MemIntrinsic>(&call);
	const DILocation *where = call.getDebugLoc();

	if (!memory || !where)
		return "";
	const char *name = isa<MemSetInst>(memory)    ? "memset"
			   : isa<MemMoveInst>(memory) ? "memmove"
						      : "memcpy";
	return seen_find_call(name, where->getLine(), where->getColumn()) ? name : "";
}

void classify_call(CallBase &call, const TargetLibraryInfoImpl &library, point_candidates &f)
{
	Function *function = callee_of(call);
	LibFunc known;

	if (call.isInlineAsm())
		return;
	if (function && function->isIntrinsic()) {
		std::string name = called_intrinsic(call);
		if (!name.empty())
			f.calls.push_back({ &call, name, is_private(call.getArgOperand(0)),
					    is_private(call.getArgOperand(1)) });
		return;
	}
	if (!function || !library.getLibFunc(*function, known))
		f.calls_any = true;
	if (!function) {
		f.calls_by_pointer.push_back(&call);
		return;
	}
	std::string name = point_linker_name(*function);
	bool outside = function->isDeclaration() || function->hasAvailableExternallyLinkage() ||
		       name != function->getName();
	if (name == "__sooth_probe")
		f.probes.push_back(&call);
	else if (outside && !is_compiler_helper(name))
		f.calls.push_back({ &call, name, false, false });
}

/*
 * Returns how many statements gcc would have for this instruction. Accesses to locals that will be
 * in registers do not count.
 */
unsigned statements_of(const Instruction &i)
{
	if (isa<LoadInst>(i) || isa<StoreInst>(i))
		return !isa<AllocaInst>(getLoadStorePointerOperand(&i)->stripPointerCasts());
	if (const auto *address = dyn_cast<GetElementPtrInst>(&i))
		return address->hasAllConstantIndices() ? 0 : 2;
	if (const auto *branch = dyn_cast<BranchInst>(&i))
		return branch->isConditional();
	if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&i))
		return !isa<DbgInfoIntrinsic>(intrinsic) && !intrinsic->isLifetimeStartOrEnd();
	return !isa<AllocaInst>(i) && !isa<CmpInst>(i) && !isa<BitCastInst>(i) &&
	       !isa<PHINode>(i) && !isa<UnreachableInst>(i);
}

point_candidates find_candidates(Function &function)
{
	TargetLibraryInfoImpl library{ Triple(function.getParent()->getTargetTriple()) };
	point_candidates f;

	for (Instruction &i : instructions(function)) {
		f.statements += statements_of(i);
		if (auto *call = dyn_cast<CallBase>(&i))
			classify_call(*call, library, f);
		else if (auto *r = dyn_cast<ReturnInst>(&i))
			f.returns.push_back(r);
	}
	return f;
}

/* ---- the points of a function ---------------------------------------------------------------- */

class point_inserter
{
      public:
	explicit point_inserter(Function &function)
	    : function(function), layout(function.getParent()->getDataLayout()),
	      seen(seen_find(point_linker_name(function))), maker(function)
	{
	}
	void mark_call(const candidate_call &f);
	void replace_probe(CallBase &call);
	void mark_body(const point_candidates &f);
	void mark_callback(const point_candidates &f);
	void mark_call_by_pointer(CallBase &call);

	Function &function;
	const DataLayout &layout;
	const seen_function *seen; /* NULL: not seen */

      private:
	point_builder maker;

	point point_at(unsigned kind, unsigned flags, const std::string &name,
		       const DILocation *where);
	std::vector<point_value> arguments_of(const candidate_call &f);
	void mark_return_of_call(const candidate_call &f, const point &before);
	void mark_return(ReturnInst *at, const point &base);
};

/*
 * Returns a point without values. If the location is in the function's own file, uses the name with
 * which that file was opened.
 */
point point_inserter::point_at(unsigned kind, unsigned flags, const std::string &name,
			       const DILocation *where)
{
	const DISubprogram *described = function.getSubprogram();
	point made = { kind, flags, name, {}, "", 0, 0 };

	if (where) {
		made.file = where->getFilename().str();
		made.line = where->getLine();
		made.column = where->getColumn();
	}
	if (seen && (!where || (described && described->getFilename() == where->getFilename())))
		made.file = seen->where.file;
	return made;
}

/* Returns memset's second argument as an int. LLVM has only its lowest byte. */
static Value *widen_fill_value(Value *value, Instruction *before)
{
	if (auto *cut = dyn_cast<TruncInst>(value))
		if (cut->getSrcTy()->isIntegerTy(32))
			return cut->getOperand(0);
	IRBuilder<> builder(before);
	return builder.CreateZExt(value, builder.getInt32Ty());
}

std::vector<point_value> point_inserter::arguments_of(const candidate_call &f)
{
	const DILocation *where = f.call->getDebugLoc();
	const seen_function *of = seen_find(f.name);
	const std::vector<seen_type> *types = of && of->has_prototype ? &of->parameters : nullptr;
	const std::vector<seen_type> *actual =
		where ? seen_find_call(f.name, where->getLine(), where->getColumn()) : nullptr;
	std::vector<passed_value> passed = point_passed(*f.call);
	std::vector<seen_type> merged;

	if (isa<MemIntrinsic>(f.call)) {
		passed.pop_back(); /* LLVM's argument `isvolatile` */
		if (isa<MemSetInst>(f.call))
			passed[1].value = widen_fill_value(passed[1].value, f.call);
	}
	if (actual) { /* types of the prototype, then of further arguments */
		merged = *actual;
		for (size_t i = 0; types && i < types->size() && i < merged.size(); i++)
			merged[i] = (*types)[i];
		types = &merged;
	}
	std::vector<point_value> values = point_arguments(layout, passed, types);
	if (f.hides_first && !values.empty())
		values[0].type.letter = 'o';
	if (f.hides_second && values.size() > 1)
		values[1].type.letter = 'o';
	return values;
}

/* Returns the instruction that is executed after a call has returned, or NULL. */
static Instruction *instruction_after(CallBase *call)
{
	if (auto *invoke = dyn_cast<InvokeInst>(call)) {
		BasicBlock *edge = SplitEdge(invoke->getParent(), invoke->getNormalDest());
		return &*edge->getFirstInsertionPt();
	}
	auto *plain = dyn_cast<CallInst>(call);
	return plain && !plain->isMustTailCall() ? plain->getNextNode() : nullptr;
}

void point_inserter::mark_return_of_call(const candidate_call &f, const point &before)
{
	const seen_function *of = seen_find(f.name);
	point back = before;

	if (f.call->doesNotReturn() || f.call->hasFnAttr(Attribute::ReturnsTwice))
		return;
	Instruction *at = instruction_after(f.call);
	if (!at)
		return;
	IRBuilder<> builder(at);
	back.kind = POINT_RETURN;
	back.flags = POINT_ROW_AFTER_CALL;
	/* memcpy, memmove and memset return their first argument */
	Value *value = isa<MemIntrinsic>(f.call) ? f.call->getArgOperand(0) : f.call;
	if (!value->getType()->isVoidTy()) {
		back.values.push_back(point_result(builder, value, of ? &of->result : nullptr));
		if (f.hides_first)
			back.values[0].type.letter = 'o';
	}
	maker.insert(back, at, f.call->getDebugLoc());
}

void point_inserter::mark_call(const candidate_call &f)
{
	Function *callee = callee_of(*f.call);
	point p = point_at(POINT_CALL, 0,
			   isa<MemIntrinsic>(f.call) ? f.name : point_full_name(*callee),
			   f.call->getDebugLoc());

	mark_return_of_call(f, p);
	p.values = arguments_of(f);
	maker.insert(p, f.call, f.call->getDebugLoc());
}

/* Calls of __sooth_probe("app:name", …) come from annotate.h only to be replaced here. */
void point_inserter::replace_probe(CallBase &call)
{
	point p = point_at(POINT_PROBE, 0, "?", call.getDebugLoc());
	StringRef name;

	if (call.arg_size() && getConstantStringInfo(call.getArgOperand(0), name))
		p.name = name.str();
	else
		function.getContext().emitError(&call, "the name of a probe must be a constant");
	p.values = arguments_of({ &call, "__sooth_probe", false, false });
	if (!p.values.empty())
		p.values.erase(p.values.begin());
	maker.insert(p, &call, call.getDebugLoc());
	if (auto *invoke = dyn_cast<InvokeInst>(&call)) {
		BranchInst::Create(invoke->getNormalDest(), invoke);
		invoke->getUnwindDest()->removePredecessor(invoke->getParent());
	}
	call.eraseFromParent();
}

/*
 * Inserts the RETURN before the return instruction. If a musttail call precedes that, inserts no
 * point, because nothing may come between the two.
 */
void point_inserter::mark_return(ReturnInst *at, const point &base)
{
	point p = base;
	Value *value = at->getReturnValue();
	IRBuilder<> builder(at);

	if (at->getParent()->getTerminatingMustTailCall())
		return;
	p.kind = POINT_RETURN;
	if (const DILocation *where = at->getDebugLoc()) {
		p.line = where->getLine();
		p.column = where->getColumn();
	}
	if (seen && seen->return_line) {
		p.line = seen->return_line;
		p.column = seen->return_column;
	}
	if (value)
		p.values.push_back(point_result(builder, value, seen ? &seen->result : nullptr));
	maker.insert(p, at, at->getDebugLoc());
}

void point_inserter::mark_body(const point_candidates &f)
{
	point p = point_at(POINT_BODY, function.hasLocalLinkage() ? (unsigned)POINT_ROW_LOCAL : 0,
			   point_full_name(function), nullptr);
	DISubprogram *described = function.getSubprogram();
	DebugLoc where;

	for (ReturnInst *r : f.returns)
		mark_return(r, p);
	if (seen) {
		p.line = seen->where.line;
		p.column = seen->where.column;
	}
	if (described) {
		where = DILocation::get(function.getContext(), described->getLine(), 0, described);
		p.line = p.line ? p.line : described->getLine();
	}
	p.values =
		point_arguments(layout, point_passed(function), seen ? &seen->parameters : nullptr);
	if (function.isVarArg())
		p.flags |= POINT_ROW_MORE;
	BasicBlock::iterator first = function.getEntryBlock().begin();
	while (isa<AllocaInst>(*first))
		first++;
	maker.insert(p, &*first, where);
	/* Otherwise, a caller could omit a call whose result it knows. */
	llvm_forget_memory_effects(function);
	for (User *user : function.users())
		if (auto *call = dyn_cast<CallBase>(user))
			llvm_forget_memory_effects(*call);
}

/* A function without points of its own. */
void point_inserter::mark_callback(const point_candidates &f)
{
	DISubprogram *described = function.getSubprogram();
	point p = point_at(POINT_ENTRY, 0, "", nullptr);
	DebugLoc where;

	if (described) {
		where = DILocation::get(function.getContext(), described->getLine(), 0, described);
		p.line = described->getLine();
	}
	BasicBlock::iterator first = function.getEntryBlock().begin();
	while (isa<AllocaInst>(*first))
		first++;
	maker.insert(p, &*first, where);
	p.kind = POINT_EXIT;
	for (ReturnInst *r : f.returns)
		if (!r->getParent()->getTerminatingMustTailCall())
			maker.insert(p, r, r->getDebugLoc());
}

/* The called function may be one that is not recorded. */
void point_inserter::mark_call_by_pointer(CallBase &call)
{
	point p = point_at(POINT_BY_POINTER, 0, "", call.getDebugLoc());

	p.values.push_back({ { 'p', 'o', {}, 8 }, { call.getCalledOperand(), nullptr }, false });
	maker.insert(p, &call, call.getDebugLoc());
}

/* ---- functions ------------------------------------------------------------------------------- */

/*
 * Is it a small function that makes no calls and is meant to be inlined? The same rule as for gcc.
 */
bool is_too_small(const seen_function *seen, const point_candidates &f)
{
	return options_points() != POINTS_ALL && seen && seen->is_inline && !f.calls_any &&
	       f.statements < small_statements;
}

/*
 * In LLVM, a constructor of the source is two functions: the one for complete objects (C1) calls
 * the one for base objects (C2). Only the second gets points at its start and end. The same holds
 * for destructors.
 */
bool is_complete_object_variant(const Function &function)
{
	StringRef name = function.getName();

	for (const Instruction &i : instructions(function)) {
		const auto *call = dyn_cast<CallBase>(&i);
		const Function *callee = call ? callee_of(*call) : nullptr;
		if (!callee || callee->getName().size() != name.size())
			continue;
		StringRef other = callee->getName();
		for (size_t at = 1; at < name.size(); at++)
			if (name[at] != other[at])
				return name[at] == '1' && other[at] == '2' &&
				       (name[at - 1] == 'C' || name[at - 1] == 'D') &&
				       name.substr(at + 1) == other.substr(at + 1);
	}
	return false;
}

/*
 * Is it a thunk or another function made by the compiler? (Code of initialisers contains calls of
 * the source, but is not a function of the source.)
 */
bool is_compiler_made(const Function &function)
{
	for (const char *prefix : { "_ZTh", "_ZTv", "_ZTc", "__clang_" })
		if (llvm_starts_with(function.getName(), prefix))
			return true;
	return function.hasFnAttribute(Attribute::Naked);
}

/* The points that a property can ask for. Returns whether the function's body has them. */
bool mark_for_properties(Function &function, point_inserter &here, const point_candidates &f)
{
	bool complete_variant = is_complete_object_variant(function);

	for (const candidate_call &call : f.calls)
		here.mark_call(call);
	if (complete_variant || (!here.seen && seen_any()))
		return false;
	if (is_too_small(here.seen, f)) {
		point_add_none(function, here.seen->where, "too small");
		return false;
	}
	here.mark_body(f);
	return true;
}

/* Returns whether there are points. */
bool mark_recorded(Function &function, point_inserter &here, const point_candidates &f)
{
	bool own = !(here.seen && here.seen->is_of_system);
	bool has_body = own && mark_for_properties(function, here, f);
	bool callback = !has_body && function.hasAddressTaken();

	if (callback)
		here.mark_callback(f);
	for (CallBase *call : f.calls_by_pointer)
		here.mark_call_by_pointer(*call);
	return own || callback || !f.calls_by_pointer.empty();
}

bool insert_points(Function &function)
{
	bool recorded = function.hasFnAttribute(Attribute::SanitizeThread) &&
			options_points() != POINTS_NONE;
	point_candidates f = find_candidates(function);
	point_inserter here(function);

	if (is_compiler_made(function))
		return false;
	for (CallBase *call : f.probes)
		here.replace_probe(*call);
	return (recorded && mark_recorded(function, here, f)) || !f.probes.empty();
}

struct points_pass : llvm_required_pass<points_pass> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		bool any = false;

		for (Function &function : module) {
			if (function.isDeclaration())
				continue;
			/*
			 * A point that is on, and a segment that finds its thread buffer full, make
			 * calls, which push onto the stack. LLVM does not know of these calls and
			 * would use the red zone in leaf functions.
			 */
			function.addFnAttr(Attribute::NoRedZone);
			if (!function.hasAvailableExternallyLinkage())
				any |= insert_points(function);
		}
		if (any)
			module.getOrInsertNamedMetadata(POINTS_IN_MODULE);
		return any ? PreservedAnalyses::none() : PreservedAnalyses::all();
	}
};

} // namespace

bool points_is_point(const CallBase &call)
{
	const auto *text = dyn_cast<InlineAsm>(call.getCalledOperand());
	return text && point_row_is_in(std::string(text->getAsmString()).c_str());
}

void points_register(PassBuilder &builder)
{
	builder.registerPipelineStartEPCallback(
		[](ModulePassManager &passes, auto) { passes.addPass(points_pass()); });
}
