/*
 * A front-end action that visits the declarations and calls of a unit before code is generated, and
 * stores the facts that point_seen.h declares.
 */
#include "compiler/llvm/point_seen.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Builtins.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

#include <map>
#include <memory>

using namespace clang;

/* Structs of up to this size are passed in registers; larger ones are not recorded. */
static const unsigned struct_max = 16;

struct seen_call {
	std::vector<seen_type> arguments;
	bool differs; /* calls at this location differ: they come from the same macro */
};

static std::map<std::string, seen_function> functions;
static std::map<std::string, seen_call> calls;
static bool is_loose;

static std::string call_key(llvm::StringRef name, unsigned line, unsigned column)
{
	return name.str() + "\t" + std::to_string(line) + "\t" + std::to_string(column);
}

const seen_function *seen_find(llvm::StringRef linker_name)
{
	auto found = functions.find(linker_name.str());
	return found == functions.end() ? nullptr : &found->second;
}

const std::vector<seen_type> *seen_find_call(llvm::StringRef linker_name, unsigned line,
					     unsigned column)
{
	auto found = calls.find(call_key(linker_name, line, column));
	return found == calls.end() || found->second.differs ? nullptr : &found->second.arguments;
}

bool seen_any()
{
	return !functions.empty();
}

bool seen_is_loose()
{
	return is_loose;
}

namespace
{

/* ---- types ----------------------------------------------------------------------------------- */

class type_classifier
{
      public:
	explicit type_classifier(ASTContext &ast) : ast(ast)
	{
	}
	seen_type classify(QualType type);

      private:
	ASTContext &ast;

	unsigned size_of(QualType type);
	char integer_letter(QualType type);
	char letter(QualType type);
	char pointed_letter(QualType type);
	enum seen_way way(QualType type);
};

QualType unqualified(QualType type)
{
	type = type.getCanonicalType().getUnqualifiedType();
	if (const auto *atomic = type->getAs<AtomicType>())
		type = atomic->getValueType().getCanonicalType().getUnqualifiedType();
	return type;
}

unsigned type_classifier::size_of(QualType type)
{
	return type->isIncompleteType() || type->isFunctionType() || type->isDependentType()
		       ? 0
		       : (unsigned)ast.getTypeSizeInChars(type).getQuantity();
}

char type_classifier::integer_letter(QualType type)
{
	bool is_signed = type->isSignedIntegerOrEnumerationType();

	switch (size_of(type)) {
	case 1: return is_signed ? 'b' : 'B';
	case 2: return is_signed ? 'h' : 'H';
	case 4: return is_signed ? 'i' : 'I';
	case 8: return is_signed ? 'l' : 'L';
	default: return 'o';
	}
}

/*
 * Only pointers to `char` are text; pointers to signed and unsigned char point to arbitrary bytes.
 * In calls without a prototype, the address of a char array is text, too.
 */
char type_classifier::letter(QualType type)
{
	type = unqualified(type);
	if (type->isVoidType())
		return 'v';
	if (const auto *pointer = type->getAs<PointerType>()) {
		QualType to = pointer->getPointeeType();
		if (const ArrayType *array = ast.getAsArrayType(to))
			to = array->getElementType();
		return unqualified(to) == ast.CharTy ? 's' : 'p';
	}
	if (type->isReferenceType() || type->isNullPtrType() || type->isBlockPointerType())
		return 'p';
	if (type->isIntegralOrEnumerationType())
		return integer_letter(type);
	if (type->isSpecificBuiltinType(BuiltinType::Float))
		return 'f';
	if (type->isSpecificBuiltinType(BuiltinType::Double))
		return 'd';
	unsigned size = size_of(type);
	return way(type) == SEEN_STRUCT && size > 0 && size <= struct_max ? (char)('0' + size)
									  : 'o';
}

char type_classifier::pointed_letter(QualType type)
{
	type = unqualified(type);
	if (!type->isPointerType() && !type->isReferenceType())
		return 'o';
	char of = letter(type->getPointeeType());
	if (of == 's')
		return 'p';
	if (of == 'v') /* void *: record eight bytes */
		return 'L';
	return of < 'A' ? 'o' : of;
}

enum seen_way type_classifier::way(QualType type)
{
	type = unqualified(type);
	if (type->isMemberFunctionPointerType())
		return SEEN_STRUCT;
	const auto *record = type->getAs<RecordType>();
	if (!record)
		return SEEN_SCALAR;
	const RecordDecl *declared = record->getDecl()->getDefinition();
	if (!declared)
		return SEEN_REFERENCE;
	if (!declared->canPassInRegisters())
		return SEEN_REFERENCE;
	const auto *of_class = dyn_cast<CXXRecordDecl>(declared);
	if (of_class ? of_class->isEmpty() : declared->field_empty())
		return SEEN_NOTHING;
	return SEEN_STRUCT;
}

seen_type type_classifier::classify(QualType type)
{
	enum seen_way how = way(type);
	return { how == SEEN_NOTHING ? 'o' : letter(type), pointed_letter(type), how,
		 size_of(unqualified(type)) };
}

/* ---- declarations ---------------------------------------------------------------------------- */

struct return_statements {
	const ReturnStmt *first = nullptr;
	unsigned count = 0;
};

void find_returns(const Stmt *statement, return_statements &found)
{
	if (!statement || isa<LambdaExpr>(statement))
		return;
	if (const auto *r = dyn_cast<ReturnStmt>(statement)) {
		found.first = r;
		found.count++;
	}
	for (const Stmt *child : statement->children())
		find_returns(child, found);
}

class declaration_visitor : public RecursiveASTVisitor<declaration_visitor>
{
      public:
	explicit declaration_visitor(ASTContext &ast)
	    : ast(ast), seen(ast), mangler(ast.createMangleContext())
	{
	}
	bool shouldVisitTemplateInstantiations() const
	{
		return true;
	}
	bool shouldVisitImplicitCode() const
	{
		return true;
	}
	bool VisitFunctionDecl(FunctionDecl *function);
	bool VisitCallExpr(CallExpr *call);

