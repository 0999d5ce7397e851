/* The headers of LLVM that the plugin uses, and wrappers where its versions (14 to 19) differ. */
#ifndef COMPILER_LLVM_LLVM_H
#define COMPILER_LLVM_LLVM_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/CommandLine.h"

/*
 * Returns the type of a pointer to bytes. Before LLVM 15, each pointer type contains the type that
 * it points to.
 */
static inline llvm::PointerType *llvm_pointer_type(llvm::LLVMContext &context)
{
#if LLVM_VERSION_MAJOR < 15
	return llvm::Type::getInt8PtrTy(context);
#else
	return llvm::PointerType::get(context, 0);
#endif
}

/* Sets an option of LLVM. Does nothing if no pass has registered an option of that name. */
static inline void llvm_set_option(llvm::StringRef name, llvm::StringRef value)
{
	if (llvm::cl::Option *option = llvm::cl::getRegisteredOptions().lookup(name))
		option->addOccurrence(0, name, value);
}

/* A pass that must also run on functions that are not to be optimised (optnone). */
template <typename T> struct llvm_required_pass : llvm::PassInfoMixin<T> {
	static bool isRequired()
	{
		return true;
	}
};

static inline bool llvm_starts_with(llvm::StringRef text, llvm::StringRef prefix)
{
	return text.substr(0, prefix.size()) == prefix;
}

/*
 * Removes the attributes that say which memory a function or a call accesses. They are no longer
 * true when the function makes records.
 */
template <typename T> static inline void llvm_forget_memory_effects(T &function_or_call)
{
#if LLVM_VERSION_MAJOR < 16
	for (llvm::Attribute::AttrKind kind :
	     { llvm::Attribute::ReadNone, llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly,
	       llvm::Attribute::ArgMemOnly, llvm::Attribute::InaccessibleMemOnly,
	       llvm::Attribute::InaccessibleMemOrArgMemOnly, llvm::Attribute::NoSync })
		function_or_call.removeFnAttr(kind);
#else
	for (llvm::Attribute::AttrKind kind : { llvm::Attribute::Memory, llvm::Attribute::NoSync })
		function_or_call.removeFnAttr(kind);
#endif
}

#endif
