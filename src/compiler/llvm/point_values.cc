/*
 * Determines how values are passed (System V ABI for x86-64). A number or a pointer is one value. A
 * struct of up to 16 bytes is split into one or two values of eight bytes; if there are not enough
 * registers left, it is copied to memory. An empty class is not passed. A class that must be
 * constructed is passed by its address.
 */
#include "compiler/llvm/point_values.h"

#include "llvm/IR/DataLayout.h"

#include <cctype>
#include <cstring>

using namespace llvm;

std::vector<passed_value> point_passed(Function &function)
{
	std::vector<passed_value> passed;

	for (Argument &argument : function.args())
		passed.push_back({ &argument, argument.hasByValAttr(), argument.hasStructRetAttr(),
				   argument.hasAttribute(Attribute::ZExt) });
	return passed;
}

std::vector<passed_value> point_passed(CallBase &call)
{
	std::vector<passed_value> passed;

	for (unsigned i = 0; i < call.arg_size(); i++)
		passed.push_back({ call.getArgOperand(i), call.isByValArgument(i),
				   call.paramHasAttr(i, Attribute::StructRet),
				   call.paramHasAttr(i, Attribute::ZExt) });
	return passed;
}

static seen_type type_of(Type *type, bool is_unsigned)
{
	char letter = 'o';

	if (type->isPointerTy())
		letter = 'p';
	else if (type->isFloatTy())
		letter = 'f';
	else if (type->isDoubleTy())
		letter = 'd';
	else if (type->isIntegerTy(64))
		letter = 'l';
	else if (type->isIntegerTy(32))
		letter = 'i';
	else if (type->isIntegerTy(16))
		letter = is_unsigned ? 'H' : 'h';
	else if (type->isIntegerTy(8) || type->isIntegerTy(1))
		letter = is_unsigned ? 'B' : 'b';
	return { letter, 'o', SEEN_SCALAR, 8 };
}

static bool letter_fits(char letter, Type *type)
{
	int plain = letter == 's' ? 'p' : tolower(letter);
	return !strchr("pfdlihb", plain) || type_of(type, false).letter == plain;
}

/*
 * Appends the next argument. Returns false if the passed values do not fit its type. That can
 * happen in a call without a prototype, where an argument may be wider than the parameter.
 */
static bool append_argument(const DataLayout &layout, const std::vector<passed_value> &passed,
			    size_t &next, const seen_type &type, std::vector<point_value> &out)
{
	point_value made = { type, { nullptr, nullptr }, false };

	if (type.way == SEEN_NOTHING) {
		out.push_back(made);
		return true;
	}
	if (next == passed.size())
		return false;
	const passed_value &first = passed[next++];
	if (!letter_fits(type.letter, first.value->getType()))
		return false;
	made.part[0] = first.value;
	made.in_memory = first.is_copy;
	bool is_cut = type.way != SEEN_REFERENCE && !first.is_copy && type.size > 8 &&
		      layout.getTypeStoreSize(first.value->getType()).getFixedValue() <= 8;
	if (is_cut) {
		if (next == passed.size())
			return false;
		made.part[1] = passed[next++].value;
	}
	out.push_back(made);
	return true;
}

std::vector<point_value> point_arguments(const DataLayout &layout,
					 const std::vector<passed_value> &passed,
					 const std::vector<seen_type> *types)
{
	size_t start = !passed.empty() && passed[0].is_result, next = start;
	std::vector<point_value> out;
	bool good = types;

	for (size_t i = 0; good && i < types->size(); i++)
		good = append_argument(layout, passed, next, (*types)[i], out);
	if (good && next == passed.size())
		return out;
	out.clear();
	for (next = start; next < passed.size(); next++) {
		seen_type type = type_of(passed[next].value->getType(), passed[next].is_unsigned);
		if (passed[next].is_copy)
			type.letter = 'o';
		out.push_back({ type, { passed[next].value, nullptr }, false });
	}
	return out;
}

point_value point_result(IRBuilder<> &builder, Value *value, const seen_type *type)
{
	point_value made = { type ? *type : type_of(value->getType(), false),
			     { value, nullptr },
			     false };

	if (made.type.way == SEEN_STRUCT && value->getType()->isStructTy() &&
	    value->getType()->getStructNumElements() == 2) {
		made.part[0] = builder.CreateExtractValue(value, 0);
		made.part[1] = builder.CreateExtractValue(value, 1);
	} else if (made.type.way == SEEN_SCALAR &&
		   !letter_fits(made.type.letter, value->getType())) {
		made.type = type_of(value->getType(), false);
	}
	return made;
}
