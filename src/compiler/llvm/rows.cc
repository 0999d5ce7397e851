/*
 * Builds rows as constants of the module. LLVM prints them into the section sooth_seg.
 * Self-relative references are differences of addresses, which the linker computes.
 */
#include "compiler/llvm/rows.h"
#include "compiler/llvm/calls.h"

#include "llvm/Support/MD5.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

static const char text_section[] = "sooth_str", row_section[] = "sooth_seg";

/* ---- texts ----------------------------------------------------------------------------------- */

/*
 * Returns the variable that contains a text. Its name is a hash of the text, so that it is found
 * again: a function pass cannot keep a table.
 */
static GlobalVariable *text_of(Module &module, const std::string &text)
{
	MD5 hash;
	MD5::MD5Result result;
	SmallString<32> digest;

	hash.update(text);
	hash.final(result);
	MD5::stringifyResult(result, digest);
	std::string name = ("sooth.text." + digest).str();
	if (GlobalVariable *found = module.getGlobalVariable(name, true))
		return found;
	Constant *contents = ConstantDataArray::getString(module.getContext(), text, true);
	GlobalVariable *made = new GlobalVariable(module, contents->getType(), true,
						  GlobalValue::PrivateLinkage, contents, name);
	made->setSection(text_section);
	made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
	made->setAlignment(Align(1));
	return made;
}

/* ---- rows ------------------------------------------------------------------------------------ */

class row_builder
{
      public:
	row_builder(Function &function, size_t count)
	    : module(*function.getParent()), context(module.getContext())
	{
		IntegerType *b = Type::getInt8Ty(context), *h = Type::getInt16Ty(context),
			    *w = Type::getInt32Ty(context), *q = Type::getInt64Ty(context);
		element_type = StructType::get(
			context, { b, b, h, b, b, h, h, h, h, h, w, w, w, w, w, w, q });
		StructType *type =
			StructType::get(context, { h, h, w, ArrayType::get(element_type, count) });
		row = new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage, nullptr,
					 "sooth.row");
		row->setSection(row_section);
		row->setAlignment(Align(8));
		row->setComdat(function.getComdat());
	}

	void fill(Function &function, unsigned bytes, const std::vector<row_element> &elements)
	{
		std::vector<Constant *> all;
		for (size_t i = 0; i < elements.size(); i++)
			all.push_back(element(elements[i],
					      sizeof(wire_segment) + i * sizeof(wire_element)));
		StructType *type = cast<StructType>(row->getValueType());
		Constant *name =
			to_text(calls_name(function).str(), offsetof(wire_segment, function_ref));
		row->setInitializer(ConstantStruct::get(
			type,
			{ field_value(type, 0, bytes), field_value(type, 1, elements.size()), name,
			  ConstantArray::get(cast<ArrayType>(type->getElementType(3)), all) }));
	}

	GlobalVariable *row;

      private:
	Module &module;
	LLVMContext &context;
	StructType *element_type;

	static Constant *field_value(StructType *type, unsigned field, uint64_t value)
	{
		return ConstantInt::get(type->getElementType(field), value);
	}

	Constant *byte_of(GlobalVariable *variable, int64_t offset)
	{
		Type *byte = Type::getInt8Ty(context);
		Constant *base = ConstantExpr::getPointerCast(variable, llvm_pointer_type(context));
		return ConstantExpr::getInBoundsGetElementPtr(
			byte, base, ConstantInt::get(Type::getInt64Ty(context), (uint64_t)offset));
	}

	/* target - (row + at), in 32 bits */
	Constant *relative(Constant *target, uint64_t at)
	{
		Type *wide = Type::getInt64Ty(context);
		Constant *from = ConstantExpr::getPtrToInt(byte_of(row, (int64_t)at), wide);
		Constant *to = ConstantExpr::getPtrToInt(target, wide);
		return ConstantExpr::getTrunc(ConstantExpr::getSub(to, from),
					      Type::getInt32Ty(context));
	}

	Constant *to_text(const std::string &text, uint64_t at)
	{
		if (text.empty())
			return ConstantInt::get(Type::getInt32Ty(context), 0);
		return relative(text_of(module, text), at);
	}

	Constant *address(const row_element &e, uint64_t at)
	{
		if (!e.address)
			return ConstantInt::get(Type::getInt32Ty(context),
						(uint64_t)e.wire.address_ref, true);
		return relative(byte_of(cast<GlobalVariable>(e.address), e.wire.address_ref), at);
	}

	Constant *element(const row_element &e, uint64_t at)
	{
		const wire_element &w = e.wire;
		const uint64_t before[] = { w.kind,	    w.flags,	  w.size,
					    w.address_form, w.value_form, w.address_slot,
					    w.value_slot,   w.address_at, w.value_at,
					    w.column,	    w.line };
		std::vector<Constant *> fields;

		for (uint64_t value : before)
			fields.push_back(field_value(element_type, (unsigned)fields.size(), value));
		fields.push_back(address(e, at + offsetof(wire_element, address_ref)));
		fields.push_back(to_text(e.name, at + offsetof(wire_element, name_ref)));
		fields.push_back(to_text(e.path, at + offsetof(wire_element, path_ref)));
		fields.push_back(to_text(e.site, at + offsetof(wire_element, site_ref)));
		fields.push_back(field_value(element_type, 15, w.field_offset));
		fields.push_back(field_value(element_type, 16, w.value));
		return ConstantStruct::get(element_type, fields);
	}
};

