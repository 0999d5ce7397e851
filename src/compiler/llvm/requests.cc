/* Recognises Valgrind's client requests by their instructions. */
#include "compiler/llvm/requests.h"

#include <string>

using namespace llvm;

/* Returns the asm text without blanks, separators and escapes. */
static std::string without_separators(StringRef text)
{
	std::string out;
	for (char c : text)
		if (!strchr(" \t\n;%$", c))
			out += c;
	return out;
}

static bool is_request(const CallBase &call)
{
	const InlineAsm *code = cast<InlineAsm>(call.getCalledOperand());
	std::string text = without_separators(code->getAsmString());

	return text.find("rolq3,rdirolq13,rdirolq61,rdirolq51,rdi") != std::string::npos &&
	       text.find("xchgqrbx,rbx") != std::string::npos && call.arg_size() > 0;
}

void requests_announce(CallBase *call)
{
	if (!is_request(*call))
		return;
	IRBuilder<> builder(call);
	PointerType *pointer = llvm_pointer_type(call->getContext());
	FunctionType *type = FunctionType::get(builder.getVoidTy(), { pointer }, false);
	/* constraint "a": address of the request's numbers */
	Value *operands = call->getArgOperand(0);
	if (!operands->getType()->isPointerTy())
		operands = builder.CreateIntToPtr(operands, pointer);
	CallInst *announcement = builder.CreateCall(
		call->getModule()->getOrInsertFunction("__sooth_client_request", type),
		{ builder.CreatePointerCast(operands, pointer) });
	announcement->addFnAttr(Attribute::NoUnwind);
}
