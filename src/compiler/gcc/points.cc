/*
 * Inserts points. The pass runs right after SSA form is built, before any inlining, for all
 * functions of a unit. A NOP is a volatile asm that clobbers memory: the compiler neither moves it
 * nor moves accesses across it, so a read that follows a call in the source is recorded after that
 * call. A point that is off costs the NOP itself, the lifetime of its operands, and the
 * optimisations that it prevents. That is next to nothing compared to a call, which is such a
 * barrier anyway.
 *
 *	BODY	first in a function that is compiled here, RETURN last, with the result
 *	CALL	before a call of any other function, RETURN after it, with the result
 *
 * The arguments that are recorded with a RETURN come from the CALL or BODY before it
 * (src/runtime/point/point_stack.c): keeping them alive across the call would cost registers even
 * when the point is off.
 *
 * Under -fsanitize=thread gcc puts a mark before each return. The mark makes tail calls impossible
 * in recorded code, so a RETURN after a call costs nothing more.
 */
#include "compiler/gcc/gcc.h"
#include "gimple-walk.h"
#include "tree-into-ssa.h"

#include "compiler/common/point_row.h"
#include "compiler/gcc/point_asm.h"
#include "compiler/gcc/point_name.h"
#include "compiler/gcc/points.h"
#include "compiler/gcc/strings.h"

#include <string>
#include <vector>

enum points_wanted points_wanted = POINTS_SOME;

