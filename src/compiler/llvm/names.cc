/*
 * Names accesses. In LLVM, an access is a pointer and a size. Its name in the source comes from
 * three places: the variable from which the pointer is computed (debug information names globals,
 * locals, and registers that hold a variable's value); the type of that variable, in which the
 * constant part of the address is a path of fields; and, if no variable is found, the struct type
 * in the address computation.
 */
#include "compiler/llvm/names.h"
#include "compiler/llvm/calls.h"
#include "compiler/llvm/types.h"

#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;

namespace
{

/* An object and an offset in it, as far as they are known. */
struct object_view {
	std::string text; /* name of the object, or of a pointer to it */
	bool is_direct = false;
	bool has_index = false; /* the offset depends on a variable */
	DIType *type = nullptr; /* type of the object */
	int64_t offset = 0;
};

/* ---- variables ------------------------------------------------------------------------------- */

/* How debug information relates a value to a variable: as its contents or as its address. */
enum role { ROLE_VALUE, ROLE_ADDRESS };

bool has_role(const DIExpression *expression, role wanted)
{
	if (wanted == ROLE_VALUE)
		return expression->getNumElements() == 0;
	return expression->getNumElements() == 1 && expression->getElement(0) == dwarf::DW_OP_deref;
}

/*
 * Chooses among several variables with this value: prefers one in the function that the instruction
 * comes from.
 */
template <typename T>
DILocalVariable *choose_variable(const T &users, role wanted, const DILocation *inlined_at,
				 DILocalVariable *best)
{
	for (auto *user : users) {
		if (!has_role(user->getExpression(), wanted))
			continue;
		if (!best || user->getDebugLoc().getInlinedAt() == inlined_at)
			best = user->getVariable();
	}
	return best;
}

/* Returns the variable whose contents or whose address (`wanted`) is this value. */
DILocalVariable *variable_of(Value *value, role wanted, const DILocation *inlined_at)
{
	SmallVector<DbgValueInst *, 4> users;
#if LLVM_VERSION_MAJOR < 19
	findDbgValues(users, value);
	return choose_variable(users, wanted, inlined_at, nullptr);
#else
	SmallVector<DbgVariableRecord *, 4> records;
	findDbgValues(users, value, &records);
	return choose_variable(records, wanted, inlined_at,
			       choose_variable(users, wanted, inlined_at, nullptr));
#endif
}

/*
 * Returns the variable that is in this memory, because it is declared to be there, or, after
 * optimisation, because debug information describes it by this address.
 */
DILocalVariable *variable_in(Value *memory)
{
#if LLVM_VERSION_MAJOR < 19
	DILocalVariable *declared =
		choose_variable(FindDbgDeclareUses(memory), ROLE_VALUE, nullptr, nullptr);
#else
	DILocalVariable *declared = choose_variable(
		findDVRDeclares(memory), ROLE_VALUE, nullptr,
		choose_variable(findDbgDeclares(memory), ROLE_VALUE, nullptr, nullptr));
#endif
	return declared ? declared : variable_of(memory, ROLE_ADDRESS, nullptr);
}

/* ---- objects --------------------------------------------------------------------------------- */

class describer
{
      public:
	describer(Instruction &at) : module(*at.getModule()), layout(module.getDataLayout())
	{
		if (const DILocation *where = at.getDebugLoc())
			inlined_at = where->getInlinedAt();
		note_alias_type(at);
	}

	object_view object_at(Value *pointer, unsigned depth = 0)
	{
		object_view v;
		for (;;) {
			if (named_pointer(pointer, v))
				return v;
			GEPOperator *sum = dyn_cast<GEPOperator>(pointer);
			if (sum) {
				add_offset(sum, v);
				pointer = sum->getPointerOperand();
			} else if (isa<BitCastOperator>(pointer) ||
				   isa<AddrSpaceCastOperator>(pointer)) {
				pointer = cast<Operator>(pointer)->getOperand(0);
			} else if (Value *variable = behind_intrinsic(pointer)) {
				pointer = variable;
			} else {
				break;
			}
		}
		describe_base(pointer, v, depth);
		return v;
	}

	names_reference reference(const object_view &v, uint64_t size, bool is_whole,
				  StringRef wanted = "");

      private:
	const Module &module;
	const DataLayout &layout;
	const DILocation *inlined_at = nullptr;

	static Value *behind_intrinsic(Value *pointer)
	{
		IntrinsicInst *call = dyn_cast<IntrinsicInst>(pointer);
		if (!call)
			return nullptr;
		switch (call->getIntrinsicID()) {
#if LLVM_VERSION_MAJOR >= 15
		case Intrinsic::threadlocal_address:
#endif
		case Intrinsic::launder_invariant_group:
		case Intrinsic::strip_invariant_group: return call->getArgOperand(0);
		default: return nullptr;
		}
	}

