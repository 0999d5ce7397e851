/*
 * Splits statements so that each access to shared memory is a separate assignment: bit-fields,
 * complex long double, structs as arguments and results. Also redirects calls of known functions
 * (event/calls.def) to the runtime and classifies the other calls.
 */
#include "compiler/gcc/gcc.h"
#include "gimple-fold.h"

#include "compiler/common/known_calls.h"
#include "compiler/gcc/access.h"
#include "compiler/gcc/atomics.h"
#include "compiler/gcc/bit_fields.h"
#include "compiler/gcc/lower.h"
#include "compiler/gcc/opaque.h"
#include "compiler/gcc/points.h"
#include "compiler/gcc/requests.h"
#include "compiler/gcc/segment.h"

#include <map>
#include <string>

/* ---- complex long double --------------------------------------------------------------------- */

/*
 * A complex long double has 32 bytes, of which a move covers only two times ten. So the value is
 * read and written as two numbers. The statement at `gsi` becomes the last part.
 */
static void lower_complex_load(gimple_stmt_iterator *gsi)
{
	gimple *stmt = gsi_stmt(*gsi);
	tree ref = gimple_assign_rhs1(stmt), type = TREE_TYPE(TREE_TYPE(ref)), half[2];
	const tree_code parts[] = { REALPART_EXPR, IMAGPART_EXPR };

	for (int i = 0; i < 2; i++) {
		half[i] = make_ssa_name(type);
		gimple *load =
			gimple_build_assign(half[i], build1(parts[i], type, unshare_expr(ref)));
		gcc_copy_site(load, stmt);
		gsi_insert_before(gsi, load, GSI_SAME_STMT);
	}
	gimple_assign_set_rhs_with_ops(gsi, COMPLEX_EXPR, half[0], half[1]);
	update_stmt(gsi_stmt(*gsi));
}

static void lower_complex_store(gimple_stmt_iterator *gsi)
{
	gimple *stmt = gsi_stmt(*gsi);
	location_t at = gimple_location(stmt);
	tree ref = gimple_assign_lhs(stmt), value = gimple_assign_rhs1(stmt);
	tree type = TREE_TYPE(TREE_TYPE(ref));
	gimple_seq seq = NULL;
	tree real = gimple_build(&seq, at, REALPART_EXPR, type, value);
	tree imaginary = gimple_build(&seq, at, IMAGPART_EXPR, type, value);

	gsi_insert_seq_before(gsi, seq, GSI_SAME_STMT);
	gimple *store = gimple_build_assign(build1(REALPART_EXPR, type, unshare_expr(ref)), real);
	gcc_copy_site(store, stmt);
	gsi_insert_before(gsi, store, GSI_SAME_STMT);
	gimple_assign_set_lhs(stmt, build1(IMAGPART_EXPR, type, unshare_expr(ref)));
	gimple_assign_set_rhs1(stmt, imaginary);
	update_stmt(stmt);
}

static bool is_wide_complex(tree ref)
{
	return TYPE_MODE(TREE_TYPE(ref)) == XCmode && TREE_CODE(ref) != SSA_NAME &&
	       access_is_shared(ref);
}

