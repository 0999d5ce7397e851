/*
 * The plugin's table (event/wire.h) as data of the module. Each segment has a row, a constant in
 * the section sooth_seg. Each text is stored once in sooth_str. References are self-relative.
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
	/* target of address_ref, to which wire.address_ref is added */
	llvm::Constant *address = nullptr;
	std::string name, path, site;
};

/* Adds a row for the function. If the linker drops the function, it drops the row, too. */
llvm::GlobalVariable *rows_add(llvm::Function &function, unsigned bytes,
			       const std::vector<row_element> &elements);

/*
 * Adds code that announces the module's tables to the runtime, once however many units are linked.
 */
void rows_add_module(llvm::Module &module);

/* Returns whether the module has any rows. */
bool rows_are_there(const llvm::Module &module);

#endif
