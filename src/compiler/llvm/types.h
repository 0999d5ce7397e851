/* Types as debug information describes them. */
#ifndef COMPILER_LLVM_TYPES_H
#define COMPILER_LLVM_TYPES_H

#include "compiler/llvm/llvm.h"

#include <string>

/*
 * Returns the struct of a module that has this name in LLVM ("struct.table") or in the metadata for
 * alias analysis ("table", "_ZTS5table"), or NULL if there is none.
 */
llvm::DIType *types_find(const llvm::Module &module, llvm::StringRef name);

/* Returns the type that a pointer or reference of this type points to; NULL for other types. */
llvm::DIType *types_pointee(llvm::DIType *type);

std::string types_name(const llvm::DIType *type);

/* Returns the function's name with its class or namespaces. */
std::string types_function_name(const llvm::DISubprogram *function);

/*
 * The path from an object to the part that is accessed: `size` bytes at `offset` in an object of a
 * type. The path ends at a number; or, if the access is to a whole struct or array, at the first
 * one that is not larger than the access; or at a type with the name `wanted`.
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
	 * For an object that is an element of an array: if the offset is in another element,
	 * reduces it to the offset in that element.
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
	std::string alias; /* the typedef that names an anonymous struct */
	bool in_element = false;

	void strip();
	bool is_end(const llvm::DICompositeType *composite) const;
	bool into_array(llvm::DICompositeType *array);
	bool into_member(llvm::DICompositeType *composite);
	llvm::DIDerivedType *member_at(llvm::DICompositeType *composite) const;
	void add_field(const llvm::DICompositeType *composite, const llvm::DIDerivedType *member);
};

#endif
