/*
 * The instrumenting pass. It replaces the compiler's thread-sanitizer pass. It runs after inlining
 * and scalar optimisation, but before loops are vectorised and stores are merged. So the accesses
 * are still those of the source, and their fields are known.
 *
 * For each function the pass does four things: it splits statements (lower.cc), lists what is to be
 * recorded, computes which values the reader will know (slots.cc), and generates code, one segment
 * at a time (segment.cc).
 */
#include "compiler/gcc/gcc.h"

#include "compiler/gcc/bit_fields.h"
#include "compiler/gcc/instrument.h"
#include "compiler/gcc/loops.h"
#include "compiler/gcc/lower.h"
#include "compiler/gcc/points.h"
#include "compiler/gcc/segment.h"
#include "compiler/gcc/strings.h"

#include <vector>

namespace
{

/*
 * Structs and arrays larger than this are copied by a call of the runtime. Vectors are never copied
 * that way: the compiler keeps them in registers, or assumes that it does.
 */
const HOST_WIDE_INT inline_copy_max = 256;
const HOST_WIDE_INT vector_max = 640;

/* ---- listing what is to be recorded ---------------------------------------------------------- */

bool is_memory(tree t)
{
	return TREE_CODE(t) != SSA_NAME && !is_gimple_min_invariant(t) &&
	       (DECL_P(t) || REFERENCE_CLASS_P(t));
}

bool is_bit_field(tree t)
{
	return TREE_CODE(t) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(t, 1));
}

/*
 * Replaces a large or variable-sized assignment by a call of the runtime. Returns false if the
 * assignment is of another kind.
 */
bool assign_by_call(gimple_stmt_iterator *gsi)
{
	gimple *stmt = gsi_stmt(*gsi);
	tree to = gimple_assign_lhs(stmt), from = gimple_assign_rhs1(stmt);
	bool clears = TREE_CODE(from) == CONSTRUCTOR;
	HOST_WIDE_INT size = access_size(to);

	if (size <= 0 || (clears ? size < 0xffff : size <= inline_copy_max) ||
	    is_gimple_reg_type(TREE_TYPE(to)) || stmt_ends_bb_p(stmt) ||
	    (!clears && !is_memory(from) && TREE_CODE(from) != STRING_CST))
		return false;
	tree address = force_gimple_operand_gsi(gsi, build_fold_addr_expr(unshare_expr(to)), true,
						NULL_TREE, true, GSI_SAME_STMT);
	tree second = integer_zero_node;
	if (!clears)
		second = force_gimple_operand_gsi(gsi, build_fold_addr_expr(unshare_expr(from)),
						  true, NULL_TREE, true, GSI_SAME_STMT);
	tree type = build_function_type_list(ptr_type_node, ptr_type_node,
					     clears ? integer_type_node : ptr_type_node,
					     size_type_node, NULL_TREE);
	tree function = build_fn_decl(clears ? "__sooth_memset" : "__sooth_memmove", type);
	TREE_NOTHROW(function) = 1;
	gcall *call = gimple_build_call(function, 3, address, second, size_int(size));
	gcc_copy_site(call, stmt);
	unlink_stmt_vdef(stmt);
	gsi_replace(gsi, call, true);
	return true;
}

/*
 * Splits the address of a reference. If an equal reference comes earlier in the block (`seen`),
 * returns its address.
 */
access_address split_address(gimple_stmt_iterator *gsi, tree ref, std::vector<access_address> &seen)
{
	access_address a = access_split(ref);
	if (a.base)
		return a;
	for (const access_address &s : seen)
		if (operand_equal_p(s.ref, ref, OEP_ADDRESS_OF))
			return s;
	access_make_base(gsi, &a);
	seen.push_back(a);
	return a;
}

void list_assign(gimple_stmt_iterator *gsi, std::vector<op> &ops, std::vector<access_address> &seen)
{
	gimple *stmt = gsi_stmt(*gsi);

	if (!gimple_assign_single_p(stmt) || gimple_clobber_p(stmt))
		return;
	tree to = gimple_assign_lhs(stmt), from = gimple_assign_rhs1(stmt);
	op o = {};
	o.from_shared = is_memory(from) && access_is_shared(from);
	o.to_shared = is_memory(to) && access_is_shared(to);
	if (!o.from_shared && !o.to_shared)
		return;
	if (assign_by_call(gsi)) {
		o = {};
		o.kind = op::SITE;
		o.stmt = gsi_stmt(*gsi);
		ops.push_back(o);
		return;
	}
	bool clears = TREE_CODE(from) == CONSTRUCTOR && !is_gimple_reg_type(TREE_TYPE(to));
	HOST_WIDE_INT size = access_size(to);
	HOST_WIDE_INT most = is_gimple_reg_type(TREE_TYPE(to)) ? vector_max : inline_copy_max;
	if (size == 0)
		return;
	if (size < 0 || (size > most && !clears)) {
		segment_counts.inexact++;
		return;
	}
	o.stmt = stmt;
	if (TREE_CODE(to) == SSA_NAME)
		o.kind = op::READ;
	else if (clears)
		o.kind = op::CLEAR;
	else if (is_gimple_reg_type(TREE_TYPE(to)) && is_gimple_val(from))
		o.kind = op::WRITE;
	else
		o.kind = op::COPY;
	/* Under -fnon-call-exceptions a statement that may throw cannot be changed. */
	if (lookup_stmt_eh_lp(stmt) &&
	    (o.kind == op::COPY || is_bit_field(from) || is_bit_field(to))) {
		segment_counts.inexact++;
		return;
	}
	if (o.from_shared)
		o.from = split_address(gsi, from, seen);
	if (o.to_shared)
		o.to = split_address(gsi, to, seen);
	ops.push_back(o);
}

