/*
 * The clang plugin, for versions 14 to 19: registers its passes at their positions in the pipeline.
 */
#include "compiler/llvm/chosen.h"
#include "compiler/llvm/hold.h"
#include "compiler/llvm/instrument.h"
#include "compiler/llvm/masked.h"
#include "compiler/llvm/options.h"
#include "compiler/llvm/own_pass.h"
#include "compiler/llvm/points.h"
#include "compiler/llvm/segment.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static void print_statistics()
{
	const struct segment_counts &c = segment_counts;

	errs() << "sooth: " << c.segments << " segments, " << c.reads << " reads, " << c.writes
	       << " writes, " << c.copies << " copies, " << c.inexact
	       << " without exact value; recorded " << c.addresses_kept << " addresses, "
	       << c.values_kept << " values\n";
}

/*
 * The last pass: drops the debug information that the user did not ask for, and prints statistics.
 */
struct finish_pass : llvm_required_pass<finish_pass> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		switch (options_keep_debug()) {
		case KEEP_DEBUG_NONE: StripDebugInfo(module); break;
		case KEEP_DEBUG_LINES: stripNonLineTableDebugInfo(module); break;
		case KEEP_DEBUG_ALL: break;
		}
		if (options_statistics())
			print_statistics();
		return PreservedAnalyses::none();
	}
};

/*
 * Asks LLVM for a table that maps code addresses to units. LLVM writes it only if there is debug
 * information; gcc always writes it. libdw needs the table; sooth uses libdw to find the lines of
 * code without a row.
 */
static void want_address_table()
{
	llvm_set_option("generate-arange-section", "1");
}

/*
 * Forbids optimisations that move reads to where the source does not make them in the same
 * execution. These reads do no harm on the machine, but races with them would not be races of the
 * program. In a loop with `if (c) sum += x`, LLVM reads sum before the loop, whatever c is. In `for
 * (…) { all += x; if (last) post(); }`, LLVM reads x before the loop and after post(), even if no
 * iteration follows.
 */
static void forbid_added_reads()
{
	llvm_set_option("disable-licm-promotion", "1");
	llvm_set_option("enable-load-in-loop-pre", "0");
	llvm_set_option("simple-loop-unswitch-memoryssa-threshold", "0");
}

static void register_passes(PassBuilder &builder)
{
	own_pass_disable(builder);
	hold_reads(builder);
	forbid_added_reads();
	want_address_table();
	points_register(builder);
	builder.registerPipelineStartEPCallback([](ModulePassManager &passes, auto...) {
		passes.addPass(instrument_begin());
		passes.addPass(createModuleToFunctionPassAdaptor(masked_split()));
	});
	builder.registerPipelineEarlySimplificationEPCallback(
		[](ModulePassManager &passes, auto...) {
			passes.addPass(createModuleToFunctionPassAdaptor(chosen_reads()));
		});
	builder.registerPeepholeEPCallback(
		[](FunctionPassManager &passes, auto...) { passes.addPass(chosen_reads()); });
	builder.registerVectorizerStartEPCallback([](FunctionPassManager &passes, auto...) {
		passes.addPass(chosen_reads());
		passes.addPass(instrument_function());
	});
	/*
	 * With -flto, the vectorizer does not run before the link, so functions are instrumented
	 * here, unless that has been done.
	 */
	builder.registerOptimizerLastEPCallback([](ModulePassManager &passes, auto...) {
		passes.addPass(createModuleToFunctionPassAdaptor(instrument_function()));
		passes.addPass(instrument_end());
		passes.addPass(finish_pass());
	});
}

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
	return { LLVM_PLUGIN_API_VERSION, "sooth", "1", register_passes };
}
