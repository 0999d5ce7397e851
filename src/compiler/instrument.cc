/*
 * The pass. It takes the place of the compiler's own thread-sanitizer pass: late enough that
 * inlining and scalar optimisation are done, early enough that loops are not yet vectorised and
 * stores not yet merged, so that accesses are still those of the source and know their fields.
 *
 * For each function: take statements apart (lower.cc), list what is to be recorded, find out
 * which values the reader will know (slots.cc), then generate, a segment at a time (segment.cc).
 */
#include "compiler/gcc.h"

#include "compiler/instrument.h"
#include "compiler/lower.h"
#include "compiler/segment.h"

#include <vector>

namespace {

/* Structs and arrays larger than this are copied and cleared by the runtime. */
const HOST_WIDE_INT inline_copy_max = 256;

enum what { READ, WRITE, COPY, CLEAR, SITE, EXIT, BREAK, FORGET };

struct op {
	enum what what;
	gimple *stmt;
	tree object;		     /* SITE */
	bool from_shared, to_shared; /* COPY */
};

struct plan {
	std::vector<std::vector<op>> blocks; /* by index of the block */
	bool worth_it = false;		     /* anything but the marks of the function's end */
	slots known;
};

/* ---- what is to be recorded ----------------------------------------------------------------- */

bool is_memory(tree t)
{
	return TREE_CODE(t) != SSA_NAME && !is_gimple_min_invariant(t) &&
	       (DECL_P(t) || REFERENCE_CLASS_P(t));
}

/* A large or variable-sized assignment becomes a call of the runtime. */
bool assign_by_call(gimple_stmt_iterator *gsi, bool from_shared, bool to_shared)
{
	gimple *stmt = gsi_stmt(*gsi);
	tree to = gimple_assign_lhs(stmt), from = gimple_assign_rhs1(stmt);
	bool clears = TREE_CODE(from) == CONSTRUCTOR;
	HOST_WIDE_INT size = access_size(to);

	if (size <= 0 || (clears ? size < 0xffff : size <= inline_copy_max) ||
	    (!from_shared && !to_shared) || stmt_ends_bb_p(stmt) ||
	    (!clears && !is_memory(from) && TREE_CODE(from) != STRING_CST))
		return false;
	tree address = force_gimple_operand_gsi(gsi, build_fold_addr_expr(unshare_expr(to)), true,
						NULL_TREE, true, GSI_SAME_STMT);
	tree second = integer_zero_node;
	if (!clears)
		second = force_gimple_operand_gsi(gsi, build_fold_addr_expr(unshare_expr(from)), true,
						  NULL_TREE, true, GSI_SAME_STMT);
	tree type = build_function_type_list(ptr_type_node, ptr_type_node,
					     clears ? integer_type_node : ptr_type_node,
					     size_type_node, NULL_TREE);
	tree function = build_fn_decl(clears ? "__sooth_memset" : "__sooth_memmove", type);
	TREE_NOTHROW(function) = 1;
	gcall *call = gimple_build_call(function, 3, address, second, size_int(size));
	gimple_set_location(call, gimple_location(stmt));
	gimple_set_block(call, gimple_block(stmt));
	unlink_stmt_vdef(stmt);
	gsi_replace(gsi, call, true);
	return true;
}

void list_assign(gimple_stmt_iterator *gsi, std::vector<op> &ops)
{
	gimple *stmt = gsi_stmt(*gsi);

	if (!gimple_assign_single_p(stmt) || gimple_clobber_p(stmt))
		return;
	tree to = gimple_assign_lhs(stmt), from = gimple_assign_rhs1(stmt);
	bool from_shared = is_memory(from) && access_is_shared(from);
	bool to_shared = is_memory(to) && access_is_shared(to);
	if (!from_shared && !to_shared)
		return;
	if (assign_by_call(gsi, from_shared, to_shared)) {
		ops.push_back({ SITE, gsi_stmt(*gsi), NULL_TREE, false, false });
		return;
	}
	HOST_WIDE_INT size = access_size(to);
	if (size <= 0 || size > inline_copy_max || TYPE_MODE(TREE_TYPE(to)) == XCmode) {
		if (!(TREE_CODE(from) == CONSTRUCTOR && size > 0)) {
			if (size != 0)
				segment_counts.inexact++;
			return;
		}
	}
	op o = { READ, stmt, NULL_TREE, from_shared, to_shared };
	if (TREE_CODE(to) == SSA_NAME)
		o.what = READ;
	else if (TREE_CODE(from) == CONSTRUCTOR && !is_gimple_reg_type(TREE_TYPE(to)))
		o.what = CLEAR;
	else if (is_gimple_reg_type(TREE_TYPE(to)) && is_gimple_val(from))
		o.what = WRITE;
	else
		o.what = COPY;
	ops.push_back(o);
}

void list_call(gcall *call, plan &p, std::vector<op> &ops)
{
	tree object;

	switch (lower_classify(call, &object)) {
	case CALL_NOTHING:
		return;
	case CALL_EXIT:
		ops.push_back({ EXIT, call, NULL_TREE, false, false });
		return;
	case CALL_SITE:
		ops.push_back({ SITE, call, object, false, false });
		break;
	case CALL_OTHER:
		ops.push_back({ FORGET, call, NULL_TREE, false, false });
		break;
	}
	p.worth_it = true;
}

/* An empty template only keeps the compiler from moving things. */
bool does_nothing(gasm *stmt)
{
	return gimple_asm_string(stmt)[0] == 0;
}

void list_block(basic_block bb, plan &p)
{
	std::vector<op> &ops = p.blocks[bb->index];

	for (gimple_stmt_iterator gsi = gsi_start_bb(bb); !gsi_end_p(gsi); gsi_next(&gsi)) {
		gimple *stmt = gsi_stmt(gsi);
		if (is_gimple_assign(stmt))
			list_assign(&gsi, ops);
		else if (gcall *call = dyn_cast<gcall *>(stmt))
			list_call(call, p, ops);
		else if (gasm *a = dyn_cast<gasm *>(stmt))
			if (!does_nothing(a))
				ops.push_back({ FORGET, stmt, NULL_TREE, false, false });
		if (!ops.empty() && ops.back().what != EXIT)
			p.worth_it = true;
	}
}

/* ---- what the reader will know -------------------------------------------------------------- */

void note_address(plan &p, basic_block bb, tree ref)
{
	access_address a = access_take_apart(ref);
	if (a.base && !a.is_static)
		p.known.note_recorded(bb, a.base);
}

void note_block(basic_block bb, plan &p)
{
	for (const op &o : p.blocks[bb->index]) {
		switch (o.what) {
		case READ: {
			tree value = gimple_assign_lhs(o.stmt);
			note_address(p, bb, gimple_assign_rhs1(o.stmt));
			if (segment_value_fits_slot(TREE_TYPE(value)))
				p.known.note_recorded(bb, value);
			break;
		}
		case COPY:
			if (o.from_shared)
				note_address(p, bb, gimple_assign_rhs1(o.stmt));
			if (o.to_shared)
				note_address(p, bb, gimple_assign_lhs(o.stmt));
			break;
		case WRITE:
		case CLEAR:
			note_address(p, bb, gimple_assign_lhs(o.stmt));
			break;
		case FORGET:
		case EXIT:
			p.known.note_forgotten(bb);
			break;
		case SITE:
		case BREAK:
			break;
		}
	}
}

/* ---- generation ----------------------------------------------------------------------------- */

void generate_op(const op &o, segment &s, slots &known)
{
	gimple_stmt_iterator gsi = gsi_for_stmt(o.stmt);

	switch (o.what) {
	case READ:
	case WRITE:
	case COPY:
	case CLEAR: {
		tree to = gimple_assign_lhs(o.stmt);
		if (s.is_open() && !s.has_room(o.what == CLEAR ? 0 : access_size(to)))
			s.close(&gsi);
		if (o.what == READ)
			s.read(&gsi, lower_named(o.stmt, gimple_assign_rhs1(o.stmt)));
		else if (o.what == WRITE)
			s.write(&gsi, lower_named(o.stmt, to));
		else if (o.what == COPY)
			s.copy(&gsi, o.from_shared, o.to_shared);
		else
			s.clear(&gsi);
		break;
	}
	case SITE:
		if (s.is_open() && !s.has_room(0))
			s.close(&gsi);
		s.site(&gsi, o.object);
		s.close(&gsi);
		break;
	case EXIT:
		if (s.is_open() && !s.has_room(0))
			s.close(&gsi);
		s.exit(&gsi);
		s.close(&gsi);
		known.forgotten();
		unlink_stmt_vdef(o.stmt);
		gsi_remove(&gsi, true);
		break;
	case FORGET:
		s.close(&gsi);
		known.forgotten();
		break;
	case BREAK:
		s.close(&gsi);
		break;
	}
}

/* Where a segment that reaches the end of the block is committed: before what ends it. */
gimple_stmt_iterator end_of(basic_block bb)
{
	gimple_stmt_iterator gsi = gsi_last_bb(bb);
	if (!gsi_end_p(gsi) && stmt_ends_bb_p(gsi_stmt(gsi)))
		return gsi;
	if (!gsi_end_p(gsi))
		gsi_next(&gsi);
	return gsi;
}

void generate(function *fn, plan &p, basic_block entry)
{
	for (size_t i = 0; i < p.blocks.size(); i++) {
		basic_block bb = BASIC_BLOCK_FOR_FN(fn, i);
		if (!bb || (p.blocks[i].empty() && bb != entry))
			continue;
		segment s(p.known);
		p.known.enter_block(bb);
		if (bb == entry) {
			gimple_stmt_iterator gsi = gsi_after_labels(bb);
			s.enter(&gsi);
		}
		for (const op &o : p.blocks[i])
			generate_op(o, s, p.known);
		gimple_stmt_iterator gsi = end_of(bb);
		s.close(&gsi);
	}
}

void remove_exits(plan &p)
{
	for (const auto &ops : p.blocks)
		for (const op &o : ops)
			if (o.what == EXIT) {
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

unsigned instrument(function *fn)
{
	basic_block bb;
	plan p;

	if (lookup_attribute("naked", DECL_ATTRIBUTES(fn->decl)))
		return 0;
	lower_function(fn);
	basic_block entry = entry_block(fn);
	p.blocks.resize(last_basic_block_for_fn(fn));
	FOR_EACH_BB_FN(bb, fn)
		list_block(bb, p);
	if (!p.worth_it) {
		remove_exits(p);
		return TODO_update_ssa;
	}
	FOR_EACH_BB_FN(bb, fn)
		note_block(bb, p);
	p.known.solve(fn);
	generate(fn, p, entry);
	return TODO_update_ssa;
}

class pass : public gimple_opt_pass {
public:
	pass(const pass_data &data, gcc::context *context, bool optimised)
		: gimple_opt_pass(data, context), optimised(optimised)
	{
	}
	bool gate(function *fn) final override
	{
		return (optimize != 0) == optimised && sanitize_flags_p(SANITIZE_THREAD, fn->decl);
	}
	opt_pass *clone() final override { return new pass(*this, m_ctxt, optimised); }
	unsigned execute(function *fn) final override { return instrument(fn); }

private:
	bool optimised; /* the compiler has a place for it in each of its two pipelines */
};

const pass_data data = {
	GIMPLE_PASS, "sooth", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0, 0, 0,
};

} // namespace

opt_pass *instrument_new_pass(gcc::context *context, bool optimised)
{
	return new pass(data, context, optimised);
}