	/* Returns the variable with this value, if its type says what the value points to. */
	DILocalVariable *pointer_variable(Value *pointer)
	{
		DILocalVariable *variable = variable_of(pointer, ROLE_VALUE, inlined_at);
		if (variable && types_pointee(variable->getType()))
			return variable;
		/* the same pointer with another type: `struct account *to = argument` */
		for (User *user : pointer->users())
			if (isa<BitCastInst>(user)) {
				variable = variable_of(user, ROLE_VALUE, inlined_at);
				if (variable && types_pointee(variable->getType()))
					return variable;
			}
		return nullptr;
	}

	/*
	 * If a variable p of the source contains this pointer, sets the text to "p" and the type to
	 * the one to which p points. Returns false if there is no such variable.
	 */
	bool named_pointer(Value *pointer, object_view &v)
	{
		if (isa<Constant>(pointer) || isa<AllocaInst>(pointer))
			return false;
		DILocalVariable *variable = pointer_variable(pointer);
		if (!variable)
			return false;
		v.text = variable->getName().str();
		v.type = types_pointee(variable->getType());
		return true;
	}

	void add_offset(GEPOperator *sum, object_view &v)
	{
		MapVector<Value *, APInt> variables;
		APInt constant(layout.getIndexTypeSizeInBits(sum->getType()), 0);

		if (!sum->collectOffset(layout, constant.getBitWidth(), variables, constant))
			return;
		v.offset += constant.getSExtValue();
		v.has_index = v.has_index || !variables.empty();
		if (!v.type)
			note_struct(sum->getSourceElementType(), v);
	}

	/* Remembers the struct type in the address computation, in case nothing better is found. */
	void note_struct(Type *type, const object_view &v)
	{
		StructType *known = dyn_cast<StructType>(type);
		if (!known || !known->hasName() || fallback)
			return;
		fallback = types_find(module, known->getName());
		fallback_offset = v.offset;
	}
	DIType *fallback = nullptr;
	int64_t fallback_offset = 0;

	/*
	 * Remembers the struct type and the offset that the metadata for alias analysis gives for
	 * an access.
	 */
	void note_alias_type(Instruction &at)
	{
		MDNode *tag = at.getMetadata(LLVMContext::MD_tbaa);
		MDNode *base = tag && tag->getNumOperands() >= 3
				       ? dyn_cast_or_null<MDNode>(tag->getOperand(0))
				       : nullptr;
		MDString *name = base && base->getNumOperands() > 0
					 ? dyn_cast_or_null<MDString>(base->getOperand(0))
					 : nullptr;
		ConstantInt *offset =
			name ? mdconst::dyn_extract<ConstantInt>(tag->getOperand(2)) : nullptr;
		if (!offset)
			return;
		fallback = types_find(module, name->getString());
		fallback_offset = (int64_t)offset->getZExtValue();
	}

	void describe_variable(const DIVariable *variable, object_view &v)
	{
		v.is_direct = true;
		v.text = variable->getName().str();
		v.type = variable->getType();
	}

	void describe_base(Value *base, object_view &v, unsigned depth)
	{
		if (GlobalVariable *global = dyn_cast<GlobalVariable>(base)) {
			SmallVector<DIGlobalVariableExpression *, 1> found;
			global->getDebugInfo(found);
			v.is_direct = true;
			if (!found.empty())
				describe_variable(found[0]->getVariable(), v);
			else
				v.text = global->getName().str();
		} else if (AllocaInst *local = dyn_cast<AllocaInst>(base)) {
			v.is_direct = true;
			if (DILocalVariable *variable = variable_in(local))
				describe_variable(variable, v);
		} else if (LoadInst *load = dyn_cast<LoadInst>(base)) {
			describe_loaded(load, v, depth);
		} else if (DILocalVariable *variable = variable_in(base)) {
			describe_variable(variable, v); /* an argument in memory */
		}
		if (!v.type && fallback && !v.is_direct) {
			v.type = fallback;
			v.offset = fallback_offset;
			if (v.text.empty())
				v.text = "(" + types_name(fallback) + ")";
		}
	}

	/* If a pointer was read from memory, names it after that memory. */
	void describe_loaded(LoadInst *load, object_view &v, unsigned depth)
	{
		if (depth > 4)
			return;
		describer other(*load);
		object_view from = other.object_at(load->getPointerOperand(), depth + 1);
		names_reference where = other.reference(
			from, layout.getTypeStoreSize(load->getType()).getFixedValue(), false);
		if (where.name.empty())
			return;
		v.text = where.name;
		if (other.last_type)
			v.type = types_pointee(other.last_type);
	}