namespace
{

/* ---- private locals -------------------------------------------------------------------------- */

/*
 * The compiler assumes that an operand of an asm escapes. If an array is only passed to memset,
 * memcpy, memmove or memcmp, points with its address would make it visible to other threads: its
 * accesses would be recorded, and the loops over it would not be vectorised. So the points of these
 * calls do not record the address of such a local. (No other code can know that address.)
 */
typedef hash_set<tree> declaration_set;

bool keeps_no_pointer(gimple *stmt)
{
	return gimple_call_builtin_p(stmt, BUILT_IN_MEMSET) ||
	       gimple_call_builtin_p(stmt, BUILT_IN_MEMCPY) ||
	       gimple_call_builtin_p(stmt, BUILT_IN_MEMMOVE) ||
	       gimple_call_builtin_p(stmt, BUILT_IN_MEMCMP);
}

bool collect_address(gimple *, tree base, tree, void *escaping)
{
	static_cast<declaration_set *>(escaping)->add(base);
	return false;
}

/* Collects the locals whose address has any other use. */
void find_escaping(function *fn, declaration_set &escaping)
{
	basic_block bb;

	FOR_EACH_BB_FN (bb, fn) {
		for (gphi_iterator i = gsi_start_phis(bb); !gsi_end_p(i); gsi_next(&i))
			walk_stmt_load_store_addr_ops(i.phi(), &escaping, NULL, NULL,
						      collect_address);
		for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
			if (!is_gimple_debug(gsi_stmt(i)) && !keeps_no_pointer(gsi_stmt(i)))
				walk_stmt_load_store_addr_ops(gsi_stmt(i), &escaping, NULL, NULL,
							      collect_address);
	}
}

bool is_private(tree value, declaration_set &escaping)
{
	if (TREE_CODE(value) != ADDR_EXPR)
		return false;
	tree base = get_base_address(TREE_OPERAND(value, 0));
	return base && VAR_P(base) && auto_var_in_fn_p(base, current_function_decl) &&
	       !escaping.contains(base);
}

/* ---- calls ----------------------------------------------------------------------------------- */

bool has_prefix(const std::string &text, const char *prefix)
{
	return !text.compare(0, strlen(prefix), prefix);
}

/* Is it a function that only the compiler or its library calls, but not the source? */
bool is_compiler_helper(const std::string &name)
{
	for (const char *prefix :
	     { "__builtin_", "__sync_", "__atomic_", "__cxa_", "_Unwind_", "__sooth_", "__tsan_" })
		if (has_prefix(name, prefix))
			return true;
	return false;
}

bool is_probe(tree function)
{
	return point_linker_name(function) == "__sooth_probe";
}

/* Does the call get points? It does if the called function may be defined in another unit. */
bool calls_other_unit(gcall *call)
{
	tree function = gimple_call_fndecl(call);

	return function && DECL_EXTERNAL(function) &&
	       !is_compiler_helper(point_linker_name(function));
}

void insert_after_call(gcall *call, gimple_seq seq)
{
	if (stmt_ends_bb_p(call)) {
		edge e = find_fallthru_edge(gimple_bb(call)->succs);
		if (e)
			gsi_insert_seq_on_edge_immediate(e, seq);
	} else {
		gimple_stmt_iterator gsi = gsi_for_stmt(call);
		gsi_insert_seq_after(&gsi, seq, GSI_SAME_STMT);
	}
}

/* Returns the result of a call as a value, or NULL if there is no result that can be recorded. */
tree result_of(gcall *call)
{
	tree type = gimple_call_return_type(call), to = gimple_call_lhs(call);

	if (VOID_TYPE_P(type))
		return NULL_TREE;
	if (to)
		return TREE_CODE(to) == SSA_NAME || !is_gimple_reg_type(type) ? to : NULL_TREE;
	if (!is_gimple_reg_type(type))
		return NULL_TREE;
	to = make_ssa_name(type);
	gimple_call_set_lhs(call, to);
	SSA_NAME_DEF_STMT(to) = call;
	update_stmt(call);
	return to;
}

/*
 * If the result of a call is stored directly to memory, puts it into a register first. Otherwise a
 * point would have to read it from memory, where another thread may have changed it.
 */
void split_result(gcall *call)
{
	tree to = gimple_call_lhs(call);

	if (!to || TREE_CODE(to) == SSA_NAME || !is_gimple_reg_type(TREE_TYPE(to)))
		return;
	tree value = make_ssa_name(TREE_TYPE(to));
	gimple *store = gimple_build_assign(to, value);
	gimple_seq seq = NULL;

	gimple_call_set_lhs(call, value);
	SSA_NAME_DEF_STMT(value) = call;
	update_stmt(call);
	gcc_copy_site(store, call);
	gimple_seq_add_stmt(&seq, store);
	insert_after_call(call, seq);
}

/*
 * Adds the arguments with the types of the prototype, where these are compatible. So an address
 * that is passed for a `char *` parameter is recorded as text.
 */
void add_arguments(gcall *call, point &p, declaration_set &escaping)
{
	tree types = TYPE_ARG_TYPES(TREE_TYPE(gimple_call_fndecl(call)));

	for (unsigned i = 0; i < gimple_call_num_args(call); i++) {
		tree value = gimple_call_arg(call, i);
		tree type = types ? TREE_VALUE(types) : NULL_TREE;
		if (type && !useless_type_conversion_p(type, TREE_TYPE(value)))
			type = NULL_TREE;
		p.values.push_back(
			{ value, type, keeps_no_pointer(call) && is_private(value, escaping) });
		types = types ? TREE_CHAIN(types) : NULL_TREE;
	}
}

void mark_call(gcall *call, declaration_set &escaping)
{
	const int never_returns = ECF_NORETURN | ECF_RETURNS_TWICE;
	point p = {
		POINT_CALL, 0, point_full_name(gimple_call_fndecl(call)), {}, gimple_location(call)
	};

	if (!(gimple_call_flags(call) & never_returns)) {
		point back = p;
		split_result(call);
		tree result = result_of(call);
		back.kind = POINT_RETURN;
		back.flags = POINT_ROW_AFTER_CALL;
		/* those that return a pointer return their first argument */
		bool hidden = result && keeps_no_pointer(call) &&
			      POINTER_TYPE_P(TREE_TYPE(result)) &&
			      is_private(gimple_call_arg(call, 0), escaping);
		if (result)
			back.values.push_back({ result, gimple_call_return_type(call), hidden });
		insert_after_call(call, point_build(back));
	}
	add_arguments(call, p, escaping);
	gimple_stmt_iterator gsi = gsi_for_stmt(call);
	gsi_insert_seq_before(&gsi, point_build(p), GSI_SAME_STMT);
}

/* The called function may be one that is not recorded. */
void mark_call_by_pointer(gcall *call)
{
	tree target = gimple_call_fn(call);
	point p = { POINT_BY_POINTER, 0, "", {}, gimple_location(call) };

	if (target && TREE_CODE(target) == OBJ_TYPE_REF)
		target = OBJ_TYPE_REF_EXPR(target);
	if (!target || TREE_CODE(target) != SSA_NAME)
		return;
	p.values.push_back({ target, NULL_TREE, false });
	gimple_stmt_iterator gsi = gsi_for_stmt(call);
	gsi_insert_seq_before(&gsi, point_build(p), GSI_SAME_STMT);
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* Calls of __sooth_probe("app:name", …) come from annotate.h only to be replaced here. */
void replace_probe(gcall *call)
{
	point p = { POINT_PROBE, 0, "", {}, gimple_location(call) };
	const char *name = gimple_call_num_args(call) ? c_getstr(gimple_call_arg(call, 0)) : NULL;

	if (!name)
		error_at(p.where, "the name of a probe must be a constant");
	p.name = name ? name : "?";
	for (unsigned i = 1; i < gimple_call_num_args(call); i++)
		p.values.push_back({ gimple_call_arg(call, i), NULL_TREE, false });
	gimple_stmt_iterator gsi = gsi_for_stmt(call);
	gsi_insert_seq_before(&gsi, point_build(p), GSI_SAME_STMT);
	unlink_stmt_vdef(call);
	gsi_remove(&gsi, true);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

void mark_entry(function *fn, const point &base)
{
	point p = base;

	p.kind = POINT_BODY;
	for (tree parameter = DECL_ARGUMENTS(fn->decl); parameter;
	     parameter = DECL_CHAIN(parameter))
		p.values.push_back({ is_gimple_reg(parameter)
					     ? get_or_create_ssa_default_def(fn, parameter)
					     : parameter,
				     NULL_TREE, false });
	if (stdarg_p(TREE_TYPE(fn->decl)))
		p.flags |= POINT_ROW_MORE;
	gsi_insert_seq_on_edge_immediate(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fn)),
					 point_build(p));
}

bool is_end_mark(gimple *stmt)
{
	return is_gimple_call(stmt) && gimple_call_internal_p(stmt) &&
	       gimple_call_internal_fn(stmt) == IFN_TSAN_FUNC_EXIT;
}

/*
 * Inserts a RETURN before the sanitizer's mark at the end of the function, so that the trace shows
 * the function as still open.
 */
void insert_before_return(greturn *stmt, point p)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(stmt), before = gsi;

