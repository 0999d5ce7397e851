/*
 * Adds calls of __sooth_opaque() around code in the program that is not recorded: inline assembly
 * that may order threads (common/asm_order.h), and calls of functions of this unit that are
 * compiled without recording. The runtime records that the thread is back from such code before
 * whatever the thread records next, so the call can come before the code. A called function may
 * have called recorded functions and waited after that, so another call follows it.
 */
#include "compiler/gcc/gcc.h"
#include "stmt.h"

#include "compiler/common/asm_order.h"
#include "compiler/common/builtin_order.h"
#include "compiler/common/client_request.h"
#include "compiler/gcc/access.h"
#include "compiler/gcc/opaque.h"
#include "compiler/gcc/segment.h"

static tree announcement;

bool opaque_is_announcement(tree function)
{
	return function == announcement;
}

static gcall *make_announcement(gimple *of)
{
	if (!announcement) {
		announcement = build_fn_decl("__sooth_opaque",
					     build_function_type_list(void_type_node, NULL_TREE));
		TREE_NOTHROW(announcement) = 1;
	}
	gcall *call = gimple_build_call(announcement, 0);
	gcc_copy_site(call, of);
	return call;
}

/* ---- inline assembly ------------------------------------------------------------------------- */

/*
 * Before assembly the call is assembly, too: its operands may already be in the registers that the
 * program has chosen for them (variables of registers, as for system calls), and a call that the
 * compiler knows of would end their values. The function keeps all registers.
 */
static gasm *make_assembly_announcement(gimple *of)
{
	static const char text[] = "call\t*__sooth_opaque_assembly@GOTPCREL(%%rip)";
	vec<tree, va_gc> *clobbers = NULL;

	for (const char *what : { "memory", "cc" })
		vec_safe_push(clobbers,
			      build_tree_list(NULL_TREE, build_string(strlen(what), what)));
	gasm *stmt = gimple_build_asm_vec(segment_asm_template(text), NULL, NULL, clobbers, NULL);
	gimple_asm_set_volatile(stmt, true);
	gcc_copy_site(stmt, of);
	return stmt;
}

static bool is_shared_memory(tree value)
{
	return TREE_CODE(value) != SSA_NAME && !is_gimple_min_invariant(value) &&
	       (DECL_P(value) || REFERENCE_CLASS_P(value)) && access_is_shared(value);
}

/* May the operand be memory? Otherwise its value is in a register during the statement. */
static bool may_be_memory(tree operand, unsigned i, gasm *stmt)
{
	const char *constraint = TREE_STRING_POINTER(TREE_VALUE(TREE_PURPOSE(operand)));
	bool memory, reg, is_inout;

	return !parse_output_constraint(&constraint, (int)i, (int)gimple_asm_ninputs(stmt),
					(int)gimple_asm_noutputs(stmt), &memory, &reg, &is_inout) ||
	       memory;
}

static bool has_shared_operand(gasm *stmt)
{
	for (unsigned i = 0; i < gimple_asm_ninputs(stmt); i++)
		if (is_shared_memory(TREE_VALUE(gimple_asm_input_op(stmt, i))))
			return true;
	for (unsigned i = 0; i < gimple_asm_noutputs(stmt); i++) {
		tree operand = gimple_asm_output_op(stmt, i);
		if (is_shared_memory(TREE_VALUE(operand)) && may_be_memory(operand, i, stmt))
			return true;
	}
	return false;
}

/* A statement without operands (`basic`) cannot say that it clobbers memory. */
static bool clobbers_memory(gasm *stmt)
{
	for (unsigned i = 0; i < gimple_asm_nclobbers(stmt); i++)
		if (!strcmp(TREE_STRING_POINTER(TREE_VALUE(gimple_asm_clobber_op(stmt, i))),
			    "memory"))
			return true;
	return gimple_asm_input_p(stmt);
}

void opaque_announce_asm(gimple_stmt_iterator *gsi, gasm *stmt)
{
	const char *text = gimple_asm_string(stmt);

	if (client_request_is_in(text) ||
	    !asm_order_is_possible({ gimple_asm_input_p(stmt) ? text : asm_order_text_of_gcc(text),
				     clobbers_memory(stmt), has_shared_operand(stmt) }))
		return;
	gsi_insert_before(gsi, make_assembly_announcement(stmt), GSI_SAME_STMT);
	/* The compiler must not move it to after accesses that it orders. */
	gimple_asm_set_volatile(stmt, true);
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool is_recorded(tree function)
{
	return sanitize_flags_p(SANITIZE_THREAD, function) &&
	       !lookup_attribute("naked", DECL_ATTRIBUTES(function));
}

/* Is it a function of this unit, or declared here as one without recording? */
static bool is_opaque(tree function)
{
	return function && !fndecl_built_in_p(function) && !DECL_ARTIFICIAL(function) &&
	       !is_recorded(function);
}

/* ---- builtins of the processor --------------------------------------------------------------- */

static bool points_to_shared(tree value)
{
	if (!POINTER_TYPE_P(TREE_TYPE(value)) || integer_zerop(value))
		return false;
	return access_is_shared(
		build2(MEM_REF, char_type_node, value, build_int_cst(ptr_type_node, 0)));
}

static bool may_order(gcall *call, tree builtin)
{
	bool shared = false;

	if (!gimple_vuse(call))
		return false;
	for (unsigned i = 0; i < gimple_call_num_args(call); i++)
		shared |= points_to_shared(gimple_call_arg(call, i));
	return builtin_order_is_possible(IDENTIFIER_POINTER(DECL_NAME(builtin)), shared);
}

/* ---- calls ----------------------------------------------------------------------------------- */

bool opaque_announce_call(gimple_stmt_iterator *gsi, gcall *call)
{
	tree function = gimple_call_fndecl(call);

	if (function && fndecl_built_in_p(function, BUILT_IN_MD)) {
		if (may_order(call, function))
			gsi_insert_before(gsi, make_announcement(call), GSI_SAME_STMT);
		return true;
	}
	if (!is_opaque(function))
		return false;
	gsi_insert_before(gsi, make_announcement(call), GSI_SAME_STMT);
	gimple_call_set_tail(call, false);
	if (gimple_call_flags(call) & (ECF_NORETURN | ECF_RETURNS_TWICE))
		return true;
	gcall *back = make_announcement(call);
	if (!stmt_ends_bb_p(call))
		gsi_insert_after(gsi, back, GSI_NEW_STMT);
	else if (edge e = find_fallthru_edge(gimple_bb(call)->succs))
		gsi_insert_on_edge_immediate(e, back);
	return true;
}