static void lower_assign(gimple_stmt_iterator *gsi)
{
	gimple *stmt = gsi_stmt(*gsi);

	if (!gimple_assign_single_p(stmt) || gimple_clobber_p(stmt) || lookup_stmt_eh_lp(stmt))
		return;
	if (bit_fields_lower(gsi))
		return;
	if (is_wide_complex(gimple_assign_rhs1(stmt)))
		lower_complex_load(gsi);
	else if (is_wide_complex(gimple_assign_lhs(stmt)))
		lower_complex_store(gsi);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool is_memory(tree value)
{
	return value && !is_gimple_val(value) && TREE_CODE(value) != SSA_NAME &&
	       (DECL_P(value) || REFERENCE_CLASS_P(value) || handled_component_p(value));
}

static tree make_temporary(tree type)
{
	tree var = create_tmp_var(TYPE_MAIN_VARIANT(type), "sooth");
	return var;
}

/*
 * Structs that are passed by value are read before the call. A returned struct is written to shared
 * memory after it.
 */
static void lower_operands(gimple_stmt_iterator *gsi, gcall *call)
{
	for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
		tree arg = gimple_call_arg(call, i);
		if (!is_memory(arg) || !access_is_shared(arg) || access_size(arg) <= 0)
			continue;
		tree var = make_temporary(TREE_TYPE(arg));
		gimple *load = gimple_build_assign(var, arg);
		gcc_copy_site(load, call);
		gsi_insert_before(gsi, load, GSI_SAME_STMT);
		gimple_call_set_arg(call, i, var);
		update_stmt(call);
	}
	tree to = gimple_call_lhs(call);
	/* If a type must not be copied, the callee itself writes the result to its destination. */
	if (!to || TREE_CODE(to) == SSA_NAME || !access_is_shared(to) || access_size(to) <= 0 ||
	    TREE_ADDRESSABLE(TREE_TYPE(to)))
		return;
	tree var = is_gimple_reg_type(TREE_TYPE(to)) ? make_ssa_name(TREE_TYPE(to))
						     : make_temporary(TREE_TYPE(to));
	gimple_call_set_lhs(call, var);
	if (TREE_CODE(var) == SSA_NAME)
		SSA_NAME_DEF_STMT(var) = call;
	gimple *store = gimple_build_assign(to, var);
	gcc_copy_site(store, call);
	update_stmt(call);
	if (stmt_ends_bb_p(call))
		gsi_insert_on_edge_immediate(find_fallthru_edge(gimple_bb(call)->succs), store);
	else
		gsi_insert_after(gsi, store, GSI_SAME_STMT);
}

static const known_call *find_known(tree function)
{
	if (!function || !TREE_PUBLIC(function) || !DECL_ASSEMBLER_NAME_SET_P(function))
		return nullptr;
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
	return known_call_find(name + (name[0] == '*'));
}

/*
 * Replaces the program's memcpy(…), for example, by __sooth_memcpy(…), a function about which the
 * compiler knows nothing.
 */
static void redirect_to_runtime(gcall *call, tree function, const known_call *known)
{
	static std::map<const known_call *, tree> targets;
	tree &target = targets[known];

	if (!target) {
		target = build_fn_decl(("__sooth_" + std::string(known->name)).c_str(),
				       TREE_TYPE(function));
		TREE_NOTHROW(target) = 1;
	}
	gimple_call_set_fndecl(call, target);
	gimple_call_set_tail(call, false);
	update_stmt(call);
}

/*
 * May a later pass replace the call by stores, which would not be recorded? That happens to
 * snprintf if its result is known. Such a call gets a declaration that gcc does not recognise as
 * the built-in. The name stays the same, so the runtime's interposer is called.
 */
static bool may_become_stores(tree function)
{
	if (!fndecl_built_in_p(function, BUILT_IN_NORMAL))
		return false;
	switch (DECL_FUNCTION_CODE(function)) {
	case BUILT_IN_SPRINTF:
	case BUILT_IN_SNPRINTF:
	case BUILT_IN_VSPRINTF:
	case BUILT_IN_VSNPRINTF:
	case BUILT_IN_SPRINTF_CHK:
	case BUILT_IN_SNPRINTF_CHK:
	case BUILT_IN_VSPRINTF_CHK:
	case BUILT_IN_VSNPRINTF_CHK: return true;
	default: return false;
	}
}

static void hide_builtin(gcall *call, tree function)
{
	static std::map<std::string, tree> targets;
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
	tree &target = targets[name];

	if (!target) {
		target = build_fn_decl(name + (name[0] == '*'), TREE_TYPE(function));
		TREE_NOTHROW(target) = TREE_NOTHROW(function);
	}
	gimple_call_set_fndecl(call, target);
	update_stmt(call);
}

