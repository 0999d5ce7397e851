/*
 * A point is one asm statement: a NOP, its row as assembler directives (common/point_row.h), and
 * the recorded values as operands. The compiler replaces the operands in the text of the row, so
 * the row says in which register or memory each value is.
 */
#include "compiler/gcc/gcc.h"

#include "compiler/common/point_row.h"
#include "compiler/gcc/names.h"
#include "compiler/gcc/point_asm.h"
#include "compiler/gcc/point_name.h"
#include "compiler/gcc/segment.h"

#define STRUCT_MAX 16

/* ---- types ----------------------------------------------------------------------------------- */

static char integer_letter(tree type)
{
	static const char letters[2][5] = { "bhil", "BHIL" };
	tree size = TYPE_SIZE_UNIT(type);

	if (!size || !tree_fits_uhwi_p(size))
		return 'o';
	int log = exact_log2(tree_to_uhwi(size));
	return log >= 0 && log < 4 ? letters[TYPE_UNSIGNED(type) != 0][log] : 'o';
}

/*
 * Only pointers to `char` are text; pointers to signed and unsigned char point to arbitrary bytes.
 * In calls without a prototype, the address of a char array is text, too.
 */
static char pointer_letter(tree type)
{
	tree pointed = TREE_TYPE(type);

	if (TREE_CODE(pointed) == ARRAY_TYPE)
		pointed = TREE_TYPE(pointed);
	return TREE_CODE(type) == POINTER_TYPE && TYPE_MAIN_VARIANT(pointed) == char_type_node
		       ? 's'
		       : 'p';
}

static char aggregate_letter(tree type)
{
	tree size = TYPE_SIZE_UNIT(type);

	if (TREE_ADDRESSABLE(type) || !size || !tree_fits_uhwi_p(size) || tree_to_uhwi(size) == 0 ||
	    tree_to_uhwi(size) > STRUCT_MAX)
		return 'o';
	return (char)('0' + tree_to_uhwi(size));
}

char point_letter(tree type)
{
	if (VOID_TYPE_P(type))
		return 'v';
	if (POINTER_TYPE_P(type))
		return pointer_letter(type);
	if (TREE_CODE(type) == NULLPTR_TYPE)
		return 'p';
	if (INTEGRAL_TYPE_P(type))
		return integer_letter(type);
	if (SCALAR_FLOAT_TYPE_P(type))
		return TYPE_MODE(type) == SFmode ? 'f' : TYPE_MODE(type) == DFmode ? 'd' : 'o';
	return RECORD_OR_UNION_TYPE_P(type) ? aggregate_letter(type) : 'o';
}

/* Returns the letter of the pointed-to type, if that is a number or a pointer. */
static char pointed_letter(tree type)
{
	if (!POINTER_TYPE_P(type))
		return 'o';
	char letter = point_letter(TREE_TYPE(type));
	if (letter == 's')
		return 'p';
	if (letter == 'v') /* void *: record eight bytes */
		return 'L';
	return letter < 'A' ? 'o' : letter;
}

/* ---- operands -------------------------------------------------------------------------------- */

struct point_operands {
	gimple_seq seq = NULL; /* statements that must come before the NOP */
	vec<tree, va_gc> *in = NULL;
	std::string words;
	unsigned count = 0;
};

static void add_operand(point_operands &o, const char *constraint, const char *modifier, tree value)
{
	tree text = build_string(strlen(constraint), constraint);

	vec_safe_push(o.in, build_tree_list(build_tree_list(NULL_TREE, text), value));
	o.words += std::string("%") + modifier + std::to_string(o.count++) + ";";
}

/* Returns the bits of a floating-point constant as an integer. */
static tree constant_bits(tree value)
{
	tree type = build_nonstandard_integer_type(tree_to_uhwi(TYPE_SIZE(TREE_TYPE(value))), 1);
	tree bits = fold_build1(VIEW_CONVERT_EXPR, type, value);

	return TREE_CODE(bits) == INTEGER_CST ? bits : NULL_TREE;
}

/*
 * Adds an operand for a value that is not in a register. It is a memory operand, because loading
 * the value would be an access that the program does not make.
 */