      public:
	DIType *last_type = nullptr; /* type of the last result of reference() */
};

/* ---- references ------------------------------------------------------------------------------ */

names_reference describer::reference(const object_view &v, uint64_t size, bool is_whole,
				     StringRef wanted)
{
	names_reference r;
	types_path path(v.type, v.offset, size, is_whole, wanted);

	/* A pointer may point to any element of an array. */
	if (!v.is_direct)
		path.wrap();
	path.walk();
	last_type = path.type();
	r.path = path.field_path;
	r.field_offset = path.field_path.empty() ? 0 : (unsigned)path.field_offset;
	r.is_bit_field = path.is_bit_field;
	if (v.is_direct) {
		r.name = v.text.empty() ? "" : v.text + path.text;
	} else if (!v.text.empty()) {
		std::string pointer = v.text + (v.has_index ? "[]" : "");
		if (!path.text.empty() && path.text[0] == '.')
			r.name = pointer + "->" + path.text.substr(1);
		else
			r.name = "*" + pointer + path.text;
	}
	return r;
}

/* Returns the type of the object that a call uses: "pthread_mutex_t", for example. */
StringRef type_of_object(StringRef function)
{
	static const struct {
		const char *prefix, *type;
	} known[] = {
		{ "pthread_mutex_", "pthread_mutex_t" },
		{ "pthread_cond_", "pthread_cond_t" },
		{ "pthread_rwlock_", "pthread_rwlock_t" },
		{ "pthread_spin_", "pthread_spinlock_t" },
		{ "pthread_barrier_", "pthread_barrier_t" },
		{ "pthread_once", "pthread_once_t" },
		{ "sem_", "sem_t" },
		{ "mtx_", "mtx_t" },
		{ "cnd_", "cnd_t" },
	};

	for (const auto &k : known)
		if (llvm_starts_with(function, k.prefix))
			return k.type;
	return "";
}

/*
 * Returns the number of bytes that an atomic operation accesses: the digits at the end of its name.
 */
uint64_t size_of_object(StringRef function)
{
	uint64_t size = 0;
	StringRef digits = function.substr(function.find_last_not_of("0123456789") + 1);
	return digits.empty() || digits.getAsInteger(10, size) ? 1 : size;
}

} // namespace

names_reference names_of_access(Instruction &at, Value *pointer, uint64_t size, bool is_whole)
{
	describer d(at);
	return d.reference(d.object_at(pointer), size, is_whole);
}

names_reference names_of_object(CallBase &call, Value *pointer)
{
	const Function *function = dyn_cast<Function>(call.getCalledOperand()->stripPointerCasts());
	StringRef name = function ? calls_name(*function) : "";
	StringRef wanted = type_of_object(name);
	describer d(call);

	return d.reference(d.object_at(pointer), wanted.empty() ? size_of_object(name) : 1, false,
			   wanted);
}

/* ---- sites ----------------------------------------------------------------------------------- */

/*
 * Returns a file by the name that the compiler was given. clang removes the part that the name
 * shares with the directory of the compilation; that can be recognised because the entry has
 * another directory.
 */
static std::string file_of(const DIFile *file, const DICompileUnit *unit)
{
	if (!file)
		return "";
	std::string name = file->getFilename().str();
	std::string whole = file->getDirectory().str() + "/" + name;
	if (name.empty() || name[0] == '/' || !unit)
		return name;
	if (unit->getFilename() == whole || file->getDirectory() != unit->getDirectory())
		return whole;
	return name;
}

static std::string function_and_file(const DISubprogram *function, const DIFile *file)
{
	if (!function)
		return "?\t";
	return types_function_name(function) + "\t" + file_of(file, function->getUnit());
}

/*
 * Instructions that the optimiser made have no location. The best guess is the location of the
 * nearest preceding instruction that has one.
 */
static const DILocation *find_located(Instruction &at)
{
	for (Instruction *i = &at; i; i = i->getPrevNode())
		if (const DILocation *where = i->getDebugLoc())
			if (where->getLine() && !isa<DbgInfoIntrinsic>(i))
				return where;
	return at.getDebugLoc().get();
}

std::string names_site(Instruction &at, unsigned *line, unsigned *column)
{
	const DILocation *where = find_located(at);
	Function &function = *at.getFunction();

	*column = 0;
	if (!where)
		return names_function(function, line);
	*line = where->getLine();
	*column = where->getColumn();
	std::string site;
	for (;;) {
		const DISubprogram *scope = where->getScope()->getSubprogram();
		site += function_and_file(scope, where->getFile());
		const DILocation *outer = where->getInlinedAt();
		if (!outer)
			return site;
		site += "\t" + std::to_string(outer->getLine()) + "\t";
		where = outer;
	}
}

std::string names_function(Function &function, unsigned *line)
{
	const DISubprogram *subprogram = function.getSubprogram();

	*line = subprogram ? subprogram->getLine() : 0;
	if (!subprogram)
		return calls_name(function).str() + "\t";
	return function_and_file(subprogram, subprogram->getFile());
}
