/*
 * Disables LLVM's sanitizer pass. The pass cannot be removed from the pipeline, so its options are
 * switched off, and the constructor that it adds to each module is removed afterwards.
 */
#include "compiler/llvm/own_pass.h"
#include "compiler/llvm/llvm.h"

#include "llvm/ADT/Any.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace
{

/*
 * Is this the entry for the function? An entry of llvm.used is the function itself; an entry of
 * llvm.global_ctors is { priority, function, data }.
 */
bool entry_is(Constant *entry, const Function *function)
{
	if (isa<StructType>(entry->getType()))
		entry = entry->getAggregateElement(1u);
	return entry->stripPointerCasts() == function;
}

void drop_from_list(Module &module, StringRef list_name, const Function *gone)
{
	GlobalVariable *list = module.getNamedGlobal(list_name);
	auto *old = list ? dyn_cast<ConstantArray>(list->getInitializer()) : nullptr;
	if (!old)
		return;
	std::vector<Constant *> kept;
	for (Value *entry : old->operands())
		if (!entry_is(cast<Constant>(entry), gone))
			kept.push_back(cast<Constant>(entry));
	if (!kept.empty()) {
		ArrayType *type = ArrayType::get(old->getType()->getElementType(), kept.size());
		auto *fresh = new GlobalVariable(module, type, false, GlobalValue::AppendingLinkage,
						 ConstantArray::get(type, kept), "");
		fresh->setSection(list->getSection());
		fresh->takeName(list);
	}
	list->eraseFromParent();
}

/* Removes the constructor that starts libtsan; the sanitizer pass creates it in every module. */
void drop_libtsan(Module &module)
{
	Function *constructor = module.getFunction("tsan.module_ctor");
	if (!constructor)
		return;
	drop_from_list(module, "llvm.global_ctors", constructor);
	drop_from_list(module, "llvm.used", constructor);
	constructor->removeDeadConstantUsers();
	if (!constructor->use_empty())
		return;
	constructor->eraseFromParent();
	Function *init = module.getFunction("__tsan_init");
	if (init && init->use_empty())
		init->eraseFromParent();
}

/*
 * The module that is being compiled. A callback that runs after a pass gets the module, too, but as
 * an llvm::Any, whose type identifiers have other addresses in a plugin than in the compiler.
 */
Module *compiled_module;

struct remember_module_pass : llvm_required_pass<remember_module_pass> {
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
	{
		compiled_module = &module;
		return PreservedAnalyses::all();
	}
};

} // namespace

void own_pass_disable(PassBuilder &builder)
{
	for (const char *name :
	     { "tsan-instrument-memory-accesses", "tsan-instrument-memintrinsics",
	       "tsan-instrument-func-entry-exit", "tsan-instrument-atomics" })
		llvm_set_option(name, "0");
	builder.registerPipelineStartEPCallback(
		[](ModulePassManager &passes, auto) { passes.addPass(remember_module_pass()); });
	if (PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks())
		callbacks->registerAfterPassCallback(
			[](StringRef pass, Any, const PreservedAnalyses &) {
				if (pass == "ModuleThreadSanitizerPass" && compiled_module)
					drop_libtsan(*compiled_module);
			});
}
