/*
 * The instrumenting pass. It runs just before loops are vectorised: after inlining and scalar
 * optimisation, but while the accesses are still those of the source and their fields are known.
 *
 * For each function the pass does four things: it splits instructions (lower.cc), lists what is to
 * be recorded, computes which values the reader will know (slots.cc), and generates code, one
 * segment at a time (segment.cc).
 */
#include "compiler/llvm/instrument.h"
#include "compiler/llvm/bases.h"
#include "compiler/llvm/calls.h"
#include "compiler/llvm/indexed.h"
#include "compiler/llvm/loops.h"
#include "compiler/llvm/lower.h"
#include "compiler/llvm/points.h"
#include "compiler/llvm/segment.h"
#include "compiler/llvm/unroll.h"

#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace
{

const uint64_t vector_max = 640;
const char recorded_attribute[] = "sooth-recorded";

/* ---- listing what is to be recorded ---------------------------------------------------------- */

class lister
{
      public:
	lister(Function &function, access_sharing &sharing)
	    : layout(function.getParent()->getDataLayout()), sharing(sharing)
	{
	}

	void list_block(BasicBlock &block, std::vector<op> &ops)
	{
		for (Instruction &i : block) {
			if (isa<LoadInst>(i) || isa<StoreInst>(i))
				list_access(&i, ops);
			else if (MemIntrinsic *stmt = dyn_cast<MemIntrinsic>(&i))
				list_memory(stmt, ops);
			else if (CallBase *call = dyn_cast<CallBase>(&i))
				list_call(call, ops);
			else if (isa<ReturnInst>(i) || isa<ResumeInst>(i))
				list_exit(&i, ops);
		}
	}

      private:
	const DataLayout &layout;
	access_sharing &sharing;

	op make_op(enum op::kind kind, Instruction *at, uint64_t size)
	{
		op o;
		o.kind = kind;
		o.at = at;
		o.size = size;
		return o;
	}

	bool too_large(uint64_t size)
	{
		segment_counts.inexact += size > vector_max;
		return size > vector_max;
	}

	void list_access(Instruction *i, std::vector<op> &ops)
	{
		Value *pointer = getLoadStorePointerOperand(i);
		bool is_read = isa<LoadInst>(i);
		op o = make_op(is_read ? op::READ : op::WRITE, i,
			       access_size(layout, getLoadStoreType(i)));
		if (!sharing.is_shared(pointer) || !o.size || too_large(o.size))
			return;
		(is_read ? o.from_shared : o.to_shared) = true;
		(is_read ? o.from : o.to) = access_split(layout, pointer);
		ops.push_back(o);
	}

	void list_memory(MemIntrinsic *stmt, std::vector<op> &ops)
	{
		MemTransferInst *copy = dyn_cast<MemTransferInst>(stmt);
		if (!lower_is_inline(*stmt))
			return;
		op o = make_op(copy ? op::COPY : op::CLEAR, stmt,
			       cast<ConstantInt>(stmt->getLength())->getZExtValue());
		o.from_shared = copy && sharing.is_shared(copy->getRawSource());
		o.to_shared = sharing.is_shared(stmt->getRawDest());
		if ((!o.from_shared && !o.to_shared) || !o.size)
			return;
		if (o.from_shared)
			o.from = access_split(layout, copy->getRawSource());
		if (o.to_shared)
			o.to = access_split(layout, stmt->getRawDest());
		ops.push_back(o);
	}

	void list_call(CallBase *call, std::vector<op> &ops)
	{
		op o = make_op(op::FORGET, call, 0);
		/*
		 * After a musttail call nothing but the return may follow, so EXIT comes before it.
		 */
		CallInst *plain = dyn_cast<CallInst>(call);
		if (plain && plain->isMustTailCall())
			ops.push_back(make_op(op::EXIT, call, 0));
		switch (calls_classify(*call, &o.object)) {
		case CALL_NOTHING: return;
		case CALL_POINT: o.kind = op::CLOSE; break;
		case CALL_SITE: o.kind = op::SITE; break;
		case CALL_OTHER: break;
		}
		ops.push_back(o);
		if (o.kind == op::SITE && calls_runs_program(*call))
			ops.push_back(make_op(op::FORGET, call, 0));
	}

	void list_exit(Instruction *end, std::vector<op> &ops)
	{
		if (!end->getParent()->getTerminatingMustTailCall())
			ops.push_back(make_op(op::EXIT, end, 0));
	}
};

/* Is there anything to record besides the end of the function? */
bool has_events(const plan &p)
{
	for (const auto &entry : p.blocks)
		for (const op &o : entry.second)
			if (o.kind != op::EXIT && o.kind != op::CLOSE)
				return true;
	return false;
}

/* ---- what the reader will know --------------------------------------------------------------- */

void note_address_known(plan &p, BasicBlock *block, const access_address &a)
{
	if (!a.is_static)
		p.known.note_address(block, a);
}

void note_block_effects(const DataLayout &layout, BasicBlock *block, const std::vector<op> &ops,
			plan &p)
{
	for (const op &o : ops) {
		if (o.kind == op::FORGET || o.kind == op::EXIT)
			p.known.note_forgotten(block);
		if (o.from_shared)
			note_address_known(p, block, o.from);
		if (o.to_shared)
			note_address_known(p, block, o.to);
		if (o.kind == op::READ && segment_value_fits_slot(layout, o.at->getType()))
			p.known.note_recorded(block, o.at);
		if (o.kind == op::WRITE && segment_defines(layout, *cast<StoreInst>(o.at)))
			p.known.note_stored(block, cast<StoreInst>(o.at)->getValueOperand());
	}
}

/* ---- generation ------------------------------------------------------------------------------ */

class generator
{
      public:
	generator(Function &function, plan &p, ScalarEvolution *evolution)
	    : function(function), p(p), evolution(evolution)
	{
	}

	void generate_block(BasicBlock &block)
	{
		segment s(function, p.known);
		bool is_entry = &block == &function.getEntryBlock();
		std::vector<slots::definition> definitions = p.known.definitions_at(&block);
		std::vector<slots::assignment> assignments = p.known.assignments_at(&block);
		const std::vector<op> &ops = p.blocks[&block];

		if (ops.empty() && !is_entry && definitions.empty() && assignments.empty())
			return;
		p.known.enter_block(&block);
		if (is_entry)
			s.enter(after_allocas(block));
		for (const op &o : ops)
			generate_op(o, s);
		Instruction *end = block.getTerminator();
		for (const slots::definition &d : definitions) {
			close_if_full(s, end, 0);
			s.define(end, d, start_of(d, end));
		}
		for (const slots::assignment &a : assignments) {
			close_if_full(s, end, 0);
			s.assign(end, a);
		}
		s.close(end);
	}

      private:
	Function &function;
	plan &p;
	ScalarEvolution *evolution;

	static Instruction *after_allocas(BasicBlock &block)
	{
		BasicBlock::iterator at = block.getFirstInsertionPt();
		while (isa<AllocaInst>(*at) || isa<DbgInfoIntrinsic>(*at))
			at++;
		return &*at;
	}

	static void close_if_full(segment &s, Instruction *at, uint64_t size)
	{
		if (s.is_open() && !s.has_room(size))
			s.close(at);
	}

	Value *start_of(const slots::definition &d, Instruction *end)
	{
		if (!d.start.evolution)
			return d.start.other ? d.start.other : d.value;
		SCEVExpander expander(*evolution, function.getParent()->getDataLayout(), "sooth");
		return expander.expandCodeFor(d.start.evolution, d.value->getType(), end);
	}

	void generate_op(const op &o, segment &s)
	{
		if (o.kind == op::CLOSE || o.kind == op::FORGET) {
			s.close(o.at);
			if (o.kind == op::FORGET)
				p.known.forgotten();
			return;
		}
		close_if_full(s, o.at, o.kind == op::CLEAR ? 0 : o.size);
		switch (o.kind) {
		case op::READ: s.read(o); break;
		case op::WRITE: s.write(o); break;
		case op::COPY: s.copy(o); break;
		case op::CLEAR: s.clear(o); break;
		case op::SITE:
			s.add_site(o);
			s.close(o.at);
			break;
		default: /* EXIT */
			s.exit(o.at);
			s.close(o.at);
			p.known.forgotten();
			break;
		}
	}
};

/* ---- functions ------------------------------------------------------------------------------- */

/*
 * Is the function an ifunc resolver? The dynamic linker calls resolvers before the runtime's
 * thread-local variable has been allocated.
 */
bool is_resolver(const Function &function)
{
	for (const GlobalIFunc &indirect : function.getParent()->ifuncs())
		if (indirect.getResolver()->stripPointerCasts() == &function)
			return true;
	return false;
}

bool is_to_be_recorded(const Function &function)
{
	return !function.isDeclarationForLinker() &&
	       function.hasFnAttribute(Attribute::SanitizeThread) &&
	       !function.hasFnAttribute(recorded_attribute) &&
	       !function.hasFnAttribute(Attribute::Naked) &&
	       function.getCallingConv() != CallingConv::X86_INTR && !is_resolver(function);
}

void instrument_body(Function &function, FunctionAnalysisManager &analyses)
{
	access_sharing sharing;
	plan p;

	unroll_short_loops(function, analyses);
	lower_function(function, sharing);
	analyses.invalidate(function, PreservedAnalyses::none());
	lister list(function, sharing);
	for (BasicBlock &block : function)
		list.list_block(block, p.blocks[&block]);
	if (!has_events(p))
		return;
	ScalarEvolution *evolution = nullptr;
	if (!function.hasOptNone()) {
		bases_share(function, analyses, p);
		indexed_split(function.getParent()->getDataLayout(), p);
		evolution = &analyses.getResult<ScalarEvolutionAnalysis>(function);
		loops_find(function, analyses.getResult<LoopAnalysis>(function), *evolution, p);
	}
	for (BasicBlock &block : function)
		note_block_effects(function.getParent()->getDataLayout(), &block, p.blocks[&block],
				   p);
	p.known.solve(function);
	generator generate(function, p, evolution);
	for (BasicBlock &block : function)
		generate.generate_block(block);
	llvm_forget_memory_effects(function);
	/*
	 * When a thread buffer is full, a segment calls the runtime, which pushes a return address
	 * onto the stack. LLVM does not know of that call and would use the red zone in leaf
	 * functions.
	 */
	function.addFnAttr(Attribute::NoRedZone);
}

} // namespace

