/*
 * Unrolls short loops. Opening a segment costs about eight instructions and four bytes, whatever it
 * contains, and a segment ends where control flow branches. In a loop of one block with one access,
 * that is most of the cost. So LLVM's own pass unrolls such loops first, as if the source had
 * requested that. Recorded code is not vectorised anyway.
 */
#include "compiler/llvm/unroll.h"

#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

static const unsigned unroll_count = 4;
static const size_t accesses_max = 8, instructions_max = 48;

/*
 * Is the block straight-line code with a few recorded accesses? Calls and points would end the
 * segment.
 */
static bool is_short(const BasicBlock &block, access_sharing &sharing)
{
	size_t accesses = 0, instructions = 0;

	for (const Instruction &i : block) {
		if (isa<DbgInfoIntrinsic>(i))
			continue;
		if (isa<CallBase>(i) && !isa<IntrinsicInst>(i))
			return false;
		if (const Value *pointer = getLoadStorePointerOperand(&i))
			accesses += sharing.is_shared(pointer);
		instructions++;
	}
	return accesses && accesses <= accesses_max && instructions <= instructions_max;
}

static const char count_request[] = "llvm.loop.unroll.count";
/* marks the loops for which this pass, and not the source, requested unrolling */
static const char own_request[] = "sooth.unroll";

static bool has_request(const Loop &loop)
{
	for (const char *word : { count_request, "llvm.loop.unroll.disable",
				  "llvm.loop.unroll.full", "llvm.loop.unroll.enable" })
		if (findOptionMDForLoop(&loop, word))
			return true;
	return false;
}

static bool request_unrolling(LoopInfo &loops, ScalarEvolution &evolution)
{
	access_sharing sharing;
	bool any = false;

	for (Loop *loop : loops.getLoopsInPreorder()) {
		if (loop->getNumBlocks() != 1 || !is_short(*loop->getHeader(), sharing) ||
		    has_request(*loop) || !evolution.hasLoopInvariantBackedgeTakenCount(loop))
			continue;
		addStringMetadataToLoop(loop, count_request, unroll_count);
		addStringMetadataToLoop(loop, own_request, 1);
		any = true;
	}
	return any;
}

/* Withdraws requests that were not fulfilled; otherwise LLVM would warn the user about them. */
static void withdraw_requests(Function &function, LoopInfo &loops)
{
	for (Loop *loop : loops.getLoopsInPreorder())
		if (findOptionMDForLoop(loop, own_request))
			loop->setLoopID(makePostTransformationMetadata(
				function.getContext(), loop->getLoopID(),
				{ count_request, own_request }, {}));
}

void unroll_short_loops(Function &function, FunctionAnalysisManager &analyses)
{
	if (function.hasOptNone() || function.hasOptSize() ||
	    !request_unrolling(analyses.getResult<LoopAnalysis>(function),
			       analyses.getResult<ScalarEvolutionAnalysis>(function)))
		return;
	analyses.invalidate(function,
			    LoopUnrollPass(LoopUnrollOptions(2, true)).run(function, analyses));
	withdraw_requests(function, analyses.getResult<LoopAnalysis>(function));
}
