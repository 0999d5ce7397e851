/*
 * Names gcc's trees: references as in the source, paths of fields, and sites with the calls through
 * which they were inlined.
 */
#include "compiler/gcc/gcc.h"

#include "compiler/gcc/names.h"

static std::string identifier_of(tree decl_or_type_name)
{
	tree name = decl_or_type_name;
	if (name && DECL_P(name))
		name = DECL_NAME(name);
	return name ? IDENTIFIER_POINTER(name) : "";
}

static std::string type_name(tree type)
{
	type = TYPE_MAIN_VARIANT(type);
	std::string name = TYPE_NAME(type) ? identifier_of(TYPE_NAME(type)) : "";
	/*
	 * For typedef struct { … } pair, in C, a variant of the type has the name. Variants are
	 * listed newest first; the last one found is used.
	 */
	if (name.empty())
		for (tree v = TYPE_NEXT_VARIANT(type); v; v = TYPE_NEXT_VARIANT(v))
			if (TYPE_NAME(v))
				name = identifier_of(TYPE_NAME(v));
	return name.empty() ? "<anonymous>" : name;
}

static std::string name_value(tree value);

/* Returns the name of the object of a member access: "p->" or "v." */
static std::string name_object(tree base)
{
	if (TREE_CODE(base) == MEM_REF) {
		tree pointer = TREE_OPERAND(base, 0);
		if (TREE_CODE(pointer) == ADDR_EXPR)
			return names_of_reference(TREE_OPERAND(pointer, 0)) + ".";
		return name_value(pointer) + "->";
	}
	return names_of_reference(base) + ".";
}

std::string names_of_reference(tree ref)
{
	switch (TREE_CODE(ref)) {
	case COMPONENT_REF:
		return name_object(TREE_OPERAND(ref, 0)) + identifier_of(TREE_OPERAND(ref, 1));
	case ARRAY_REF:
	case ARRAY_RANGE_REF: return names_of_reference(TREE_OPERAND(ref, 0)) + "[]";
	case REALPART_EXPR:
	case IMAGPART_EXPR:
	case VIEW_CONVERT_EXPR:
	case BIT_FIELD_REF: return names_of_reference(TREE_OPERAND(ref, 0));
	case MEM_REF:
	case TARGET_MEM_REF: {
		tree pointer = TREE_OPERAND(ref, 0);
		if (TREE_CODE(pointer) == ADDR_EXPR)
			return names_of_reference(TREE_OPERAND(pointer, 0));
		return "*" + name_value(pointer);
	}
	default: return DECL_P(ref) ? identifier_of(ref) : "";
	}
}

/*
 * If gcc has copied a variable, the copy has the name of the variable and a number: "shared.4".
 * Removes the number.
 */
static std::string without_number(const std::string &name)
{
	return name.substr(0, name.find('.'));
}

/*
 * Returns the name of the variable in which a value is stored, as in `shared = malloc(n)`; or "".
 */
static std::string name_destination(tree value)
{
	imm_use_iterator uses;
	use_operand_p use;

	FOR_EACH_IMM_USE_FAST(use, uses, value)
	{
		gimple *stmt = USE_STMT(use);
		if (gimple_store_p(stmt) && gimple_assign_single_p(stmt) &&
		    gimple_assign_rhs1(stmt) == value && DECL_P(gimple_assign_lhs(stmt)))
			return identifier_of(gimple_assign_lhs(stmt));
	}
	return "";
}

/*
 * Returns a name for a pointer: that of its variable; otherwise that of the memory from which the
 * pointer was read; otherwise that of its type.
 */
