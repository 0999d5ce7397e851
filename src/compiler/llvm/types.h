/* Types as debug information describes them. */
#ifndef COMPILER_LLVM_TYPES_H
#define COMPILER_LLVM_TYPES_H

#include "compiler/llvm/llvm.h"

#include <string>

/*
 * Finds a struct of a module by the name that LLVM ("struct.table") or alias analysis ("table",
 * "_ZTS5table") gives it. NULL: there is none.
 */
llvm::DIType *types_find(const llvm::Module &module, llvm::StringRef name);

/* Returns what a pointer or reference of this type points at; NULL for other types. */
llvm::DIType *types_pointee(llvm::DIType *type);

std::string types_name(const llvm::DIType *type);

/* Returns the function's name with its class or namespaces. */
std::string types_function_name(const llvm::DISubprogram *function);

/*
 * The path from an object down to what an access is about: `size` bytes at `offset` in an object of
 * a type. It ends at a number; or, if the access is to a whole struct or array, at the first one
 * that is not larger; or at a type with the name `wanted`.
 */
class types_path
{
      public:
	types_path(llvm::DIType *type, int64_t offset, uint64_t size, bool is_whole,
		   llvm::StringRef wanted)
	    : at(type), offset(offset), size(size), is_whole(is_whole), wanted(wanted)
	{
	}

	/*
	 * For an object that is one of many in a row: reduces an offset beyond it to an offset in
	 * the element there.
	 */
	void wrap();
	void walk();

	std::string text;	/* ".field[].field" */
	std::string field_path; /* "struct.field.field" */
	uint64_t field_offset = 0;
	bool is_bit_field = false;
	llvm::DIType *type() const
	{
		return at;
	}

      private:
	llvm::DIType *at;
	int64_t offset;
	uint64_t size;
	bool is_whole;
	llvm::StringRef wanted;
	std::string alias; /* the typedef that leads to an anonymous struct */
	bool in_element = false;

	void strip();
	bool is_end(const llvm::DICompositeType *composite) const;
	bool into_array(llvm::DICompositeType *array);
	bool into_member(llvm::DICompositeType *composite);
	llvm::DIDerivedType *member_at(llvm::DICompositeType *composite) const;
	void add_field(const llvm::DICompositeType *composite, const llvm::DIDerivedType *member);
};

#endif
