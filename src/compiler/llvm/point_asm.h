/* Builds the instruction of a point: the NOP, its operands, and the row. */
#ifndef COMPILER_LLVM_POINT_ASM_H
#define COMPILER_LLVM_POINT_ASM_H

#include "compiler/llvm/point_seen.h"
#include "event/point.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include <string>
#include <vector>

/* An argument or a result, in LLVM's form. */
struct point_value {
	seen_type type;
	llvm::Value
		/* a number or pointer, or the parts of a struct; NULL: cannot be recorded */
		*part[2];
	bool in_memory; /* `part[0]` is its address */
};

struct point {
	unsigned kind, flags;
	std::string name; /* from point_full_name(); for a probe: "app:name" */
	std::vector<point_value> values;
	std::string file;
	unsigned line, column;
};

struct point_operands;

/* Inserts the points of one function. */
class point_builder
{
      public:
	explicit point_builder(llvm::Function &function);

	/* Inserts a point before an instruction. */
	void insert(const point &p, llvm::Instruction *before, llvm::DebugLoc where);

      private:
	llvm::Function &function;
	std::string function_name;
	std::vector<llvm::AllocaInst *> struct_room; /* for structs that are passed in registers */

	void add_struct(point_operands &o, const point_value &v, llvm::Instruction *before);
	void add_value(point_operands &o, const point_value &v, llvm::Instruction *before);
	llvm::AllocaInst *struct_room_for(unsigned i);
};

/* Returns the linker name, without prefixes and suffixes of LLVM. */
std::string point_linker_name(const llvm::Function &function);

/* Returns the linker name. If the source uses another name, it follows after a tab. */
std::string point_full_name(const llvm::Function &function);

/* Adds a row that says why the function has no points. */
void point_add_none(llvm::Function &function, const seen_location &where, const char *why);

#endif