static std::string name_value(tree value)
{
	if (TREE_CODE(value) == SSA_NAME) {
		if (SSA_NAME_IDENTIFIER(value))
			return without_number(IDENTIFIER_POINTER(SSA_NAME_IDENTIFIER(value)));
		gimple *def = SSA_NAME_DEF_STMT(value);
		if (gimple_assign_load_p(def))
			return names_of_reference(gimple_assign_rhs1(def));
		if (is_gimple_assign(def) && gimple_assign_rhs_code(def) == POINTER_PLUS_EXPR &&
		    TREE_CODE(gimple_assign_rhs1(def)) == SSA_NAME &&
		    SSA_NAME_IDENTIFIER(gimple_assign_rhs1(def)))
			return identifier_of(SSA_NAME_IDENTIFIER(gimple_assign_rhs1(def))) + "[]";
	}
	tree type = TREE_TYPE(value);
	if (!POINTER_TYPE_P(type))
		return "?";
	std::string to;
	if (TREE_CODE(value) == SSA_NAME && VOID_TYPE_P(TREE_TYPE(type)))
		to = name_destination(value);
	return to.empty() ? "(" + type_name(TREE_TYPE(type)) + ")" : to;
}

std::string names_field_path(tree ref, unsigned *offset)
{
	std::string path;
	tree outer = NULL_TREE;
	HOST_WIDE_INT bytes = 0;

	for (; handled_component_p(ref); ref = TREE_OPERAND(ref, 0)) {
		if (TREE_CODE(ref) == COMPONENT_REF) {
			tree field = TREE_OPERAND(ref, 1);
			path = "." + identifier_of(field) + path;
			outer = DECL_CONTEXT(field);
			if (tree_fits_shwi_p(DECL_FIELD_OFFSET(field)))
				bytes += int_byte_position(field);
		} else if (TREE_CODE(ref) == ARRAY_REF && outer) {
			/*
			 * The struct is an array element inside another struct: only the inner
			 * struct is named.
			 */
			break;
		}
	}
	*offset = outer ? (unsigned)bytes : 0;
	return outer ? type_name(outer) + path : "";
}

std::string names_function(tree function, const char *file)
{
	const char *name = lang_hooks.decl_printable_name(function, 1);
	return std::string(name ? name : "?") + "\t" + (file ? file : "");
}

static bool has_location(gimple *stmt)
{
	return LOCATION_LOCUS(gimple_location(stmt)) != UNKNOWN_LOCATION;
}

/*
 * Statements that the optimiser made have no location. The best guess is the location of the
 * nearest preceding statement that has one.
 */
static gimple *find_located(gimple *stmt)
{
	if (has_location(stmt) || !gimple_bb(stmt))
		return stmt;
	for (gimple_stmt_iterator gsi = gsi_for_stmt(stmt); !gsi_end_p(gsi); gsi_prev(&gsi))
		if (has_location(gsi_stmt(gsi)) && !is_gimple_debug(gsi_stmt(gsi)) &&
		    gimple_code(gsi_stmt(gsi)) != GIMPLE_ASM)
			return gsi_stmt(gsi);
	return stmt;
}

std::string names_site(gimple *stmt, unsigned *line, unsigned *column)
{
	stmt = find_located(stmt);
	location_t where = gimple_location(stmt);
	if (!has_location(stmt))
		where = DECL_SOURCE_LOCATION(current_function_decl);
	expanded_location x = expand_location(where);
	*line = (unsigned)x.line;
	*column = (unsigned)x.column;

	std::string site;
	tree top = DECL_INITIAL(current_function_decl);
	for (tree block = gimple_block(stmt); block && block != top && TREE_CODE(block) == BLOCK;
	     block = BLOCK_SUPERCONTEXT(block)) {
		if (!inlined_function_outer_scope_p(block))
			continue;
		tree function = block_ultimate_origin(block);
		if (!function || TREE_CODE(function) != FUNCTION_DECL)
			continue;
		site += names_function(function, x.file) + "\t";
		x = expand_location(BLOCK_SOURCE_LOCATION(block));
		site += std::to_string(x.line) + "\t";
	}
	return site + names_function(current_function_decl, x.file);
}