	if (gimple_has_location(stmt))
		p.where = gimple_location(stmt);
	for (gsi_prev(&before); !gsi_end_p(before); gsi_prev(&before)) {
		if (is_end_mark(gsi_stmt(before)))
			gsi = before;
		if (!is_gimple_debug(gsi_stmt(before)) && !is_gimple_assign(gsi_stmt(before)))
			break;
	}
	gsi_insert_seq_before(&gsi, point_build(p), GSI_SAME_STMT);
}

void mark_return(greturn *stmt, const point &base)
{
	point p = base;
	tree value = gimple_return_retval(stmt);

	p.kind = POINT_RETURN;
	if (value)
		p.values.push_back({ value, NULL_TREE, false });
	insert_before_return(stmt, p);
}

/* ---- functions ------------------------------------------------------------------------------- */

struct point_candidates {
	std::vector<gcall *> calls, calls_by_pointer, probes;
	std::vector<greturn *> returns;
	unsigned statements = 0;
	bool calls_any = false;
};

void classify_statement(gimple *stmt, point_candidates &f)
{
	if (is_gimple_debug(stmt) || gimple_code(stmt) == GIMPLE_LABEL || is_end_mark(stmt))
		return;
	f.statements++;
	if (greturn *r = dyn_cast<greturn *>(stmt))
		f.returns.push_back(r);
	gcall *call = dyn_cast<gcall *>(stmt);
	if (!call || gimple_call_internal_p(call))
		return;
	tree function = gimple_call_fndecl(call);
	if (function && is_probe(function))
		f.probes.push_back(call);
	else if (calls_other_unit(call))
		f.calls.push_back(call);
	else if (!function)
		f.calls_by_pointer.push_back(call);
	if (!function || !fndecl_built_in_p(function))
		f.calls_any = true;
}

/* Functions in system headers belong to the library, not to the program. */
bool is_from_system_header(tree function)
{
	return in_system_header_at(DECL_SOURCE_LOCATION(function));
}

/*
 * Is it a function made by the compiler (a constructor of a unit), or one that cannot contain a
 * point?
 */
bool is_compiler_made(tree function)
{
	return (DECL_ARTIFICIAL(function) &&
		(DECL_STATIC_CONSTRUCTOR(function) || DECL_STATIC_DESTRUCTOR(function))) ||
	       lookup_attribute("naked", DECL_ATTRIBUTES(function)) ||
	       lookup_attribute("interrupt", TYPE_ATTRIBUTES(TREE_TYPE(function)));
}

