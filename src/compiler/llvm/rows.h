/*
 * The plugin's table (event/wire.h), as data of the module. Each segment has a row, which is a
 * constant in the section sooth_seg. Each text is stored once, in the section sooth_str. References
 * are self-relative.
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
	/* the target of address_ref, without the offset wire.address_ref */
	llvm::Constant *address = nullptr;
	std::string name, path, site;
};

/*
 * Adds a row for a segment of the function. If the linker drops the function, it also drops the
 * row.
 */
llvm::GlobalVariable *rows_add(llvm::Function &function, unsigned bytes,
			       const std::vector<row_element> &elements);

/*
 * Adds code that announces the module's tables to the runtime. It is run once, even if several
 * units that have it are linked.
 */
void rows_add_module(llvm::Module &module);

/* Does the module have any rows? */
bool rows_are_there(const llvm::Module &module);

#endif