void list_call(gcall *call, std::vector<op> &ops)
{
	op o = {};

	o.stmt = call;
	switch (lower_classify(call, &o.object)) {
	case CALL_NOTHING: return;
	case CALL_EXIT: o.kind = op::EXIT; break;
	case CALL_SITE: o.kind = op::SITE; break;
	case CALL_OTHER: o.kind = op::FORGET; break;
	}
	ops.push_back(o);
	if (o.kind == op::SITE && lower_runs_program(call)) {
		o.kind = op::FORGET;
		ops.push_back(o);
	}
}

/* Is the asm template empty? Such a statement only prevents the compiler from moving code. */
bool does_nothing(gasm *stmt)
{
	return gimple_asm_string(stmt)[0] == 0;
}

void list_block(basic_block bb, std::vector<op> &ops)
{
	std::vector<access_address> seen;

	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);
		if (is_gimple_assign(stmt)) {
			list_assign(&gsi, ops, seen);
		} else if (gcall *call = dyn_cast<gcall *>(stmt)) {
			list_call(call, ops);
		} else if (gasm *a = dyn_cast<gasm *>(stmt)) {
			op o = {};
			o.kind = op::FORGET;
			o.stmt = stmt;
			if (points_is_point(a)) {
				/* a point may write a record, but runs no code of the program */
				o.kind = op::CLOSE;
				strings_module_needed = true;
			}
			if (!does_nothing(a))
				ops.push_back(o);
		}
	}
}

/* Is there anything to record besides the end of the function? */
bool has_events(const plan &p)
{
	for (const auto &ops : p.blocks)
		for (const op &o : ops)
			if (o.kind != op::EXIT && o.kind != op::CLOSE)
				return true;
	return false;
}

/* ---- what the reader will know --------------------------------------------------------------- */

void note_address_known(plan &p, basic_block bb, const access_address &a)
{
	if (!a.is_static)
		p.known.note_recorded(bb, a.base);
}

void note_block_effects(basic_block bb, plan &p)
{
	for (const op &o : p.blocks[bb->index]) {
		if (o.kind == op::FORGET || o.kind == op::EXIT)
			p.known.note_forgotten(bb);
		if (o.from_shared)
			note_address_known(p, bb, o.from);
		if (o.to_shared)
			note_address_known(p, bb, o.to);
		if (o.kind == op::READ) {
			tree value = gimple_assign_lhs(o.stmt);
			if (segment_value_fits_slot(TREE_TYPE(value)))
				p.known.note_recorded(bb, value);
		}
	}
}

/* ---- generation ------------------------------------------------------------------------------ */

void close_if_full(segment &s, gimple_stmt_iterator *gsi, HOST_WIDE_INT size)
{
	if (s.is_open() && !s.has_room(size))
		s.close(gsi);
}

void generate_op(const op &o, segment &s, slots &known)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(o.stmt);

	if (o.kind == op::CLOSE) {
		s.close(&gsi);
		return;
	}
	if (o.kind == op::FORGET) {
		s.close(&gsi);
		known.forgotten();
		return;
	}
	close_if_full(s, &gsi,
		      o.is_access() && o.kind != op::CLEAR ? access_size(gimple_assign_lhs(o.stmt))
							   : 0);
	switch (o.kind) {
	case op::READ:
		s.read(&gsi, o, bit_fields_source_reference(o.stmt, gimple_assign_rhs1(o.stmt)));
		break;
	case op::WRITE:
		s.write(&gsi, o, bit_fields_source_reference(o.stmt, gimple_assign_lhs(o.stmt)));
		break;
	case op::COPY: s.copy(&gsi, o); break;
	case op::CLEAR: s.clear(&gsi, o); break;
	case op::SITE:
		s.add_site(&gsi, o.object, lower_site_size(as_a<gcall *>(o.stmt)));
		s.close(&gsi);
		break;
	default: /* EXIT */
		s.exit(&gsi);
		s.close(&gsi);
		known.forgotten();
		unlink_stmt_vdef(o.stmt);
		gsi_remove(&gsi, true);
		break;
	}
}

/*
 * Returns the place where a segment is committed if it reaches the end of the block: before the
 * statement that ends the block, if there is one.
 */