/*
 * Is it a small function that makes no calls and is meant to be inlined (in C++, also a member of a
 * class or of a template)? A point in it would keep its arguments out of registers and prevent
 * vectorisation. A loop over such accessors was 16 times slower.
 */
bool is_too_small(tree function, const point_candidates &f)
{
	return points_wanted != POINTS_ALL && DECL_DECLARED_INLINE_P(function) && !f.calls_any &&
	       f.statements < small_statements;
}

/*
 * Removes the attributes pure and const: with them, the caller could omit a call whose result it
 * knows.
 */
void forget_purity(tree function)
{
	if (!DECL_PURE_P(function) && !TREE_READONLY(function))
		return;
	if (cgraph_node *node = cgraph_node::get(function)) {
		node->set_pure_flag(false, false);
		node->set_const_flag(false, false);
	}
	DECL_PURE_P(function) = 0;
	TREE_READONLY(function) = 0;
}

void mark_body(function *fn, const point_candidates &f)
{
	point base = { POINT_BODY,
		       point_flags_of(fn->decl),
		       point_full_name(fn->decl),
		       {},
		       fn->function_end_locus };

	for (greturn *r : f.returns)
		mark_return(r, base);
	base.where = DECL_SOURCE_LOCATION(fn->decl);
	mark_entry(fn, base);
	forget_purity(fn->decl);
}

/* Can the function be called through a pointer? */
bool may_be_callback(tree function)
{
	cgraph_node *node = cgraph_node::get(function);

	return DECL_VIRTUAL_P(function) || (node && node->address_taken);
}

/* A function without points of its own. */
void mark_callback(function *fn, const point_candidates &f)
{
	point p = { POINT_ENTRY, 0, "", {}, DECL_SOURCE_LOCATION(fn->decl) };

	gsi_insert_seq_on_edge_immediate(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fn)),
					 point_build(p));
	p.kind = POINT_EXIT;
	for (greturn *r : f.returns)
		insert_before_return(r, p);
}

/* The points that a property can ask for. Returns whether the function's body has them. */
bool mark_for_properties(function *fn, const point_candidates &f)
{
	declaration_set escaping;

	find_escaping(fn, escaping);
	for (gcall *call : f.calls)
		mark_call(call, escaping);
	if (is_too_small(fn->decl, f)) {
		point_add_none(fn->decl, "too small");
		return false;
	}
	mark_body(fn, f);
	return true;
}

/* Returns whether there are points. */
bool mark_recorded(function *fn, const point_candidates &f)
{
	bool own = !is_from_system_header(fn->decl);
	bool has_body = own && mark_for_properties(fn, f);
	bool callback = !has_body && may_be_callback(fn->decl);

	if (callback)
		mark_callback(fn, f);
	for (gcall *call : f.calls_by_pointer)
		mark_call_by_pointer(call);
	return own || callback || !f.calls_by_pointer.empty();
}

unsigned insert_points(function *fn)
{
	bool recorded = sanitize_flags_p(SANITIZE_THREAD, fn->decl) && points_wanted != POINTS_NONE;
	basic_block bb;
	point_candidates f;

	if (is_compiler_made(fn->decl))
		return 0;
	FOR_EACH_BB_FN (bb, fn)
		for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
			classify_statement(gsi_stmt(i), f);
	for (gcall *call : f.probes)
		replace_probe(call);
	if (!(recorded && mark_recorded(fn, f)) && f.probes.empty())
		return 0;
	strings_module_needed = true;
	free_dominance_info(CDI_DOMINATORS);
	free_dominance_info(CDI_POST_DOMINATORS);
	mark_virtual_operands_for_renaming(fn);
	return TODO_update_ssa | TODO_cleanup_cfg;
}

const pass_data points_pass_data = {
	GIMPLE_PASS, "sooth_points", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0,
};

class points_pass : public gimple_opt_pass
{
      public:
	explicit points_pass(gcc::context *context) : gimple_opt_pass(points_pass_data, context)
	{
	}
	opt_pass *clone() final override
	{
		return new points_pass(m_ctxt);
	}
	unsigned execute(function *fn) final override
	{
		return insert_points(fn);
	}
};

} // namespace

bool points_is_point(const gasm *stmt)
{
	return point_row_is_in(gimple_asm_string(stmt));
}

opt_pass *points_new_pass(gcc::context *context)
{
	return new points_pass(context);
}