      private:
	ASTContext &ast;
	type_classifier seen;
	std::unique_ptr<MangleContext> mangler;

	std::string name_of(GlobalDecl of);
	std::vector<std::string> names_of(const FunctionDecl *function);
	seen_location place_of(SourceLocation where);
	seen_function describe(const FunctionDecl *function);
};

std::string declaration_visitor::name_of(GlobalDecl of)
{
	const auto *function = cast<FunctionDecl>(of.getDecl());
	std::string text;

	if (!mangler->shouldMangleDeclName(function))
		return function->getNameAsString();
	llvm::raw_string_ostream out(text);
	mangler->mangleName(of, out);
	out.flush();
	return text[0] == '\1' ? text.substr(1) : text;
}

std::vector<std::string> declaration_visitor::names_of(const FunctionDecl *function)
{
	if (const auto *constructor = dyn_cast<CXXConstructorDecl>(function))
		return { name_of(GlobalDecl(constructor, Ctor_Base)),
			 name_of(GlobalDecl(constructor, Ctor_Complete)) };
	if (const auto *destructor = dyn_cast<CXXDestructorDecl>(function))
		return { name_of(GlobalDecl(destructor, Dtor_Base)),
			 name_of(GlobalDecl(destructor, Dtor_Complete)),
			 name_of(GlobalDecl(destructor, Dtor_Deleting)) };
	return { name_of(GlobalDecl(function)) };
}

seen_location declaration_visitor::place_of(SourceLocation where)
{
	const SourceManager &sources = ast.getSourceManager();
	PresumedLoc place = sources.getPresumedLoc(sources.getExpansionLoc(where));

	if (place.isInvalid())
		return { "", 0, 0 };
	return { place.getFilename(), place.getLine(), place.getColumn() };
}

seen_function declaration_visitor::describe(const FunctionDecl *function)
{
	seen_function made = {};
	const auto *method = dyn_cast<CXXMethodDecl>(function);

	if (method && method->isInstance())
		made.parameters.push_back({ 'p', 'o', SEEN_SCALAR, 8 });
	for (const ParmVarDecl *parameter : function->parameters())
		made.parameters.push_back(seen.classify(parameter->getType()));
	made.result = seen.classify(function->getReturnType());
	made.has_prototype = function->hasPrototype();
	made.is_variadic = function->isVariadic();
	made.is_inline = function->isInlined();
	made.is_of_system = ast.getSourceManager().isInSystemHeader(
		ast.getSourceManager().getExpansionLoc(function->getLocation()));
	made.where = place_of(function->getLocation());
	if (!made.is_of_system && function->doesThisDeclarationHaveABody()) {
		return_statements found;
		find_returns(function->getBody(), found);
		if (found.count == 1) {
			seen_location where = place_of(found.first->getReturnLoc());
			made.return_line = where.line;
			made.return_column = where.column;
		}
	}
	return made;
}

bool declaration_visitor::VisitFunctionDecl(FunctionDecl *function)
{
	bool has_body = function->doesThisDeclarationHaveABody();

	if (function->isDependentContext() || function->isInvalidDecl() ||
	    isa<CXXDeductionGuideDecl>(function) ||
	    (!has_body && !function->isUsed(false) && !function->isReferenced()))
		return true;
	for (const std::string &name : names_of(function))
		if (has_body || !functions.count(name))
			functions[name] = describe(function);
	return true;
}

/*
 * Must the types of the call's arguments be stored? They must if the declaration does not give all
 * of them, or if the call will not be a call in LLVM's IR.
 */
bool is_call_needed(const FunctionDecl *function)
{
	if (function->isVariadic() || !function->hasPrototype())
		return true;
	switch (function->getMemoryFunctionKind()) {
	case Builtin::BImemset:
	case Builtin::BImemcpy:
	case Builtin::BImemmove: return true;
	default: return false;
	}
}

bool declaration_visitor::VisitCallExpr(CallExpr *call)
{
	const FunctionDecl *function = call->getDirectCallee();

	if (!function || call->isInstantiationDependent() || isa<CXXMethodDecl>(function) ||
	    !is_call_needed(function))
		return true;
	std::vector<seen_type> arguments;
	for (const Expr *argument : call->arguments())
		arguments.push_back(seen.classify(argument->getType()));
	std::string name = name_of(GlobalDecl(function));
	if (name.compare(0, 10, "__builtin_") == 0)
		return true;
	seen_location where = place_of(call->getExprLoc());
	auto added = calls.emplace(call_key(name, where.line, where.column),
				   seen_call{ arguments, false });
	if (!added.second && added.first->second.arguments.size() != arguments.size())
		added.first->second.differs = true;
	return true;
}

/* ---- the front-end action -------------------------------------------------------------------- */

class consumer : public ASTConsumer
{
      public:
	void HandleTranslationUnit(ASTContext &ast) override
	{
		if (!ast.getDiagnostics().hasErrorOccurred())
			declaration_visitor(ast).TraverseDecl(ast.getTranslationUnitDecl());
	}
};

class action : public PluginASTAction
{
      protected:
	std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler,
						       llvm::StringRef) override
	{
		is_loose = compiler.getCodeGenOpts().FunctionSections;
		return std::make_unique<consumer>();
	}
	bool ParseArgs(const CompilerInstance &, const std::vector<std::string> &) override
	{
		return true;
	}
	/* run always, without an option, before code is generated */
	ActionType getActionType() override
	{
		return AddBeforeMainAction;
	}
};

} // namespace

static FrontendPluginRegistry::Add<action> registered("sooth", "looks at declarations for sooth");