gimple_stmt_iterator end_of_segment_in(basic_block bb)
{
	gimple_stmt_iterator gsi = gsi_last_bb(bb);
	if (!gsi_end_p(gsi) && stmt_ends_bb_p(gsi_stmt(gsi)))
		return gsi;
	if (!gsi_end_p(gsi))
		gsi_next(&gsi);
	return gsi;
}

void generate_block(basic_block bb, plan &p, bool is_entry)
{
	segment s(p.known);
	std::vector<slots::definition> definitions = p.known.definitions_at(bb);
	std::vector<slots::assignment> assignments = p.known.assignments_at(bb);

	if (p.blocks[bb->index].empty() && !is_entry && definitions.empty() && assignments.empty())
		return;
	p.known.enter_block(bb);
	if (is_entry) {
		gimple_stmt_iterator gsi = gsi_after_labels(bb);
		s.enter(&gsi);
	}
	for (const op &o : p.blocks[bb->index])
		generate_op(o, s, p.known);
	gimple_stmt_iterator gsi = end_of_segment_in(bb);
	for (const slots::definition &d : definitions) {
		close_if_full(s, &gsi, 0);
		s.define(&gsi, d);
	}
	for (const slots::assignment &a : assignments) {
		close_if_full(s, &gsi, 0);
		s.assign(&gsi, a);
	}
	s.close(&gsi);
}

void remove_exits(plan &p)
{
	for (const auto &ops : p.blocks)
		for (const op &o : ops)
			if (o.kind == op::EXIT) {
				gimple_stmt_iterator gsi = gsi_for_stmt(o.stmt);
				unlink_stmt_vdef(o.stmt);
				gsi_remove(&gsi, true);
			}
}

basic_block entry_block(function *fn)
{
	basic_block bb = single_succ(ENTRY_BLOCK_PTR_FOR_FN(fn));
	if (!single_pred_p(bb) || !gimple_seq_empty_p(phi_nodes(bb)))
		bb = split_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fn)));
	return bb;
}

/*
 * Is this the constructor that gcc adds to each unit under -fsanitize=thread? It contains no code
 * of the program.
 */
bool is_tsan_constructor(tree function)
{
	return DECL_ARTIFICIAL(function) && DECL_STATIC_CONSTRUCTOR(function) &&
	       !strncmp(IDENTIFIER_POINTER(DECL_NAME(function)), "_sub_I_00099", 12);
}

/*
 * Is the function an ifunc resolver? (target_clones creates resolvers, too.) The dynamic linker
 * calls resolvers before the runtime's thread-local variable has been allocated.
 */
bool is_resolver(tree function)
{
	symtab_node *node = symtab_node::get(function);
	ipa_ref *ref;

	for (unsigned i = 0; node && node->iterate_direct_aliases(i, ref); i++)
		if (lookup_attribute("ifunc", DECL_ATTRIBUTES(ref->referring->decl)))
			return true;
	return false;
}

/* Functions that are not instrumented. Only the sanitizer's mark at their end is removed. */
bool is_not_instrumented(tree function)
{
	return lookup_attribute("naked", DECL_ATTRIBUTES(function)) ||
	       lookup_attribute("interrupt", TYPE_ATTRIBUTES(TREE_TYPE(function))) ||
	       is_tsan_constructor(function) || is_resolver(function);
}

unsigned instrument_function_body(function *fn)
{
	basic_block bb;
	plan p;

	if (!is_not_instrumented(fn->decl))
		lower_function(fn);
	loops_prepare();
	basic_block entry = entry_block(fn);
	p.blocks.resize(last_basic_block_for_fn(fn));
	FOR_EACH_BB_FN (bb, fn)
		list_block(bb, p.blocks[bb->index]);
	if (has_events(p) && !is_not_instrumented(fn->decl)) {
		FOR_EACH_BB_FN (bb, fn)
			note_block_effects(bb, p);
		loops_find(fn, p);
		p.known.solve(fn);
		for (size_t i = NUM_FIXED_BLOCKS; i < p.blocks.size(); i++)
			if ((bb = BASIC_BLOCK_FOR_FN(fn, i)))
				generate_block(bb, p, bb == entry);
	} else {
		remove_exits(p);
	}
	loops_finish();
	return TODO_update_ssa;
}

const pass_data instrument_pass_data = {
	GIMPLE_PASS, "sooth", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0,
};

class instrument_pass : public gimple_opt_pass
{
      public:
	instrument_pass(gcc::context *context, bool optimised)
	    : gimple_opt_pass(instrument_pass_data, context), optimised(optimised)
	{
	}
	bool gate(function *fn) final override
	{
		return (optimize != 0) == optimised && sanitize_flags_p(SANITIZE_THREAD, fn->decl);
	}
	opt_pass *clone() final override
	{
		return new instrument_pass(m_ctxt, optimised);
	}
	unsigned execute(function *fn) final override
	{
		return instrument_function_body(fn);
	}

      private:
	bool optimised; /* true in the instance for optimised code */
};

} // namespace

opt_pass *instrument_new_pass(gcc::context *context, bool optimised)
{
	return new instrument_pass(context, optimised);
}
