/* Adds the call of the runtime before a client request. */
#include "compiler/llvm/requests.h"

#include "compiler/common/client_request.h"

using namespace llvm;

void requests_announce(CallBase *call)
{
	const InlineAsm *code = cast<InlineAsm>(call->getCalledOperand());

	if (!client_request_is_in(std::string(code->getAsmString())) || call->arg_size() == 0)
		return;
	IRBuilder<> builder(call);
	PointerType *pointer = llvm_pointer_type(call->getContext());
	FunctionType *type = FunctionType::get(builder.getVoidTy(), { pointer }, false);
	/* constraint "a": address of the request's number and arguments */
	Value *operands = call->getArgOperand(0);
	if (!operands->getType()->isPointerTy())
		operands = builder.CreateIntToPtr(operands, pointer);
	CallInst *announcement = builder.CreateCall(
		call->getModule()->getOrInsertFunction("__sooth_client_request", type),
		{ builder.CreatePointerCast(operands, pointer) });
	announcement->addFnAttr(Attribute::NoUnwind);
}
