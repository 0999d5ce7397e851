/*
 * A point is one asm call: a NOP, its row as assembler directives (common/point_row.h), and the
 * recorded values as operands. LLVM replaces the operands in the text of the row, so the row says
 * in which register or memory each value is.
 */
#include "compiler/llvm/point_asm.h"

#include "compiler/common/plain_name.h"
#include "compiler/common/point_row.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/* Only the dollar sign is special in an asm template. */
static const point_escape escape = { "$", '$' };
static const unsigned struct_max = 16;

/* ---- names ----------------------------------------------------------------------------------- */

/*
 * In LLVM, \1 at the start of a name prevents changes to the name. If a system header defines the
 * body of a builtin (for _FORTIFY_SOURCE), the body is called NAME.inline. Both are removed here.
 */
std::string point_linker_name(const Function &function)
{
	StringRef name = function.getName();

	if (!name.empty() && name[0] == '\1')
		name = name.drop_front();
	size_t length = name.size();
	if (function.hasLocalLinkage() && length > 7 && name.substr(length - 7) == ".inline")
		name = name.drop_back(7);
	return name.str();
}

/*
 * Returns the name of a function in the source. In C it differs from the linker name if the
 * declaration has an asm label.
 */
static std::string plain_of(const Function &function, const std::string &linker)
{
	const DISubprogram *described = function.getSubprogram();

	if (!linker.compare(0, 2, "_Z"))
		return plain_name_demangled(linker);
	return described ? described->getName().str() : "";
}

std::string point_full_name(const Function &function)
{
	std::string linker = point_linker_name(function), plain = plain_of(function, linker);
	return plain.empty() || plain == linker ? linker : linker + "\t" + plain;
}

/* ---- operands -------------------------------------------------------------------------------- */

struct point_operands {
	std::vector<Value *> in;
	std::vector<Type *> element; /* type of a memory operand; NULL for others */
	std::string words, constraints;
	unsigned rooms = 0;

	void add(const char *constraint, const char *modifier, Value *value, Type *memory)
	{
		words += "${" + std::to_string(in.size()) + modifier + "};";
		constraints += std::string(constraint) + ",";
		in.push_back(value);
		element.push_back(memory);
	}
};

point_builder::point_builder(Function &of) : function(of)
{
	std::string linker = point_linker_name(of);
	function_name = plain_of(of, linker);
	if (function_name.empty())
		function_name = linker;
}

/*
 * Returns memory for the i-th struct of a point. All points of a function share this memory; it is
 * filled just before each point.
 */
AllocaInst *point_builder::struct_room_for(unsigned i)
{
	LLVMContext &context = function.getContext();

	while (struct_room.size() <= i) {
		BasicBlock &entry = function.getEntryBlock();
		auto *type = ArrayType::get(Type::getInt64Ty(context), struct_max / 8);
		IRBuilder<> builder(&entry, entry.begin());
		struct_room.push_back(builder.CreateAlloca(type, nullptr, "sooth.struct"));
		struct_room.back()->setAlignment(Align(8));
	}
	return struct_room[i];
}

/*
 * A struct in registers is stored to memory first, because a row can name only one location for it.
 */
void point_builder::add_struct(point_operands &o, const point_value &v, Instruction *before)
{
	IRBuilder<> builder(before);
	if (v.in_memory) {
		Type *bytes = ArrayType::get(builder.getInt8Ty(), v.type.size);
		o.add("*m", "", builder.CreateBitCast(v.part[0], PointerType::getUnqual(bytes)),
		      bytes);
		return;
	}
	AllocaInst *to = struct_room_for(o.rooms++);
	for (unsigned i = 0; i < 2 && v.part[i]; i++) {
		Value *at = builder.CreateConstInBoundsGEP2_32(to->getAllocatedType(), to, 0, i);
		if (v.part[i]->getType() != Type::getInt64Ty(before->getContext()))
			at = builder.CreateBitCast(at,
						   PointerType::getUnqual(v.part[i]->getType()));
		builder.CreateAlignedStore(v.part[i], at, Align(8));
	}
	o.add("*m", "", to, to->getAllocatedType());
}

static bool is_struct(char letter)
{
	return letter > '0' && letter <= (char)('0' + struct_max);
}

void point_builder::add_value(point_operands &o, const point_value &v, Instruction *before)
{
	Value *value = v.part[0];
	char letter = v.type.letter;

	if (letter == 'o' || letter == 'v' || !value) {
		o.words += "_;";
	} else if (is_struct(letter)) {
		add_struct(o, v, before);
	} else if (auto *number = dyn_cast<ConstantFP>(value)) {
		APInt bits = number->getValueAPF().bitcastToAPInt();
		o.add("n", "", ConstantInt::get(before->getContext(), bits), nullptr);
	} else if (letter == 'f' || letter == 'd') {
		o.add("x", "", value, nullptr);
	} else {
		IRBuilder<> builder(before);
		if (isa<ConstantPointerNull>(value))
			value = builder.getInt64(0);
		if (value->getType()->isIntegerTy(1))
			value = builder.CreateZExt(value, builder.getInt8Ty());
		o.add("nr", ":q", value, nullptr);
	}
}

/* ---- the instruction ------------------------------------------------------------------------- */

static void mark_operands(CallInst *call, const std::vector<Type *> &element)
{
	for (unsigned i = 0; i < element.size(); i++) {
		/*
		 * The point may read what a pointer points to, but does not keep the pointer. So a
		 * local stays private.
		 */
		if (call->getArgOperand(i)->getType()->isPointerTy())
			call->addParamAttr(i, Attribute::NoCapture);
		if (element[i])
			call->addParamAttr(i, Attribute::get(call->getContext(),
							     Attribute::ElementType, element[i]));
	}
}

void point_builder::insert(const point &p, Instruction *before, DebugLoc where)
{
	LLVMContext &context = before->getContext();
	point_operands o;
	std::string types, pointed;
	unsigned flags = p.flags;

	for (const point_value &v : p.values) {
		if (types.size() == POINT_ARGUMENTS) {
			flags |= POINT_ROW_MORE;
			break;
		}
		types += v.type.letter;
		pointed += v.type.pointed;
		add_value(o, v, before);
	}
	if (pointed.find_first_not_of('o') != std::string::npos)
		types += '*' + pointed;
	std::vector<Type *> in;
	for (Value *value : o.in)
		in.push_back(value->getType());
	std::string text = point_row_nop({ p.kind, flags, p.name, function_name + "\t" + p.file,
					   types, o.words, p.line, p.column },
					 escape, seen_is_loose());
	FunctionType *type = FunctionType::get(Type::getVoidTy(context), in, false);
	InlineAsm *nop = InlineAsm::get(
		type, text, o.constraints + "~{memory},~{dirflag},~{fpsr},~{flags}", true);
	IRBuilder<> builder(before);
	CallInst *call = builder.CreateCall(type, nop, o.in);
	call->setDoesNotThrow();
	call->setDebugLoc(where);
	mark_operands(call, o.element);
}

void point_add_none(Function &function, const seen_location &where, const char *why)
{
	std::string linker = point_linker_name(function), plain = plain_of(function, linker);
	point_row_text row = { POINT_ROW_NONE,
			       function.hasLocalLinkage() ? (unsigned)POINT_ROW_LOCAL : 0,
			       point_full_name(function),
			       (plain.empty() ? linker : plain) + "\t" + where.file,
			       why,
			       "",
			       where.line,
			       where.column };

	function.getParent()->appendModuleInlineAsm(point_row_none(row, seen_is_loose()));
}