static void add_memory(point_operands &o, tree value)
{
	tree base = get_base_address(value);

	/*
	 * These values get no operand. A global could only be named by its symbol. A result that is
	 * returned in registers (a small class that the compiler builds in the return slot) may
	 * have no address, even if it is marked as addressable.
	 */
	if (!base || TREE_CODE(base) == RESULT_DECL || (VAR_P(base) && is_global_var(base))) {
		o.words += "_;";
		return;
	}
	add_operand(o, "m", "", unshare_expr(value));
	mark_addressable(value);
}

/* The first six arguments are in registers; further ones may stay in memory. */
static void add_integer(point_operands &o, tree value)
{
	if (TREE_CODE(value) == INTEGER_CST && POINTER_TYPE_P(TREE_TYPE(value)))
		value = fold_convert(long_unsigned_type_node, value);
	add_operand(o, o.count < 6 ? "nr" : "nro", "q", value);
}

static void add_value(point_operands &o, tree value, char letter)
{
	bool memory = !is_gimple_val(value) ||
		      (!is_gimple_min_invariant(value) && TREE_CODE(value) != SSA_NAME);

	if (letter == 'o' || letter == 'v') {
		o.words += "_;";
	} else if (memory) {
		add_memory(o, value);
	} else if (letter != 'f' && letter != 'd') {
		add_integer(o, value);
	} else if (TREE_CODE(value) == REAL_CST) {
		tree bits = constant_bits(value);
		if (bits)
			add_operand(o, "n", "", bits);
		else
			o.words += "_;";
	} else {
		add_operand(o, "x", "", value);
	}
}

/* ---- statements ------------------------------------------------------------------------------ */

/* Percent signs and dialect braces are special in an asm template. */
static const point_escape escape = { "%{|}", '%' };

static point_row_text row_of(const point &p, const std::string &where, const std::string &types,
			     const std::string &operands)
{
	expanded_location x = expand_location(p.where);

	return { p.kind, p.flags,  p.name,	     where,
		 types,	 operands, (unsigned)x.line, x.column > 0 ? (unsigned)x.column : 0 };
}

gimple_seq point_build(const point &p)
{
	point_operands o;
	std::string types, pointed;
	point made = p;

	for (const point_value &v : p.values) {
		if (types.size() == POINT_ARGUMENTS) {
			made.flags |= POINT_ROW_MORE;
			break;
		}
		tree type = v.type ? v.type : TREE_TYPE(v.value);
		char letter = v.hidden ? 'o' : point_letter(type);
		types += letter;
		pointed += pointed_letter(type);
		add_value(o, v.value, letter);
	}
	if (pointed.find_first_not_of('o') != std::string::npos)
		types += '*' + pointed;
	vec<tree, va_gc> *clobbers = NULL;
	for (const char *what : { "memory", "cc" })
		vec_safe_push(clobbers,
			      build_tree_list(NULL_TREE, build_string(strlen(what), what)));
	expanded_location x = expand_location(p.where);
	std::string text = point_row_nop(
		row_of(made, names_function(current_function_decl, x.file), types, o.words), escape,
		flag_function_sections);
	gasm *stmt = gimple_build_asm_vec(segment_asm_template(text), o.in, NULL, clobbers, NULL);
	gimple_asm_set_volatile(stmt, true);
	/* The text has many lines but few instructions, so lines must not be counted as size. */
	gimple_asm_set_inline(stmt, true);
	gimple_set_location(stmt, p.where);
	/*
	 * With this scope, debug information places the point inside the function, wherever that is
	 * inlined.
	 */
	if (!gimple_block(stmt))
		gimple_set_block(stmt, DECL_INITIAL(current_function_decl));
	gimple_seq_add_stmt(&o.seq, stmt);
	return o.seq;
}

unsigned point_flags_of(tree function)
{
	return TREE_PUBLIC(function) ? 0 : (unsigned)POINT_ROW_LOCAL;
}

void point_add_none(tree function, const char *why)
{
	point p = { POINT_ROW_NONE,
		    point_flags_of(function),
		    point_full_name(function),
		    {},
		    DECL_SOURCE_LOCATION(function) };
	std::string text = point_row_none(
		row_of(p, names_function(function, expand_location(p.where).file), why, ""),
		flag_function_sections);

	if (ix86_asm_dialect == ASM_INTEL)
		text = "\t.att_syntax prefix\n" + text + "\n\t.intel_syntax noprefix";
	symtab->finalize_toplevel_asm(build_string(text.size(), text.c_str()));
}