GlobalVariable *rows_add(Function &function, unsigned bytes,
			 const std::vector<row_element> &elements)
{
	row_builder builder(function, elements.size());
	builder.fill(function, bytes, elements);
	return builder.row;
}

/* ---- the module ------------------------------------------------------------------------------ */

bool rows_are_there(const Module &module)
{
	for (const GlobalVariable &variable : module.globals())
		if (variable.getSection() == row_section)
			return true;
	return false;
}

/* Returns the symbol that the linker defines for the start or the end of a section. */
static Constant *section_symbol(Module &module, const char *name)
{
	Type *byte = Type::getInt8Ty(module.getContext());
	Constant *found = module.getOrInsertGlobal(name, byte, [&] {
		GlobalVariable *made = new GlobalVariable(
			module, byte, false, GlobalValue::ExternalLinkage, nullptr, name);
		made->setVisibility(GlobalValue::HiddenVisibility);
		made->setDSOLocal(true);
		return made;
	});
	return ConstantExpr::getPointerCast(found, llvm_pointer_type(module.getContext()));
}

/* Adds an empty variable to a section, so that the section exists. */
static void add_empty(Module &module, const char *section, uint64_t alignment)
{
	ArrayType *type = ArrayType::get(Type::getInt8Ty(module.getContext()), 0);
	GlobalVariable *made = new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage,
						  ConstantAggregateZero::get(type), "sooth.none");
	made->setSection(section);
	made->setAlignment(Align(alignment));
	appendToUsed(module, { made });
}

void rows_add_module(Module &module)
{
	static const char name[] = "__sooth_module";
	LLVMContext &context = module.getContext();
	Type *nothing = Type::getVoidTy(context), *pointer = llvm_pointer_type(context);

	if (module.getFunction(name))
		return;
	FunctionType *type =
		FunctionType::get(nothing, { pointer, pointer, pointer, pointer }, false);
	FunctionCallee add = module.getOrInsertFunction("__sooth_module_add", type);
	Function *start = Function::Create(FunctionType::get(nothing, false),
					   GlobalValue::LinkOnceODRLinkage, name, &module);
	start->setVisibility(GlobalValue::HiddenVisibility);
	start->setDSOLocal(true);
	start->setComdat(module.getOrInsertComdat(name));
	start->addFnAttr(Attribute::NoUnwind);
	IRBuilder<> builder(BasicBlock::Create(context, "", start));
	builder.CreateCall(add, { section_symbol(module, "__start_sooth_seg"),
				  section_symbol(module, "__stop_sooth_seg"),
				  section_symbol(module, "__start_sooth_str"),
				  section_symbol(module, "__stop_sooth_str") });
	builder.CreateRetVoid();
	/* earliest priority, because constructors of the program may run recorded code */
	appendToGlobalCtors(module, start, 0, start);
	add_empty(module, row_section, 8);
	add_empty(module, text_section, 1);
}
