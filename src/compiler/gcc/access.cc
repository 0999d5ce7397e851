/*
 * Decides with gcc's points-to analysis which memory other threads can see, and splits addresses
 * into a base and a constant offset. Accesses that no other thread can see are not recorded.
 */
#include "compiler/gcc/gcc.h"

#include "compiler/gcc/access.h"

/* Does the pointer point only to objects that no code outside this function can reach? */
static bool points_to_private(tree pointer)
{
	if (TREE_CODE(pointer) != SSA_NAME || !SSA_NAME_PTR_INFO(pointer) || !optimize)
		return false;
	const pt_solution &pt = SSA_NAME_PTR_INFO(pointer)->pt;
	return !pt.anything && !pt.nonlocal && !pt.escaped && !pt.ipa_escaped &&
	       !pt.vars_contains_nonlocal && !pt.vars_contains_escaped &&
	       !pt.vars_contains_escaped_heap && !pt.vars_contains_restrict &&
	       !pt.vars_contains_interposable && pt.vars && !bitmap_empty_p(pt.vars);
}

static bool local_is_private(tree decl)
{
	pt_solution escaped;

	memset(&escaped, 0, sizeof(escaped));
	escaped.escaped = 1;
	escaped.ipa_escaped = flag_ipa_pta != 0;
	return !pt_solution_includes(&escaped, decl) || !may_be_aliased(decl);
}

bool access_is_shared(tree ref)
{
	tree base = get_base_address(ref);

	if (!base || TREE_CODE(base) == SSA_NAME || CONSTANT_CLASS_P(base))
		return false;
	if (!ADDR_SPACE_GENERIC_P(TYPE_ADDR_SPACE(TREE_TYPE(base))))
		return false;
	if (TREE_CODE(base) == MEM_REF || TREE_CODE(base) == TARGET_MEM_REF) {
		tree pointer = TREE_OPERAND(base, 0);
		if (TREE_CODE(pointer) == ADDR_EXPR)
			return access_is_shared(TREE_OPERAND(pointer, 0));
		return !points_to_private(pointer);
	}
	if (!DECL_P(base))
		return false;
	if (TREE_READONLY(base) || TREE_CODE(base) == CONST_DECL)
		return false;
	if (VAR_P(base) && DECL_HARD_REGISTER(base))
		return false;
	if (VAR_P(base) && DECL_THREAD_LOCAL_P(base) && !TREE_PUBLIC(base) &&
	    !TREE_ADDRESSABLE(base))
		return false;
	return is_global_var(base) || !local_is_private(base);
}

HOST_WIDE_INT access_size(tree ref)
{
	tree type = TREE_TYPE(ref);

	if (TREE_CODE(type) == ERROR_MARK || !COMPLETE_TYPE_P(type))
		return -1;
	if (TYPE_MODE(type) == XFmode) /* x87: a move covers ten of the sixteen bytes */
		return 10;
	return int_size_in_bytes(type);
}

/* Does code in this unit refer to the variable as symbol(%rip)? Then the table can do so, too. */
static bool has_static_address(tree decl)
{
	return VAR_P(decl) && is_global_var(decl) && !DECL_THREAD_LOCAL_P(decl) &&
	       !DECL_HAS_VALUE_EXPR_P(decl) && !DECL_WEAK(decl) && !DECL_EXTERNAL(decl) &&
	       !DECL_COMDAT(decl) && targetm.binds_local_p(decl);
}

access_address access_split(tree ref)
{
	access_address address = { NULL_TREE, 0, false, ref };
	poly_int64 bytes = 0;
	tree base = get_addr_base_and_unit_offset(ref, &bytes);

	if (!base || !bytes.is_constant())
		return address;
	HOST_WIDE_INT offset = bytes.to_constant();
	if (TREE_CODE(base) == MEM_REF) {
		poly_offset_int more = mem_ref_offset(base);
		HOST_WIDE_INT extra;
		if (!more.to_shwi(&bytes) || !bytes.is_constant(&extra))
			return address;
		offset += extra;
		base = TREE_OPERAND(base, 0);
		if (TREE_CODE(base) != SSA_NAME)
			return address;
	} else if (!DECL_P(base)) {
		return address;
	}
	if (offset != (int)offset)
		return address;
	address.base = base;
	address.offset = offset;
	address.is_static = DECL_P(base) && has_static_address(base);
	return address;
}

tree access_compute(gimple_stmt_iterator *gsi, const access_address &address)
{
	if (TREE_CODE(address.base) == SSA_NAME)
		return address.base;
	return force_gimple_operand_gsi(gsi, build_fold_addr_expr(address.base), true, NULL_TREE,
					true, GSI_SAME_STMT);
}

void access_make_base(gimple_stmt_iterator *gsi, access_address *address)
{
	tree ref = address->ref;
	HOST_WIDE_INT bits = 0;

	if (TREE_CODE(ref) == BIT_FIELD_REF) {
		bits = tree_to_shwi(TREE_OPERAND(ref, 2));
		ref = TREE_OPERAND(ref, 0);
	}
	tree value = fold_convert(ptr_type_node, build_fold_addr_expr(unshare_expr(ref)));
	address->base = make_ssa_name(ptr_type_node);
	address->offset = bits / BITS_PER_UNIT;
	value = force_gimple_operand_gsi(gsi, value, false, NULL_TREE, true, GSI_SAME_STMT);
	gsi_insert_before(gsi, gimple_build_assign(address->base, value), GSI_SAME_STMT);
}