static void lower_call_stmt(gimple_stmt_iterator *gsi, gcall *call)
{
	lower_operands(gsi, call);
	tree function = gimple_call_fndecl(call);
	if (!function)
		return;
	const known_call *known = find_known(function);
	if (known && known->how == CALL_REDIRECT)
		redirect_to_runtime(call, function, known);
	else if (may_become_stores(function))
		hide_builtin(call, function);
	else if (!opaque_announce_call(gsi, call))
		atomics_lower(gsi, call);
}

static bool is_runtime_call(tree function)
{
	const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
	return !strncmp(name + (name[0] == '*'), "__sooth_", 8);
}

bool lower_runs_program(gcall *call)
{
	return known_call_runs_program(find_known(gimple_call_fndecl(call)));
}

uint16_t lower_site_size(gcall *call)
{
	return known_call_site_size(find_known(gimple_call_fndecl(call)));
}

lower_call lower_classify(gcall *call, tree *object)
{
	*object = NULL_TREE;
	if (gimple_call_internal_p(call))
		return gimple_call_internal_fn(call) == IFN_TSAN_FUNC_EXIT ? CALL_EXIT
									   : CALL_NOTHING;
	tree function = gimple_call_fndecl(call);
	if (!function)
		return CALL_OTHER;
	if (const known_call *known = find_known(function)) {
		if (known->how == CALL_OBJECT && gimple_call_num_args(call) > known->argument)
			*object = gimple_call_arg(call, known->argument);
		return CALL_SITE;
	}
	if (opaque_is_announcement(function))
		return CALL_OTHER;
	if (is_runtime_call(function)) {
		if (gimple_call_num_args(call) > 1)
			*object = gimple_call_arg(call, 0);
		return CALL_SITE;
	}
	if (!fndecl_built_in_p(function, BUILT_IN_NORMAL))
		return CALL_OTHER;
	switch (DECL_FUNCTION_CODE(function)) {
	case BUILT_IN_STACK_SAVE:
	case BUILT_IN_STACK_RESTORE:
	CASE_BUILT_IN_ALLOCA:
	case BUILT_IN_VA_START:
	case BUILT_IN_VA_END:
	case BUILT_IN_VA_COPY:
	case BUILT_IN_PREFETCH:
	case BUILT_IN_RETURN_ADDRESS:
	case BUILT_IN_FRAME_ADDRESS:
	case BUILT_IN_EH_POINTER:
	case BUILT_IN_EH_FILTER:
	case BUILT_IN_EH_COPY_VALUES: return CALL_NOTHING;
	default: return gimple_call_flags(call) & ECF_CONST ? CALL_NOTHING : CALL_OTHER;
	}
}

/* ---- inline assembler of the program --------------------------------------------------------- */

/*
 * Counts the memory operands of an asm statement. They are counted as inexact, because the plugin
 * does not know how the statement accesses memory.
 */
static void count_memory_operands(gasm *stmt)
{
	for (unsigned i = 0; i < gimple_asm_ninputs(stmt); i++)
		if (is_memory(TREE_VALUE(gimple_asm_input_op(stmt, i))) &&
		    access_is_shared(TREE_VALUE(gimple_asm_input_op(stmt, i))))
			segment_counts.inexact++;
	for (unsigned i = 0; i < gimple_asm_noutputs(stmt); i++)
		if (is_memory(TREE_VALUE(gimple_asm_output_op(stmt, i))) &&
		    access_is_shared(TREE_VALUE(gimple_asm_output_op(stmt, i))))
			segment_counts.inexact++;
}

void lower_function(function *fn)
{
	basic_block bb;

	bit_fields_begin();
	FOR_EACH_BB_FN (bb, fn)
		for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
			gimple *stmt = gsi_stmt(gsi);
			if (is_gimple_assign(stmt))
				lower_assign(&gsi);
			else if (gcall *call = dyn_cast<gcall *>(stmt))
				lower_call_stmt(&gsi, call);
			else if (gasm *a = dyn_cast<gasm *>(stmt); a && !points_is_point(a)) {
				count_memory_operands(a);
				requests_announce(&gsi, a);
				opaque_announce_asm(&gsi, a);
			}
		}
}