PreservedAnalyses instrument_function::run(Function &function, FunctionAnalysisManager &analyses)
{
	if (!is_to_be_recorded(function))
		return PreservedAnalyses::all();
	instrument_body(function, analyses);
	function.addFnAttr(recorded_attribute);
	return PreservedAnalyses::none();
}

/* Is the variable written anywhere, or is its address passed on? */
static bool may_change(const Value &pointer)
{
	for (const User *user : pointer.users()) {
		if (isa<GEPOperator>(user) || isa<BitCastOperator>(user)) {
			if (may_change(*user))
				return true;
		} else if (!isa<LoadInst>(user)) {
			return true;
		}
	}
	return false;
}

/*
 * Keeps the variables that the optimiser would otherwise split or shrink, because it sees all their
 * uses.
 */
static void keep_variables(Module &module)
{
	std::vector<GlobalValue *> kept;

	for (GlobalVariable &variable : module.globals())
		if (variable.hasLocalLinkage() && !variable.isConstant() &&
		    !variable.isThreadLocal() && may_change(variable))
			kept.push_back(&variable);
	if (!kept.empty())
		appendToCompilerUsed(module, kept);
}

/*
 * Forbids optimisations, as other sanitizers do for other reasons. A loop that copies or fills
 * would become a call of memcpy or memset, which is an access without fields. (A copy that is a
 * call in the source stays a call.) A static variable that is only ever 0 or 1000 would become a
 * bool.
 */
PreservedAnalyses instrument_begin::run(Module &module, ModuleAnalysisManager &)
{
	bool any = false;

	for (Function &function : module) {
		if (!is_to_be_recorded(function))
			continue;
		any = true;
		for (const char *name : { "memcpy", "memmove", "memset", "bcmp" })
			function.addFnAttr(std::string("no-builtin-") + name);
	}
	if (any)
		keep_variables(module);
	return PreservedAnalyses::none();
}

PreservedAnalyses instrument_end::run(Module &module, ModuleAnalysisManager &)
{
	if (rows_are_there(module) || module.getNamedMetadata(POINTS_IN_MODULE))
		rows_add_module(module);
	return PreservedAnalyses::none();
}
