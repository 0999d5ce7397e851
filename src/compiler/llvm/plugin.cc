/* The plugin of clang: where its passes stand. */
#include "compiler/llvm/own_pass.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"

static void register_passes(llvm::PassBuilder &builder)
{
	own_pass_silence(builder);
}

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
	return { LLVM_PLUGIN_API_VERSION, "sooth", "1", register_passes };
}
