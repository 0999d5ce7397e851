/*
 * The plugin's table (event/wire.h) as data of the module: each segment has a row, a constant in the
 * section sooth_seg; texts stand once each in sooth_str. References are self-relative.
 */
#ifndef COMPILER_LLVM_ROWS_H
#define COMPILER_LLVM_ROWS_H

#include "compiler/llvm/llvm.h"
#include "event/event.h"
#include "event/wire.h"

#include <string>
#include <vector>

struct row_element {
	wire_element wire;
	llvm::Constant *address = nullptr; /* what address_ref refers to, plus wire.address_ref */
	std::string name, path, place;
};

/* A row of the function's. It is dropped with the function if the linker drops that. */
llvm::GlobalVariable *rows_add(llvm::Function &function, unsigned bytes,
			       const std::vector<row_element> &elements);

/* Code that tells the runtime of the module's tables, once however many units it is linked from. */
void rows_add_module(llvm::Module &module);

/* Has the module any rows? */
bool rows_are_there(const llvm::Module &module);

#endif
