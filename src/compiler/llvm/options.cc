/* The plugin's command-line options. */
#include "compiler/llvm/options.h"

#include "llvm/Support/CommandLine.h"

using namespace llvm;

static cl::opt<keep_debug>
	keep_debug_option("sooth-keep-debug",
			  cl::desc("Debugging information that stays when sooth's passes are done"),
			  cl::values(clEnumValN(KEEP_DEBUG_NONE, "none", "nothing"),
				     clEnumValN(KEEP_DEBUG_LINES, "lines", "lines of code"),
				     clEnumValN(KEEP_DEBUG_ALL, "all", "all of it")),
			  cl::init(KEEP_DEBUG_ALL));

static cl::opt<points_wanted>
	points_option("sooth-points", cl::desc("Functions that have points"),
		      cl::values(clEnumValN(POINTS_NONE, "none", "none"),
				 clEnumValN(POINTS_SOME, "some", "all but small inline ones"),
				 clEnumValN(POINTS_ALL, "all", "all")),
		      cl::init(POINTS_SOME));

static cl::opt<bool> statistics_option("sooth-statistics",
				       cl::desc("Says how much was instrumented"));

enum keep_debug options_keep_debug()
{
	return keep_debug_option;
}

enum points_wanted options_points()
{
	return points_option;
}

bool options_statistics()
{
	return statistics_option;
}
