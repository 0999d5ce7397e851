/*
 * Bit-fields. The machine reads and writes the bytes that contain a bit-field. Lowering makes that
 * explicit: a write of the field becomes a read and a write of its unit. Neighbouring bit-fields
 * are one memory location, so races on them are races of these accesses. But a member that is not a
 * bit-field, or follows a bit-field of width 0, is another location, and no access may touch it.
 * So a unit whose size is not that of an integer type is accessed in pieces of 1, 2, 4 or 8 bytes.
 *
 * gcc's front end merges tests of two bit-fields into one read of all bytes between them, and masks
 * the bytes that it does not need. Such a read is split in pieces, too: the program does not read
 * the bytes in between.
 */
#include "compiler/gcc/gcc.h"
#include "gimple-fold.h"

#include "compiler/gcc/access.h"
#include "compiler/gcc/bit_fields.h"

#include <map>
#include <vector>

/* ---- the reference in the source ------------------------------------------------------------- */

/* Maps the accesses that were made from a bit-field to the reference in the source. */
static std::map<gimple *, tree> source_references;

tree bit_fields_source_reference(gimple *stmt, tree ref)
{
	auto found = source_references.find(stmt);
	return found == source_references.end() ? ref : found->second;
}

void bit_fields_begin(void)
{
	source_references.clear();
}

/* ---- what is accessed ------------------------------------------------------------------------ */

/* An access to memory, and the position of its first bit in the value it is a part of. */
struct piece {
	tree whole;
	unsigned at;
};

/*
 * An access to a bit-field: its pieces, and a type that can hold all of them. The field begins at
 * bit `shift` of a value of that type.
 */
struct unit {
	std::vector<piece> pieces;
	tree type;
	unsigned shift;
};

static tree unsigned_of(unsigned bits)
{
	return build_nonstandard_integer_type(bits, 1);
}

/*
 * Chooses the smallest access of 1, 2, 4 or 8 bytes that contains all bits of a field and touches
 * only bytes from `first` up to `first + count`. These are the sequence of bit-fields that the
 * language treats as one memory location. Used for sequences whose size is not that of an integer
 * type.
 */
static bool choose_bytes(unsigned bit, unsigned width, unsigned first, unsigned count,
			 unsigned *start, unsigned *size)
{
	unsigned from = bit / BITS_PER_UNIT, to = (bit + width - 1) / BITS_PER_UNIT;

	for (*size = 1; *size <= 8; *size *= 2) {
		if (*size < to - from + 1 || *size > count)
			continue;
		*start = from + *size <= first + count ? from : first + count - *size;
		return *start >= first && *start + *size > to;
	}
	return false;
}

/* Stores the address of `object` in a variable before the statement at `gsi`. */
static tree address_of_object(gimple_stmt_iterator *gsi, tree object)
{
	tree address = make_ssa_name(ptr_type_node);
	tree value = force_gimple_operand_gsi(gsi, build_fold_addr_expr(unshare_expr(object)), true,
					      NULL_TREE, true, GSI_SAME_STMT);

	gsi_insert_before(gsi, gimple_build_assign(address, value), GSI_SAME_STMT);
	return address;
}

static tree bytes_at(tree address, unsigned start, unsigned size)
{
	tree type = build_aligned_type(unsigned_of(size * BITS_PER_UNIT), BITS_PER_UNIT);
	tree any = build_pointer_type_for_mode(char_type_node, VOIDmode, true);

	return build2(MEM_REF, type, address, build_int_cst(any, start));
}

/* Adds accesses to `count` bytes from `start`; `base` is the byte at bit 0 of the unit. */
static void add_pieces(unit *u, tree address, unsigned start, unsigned count, unsigned base)
{
	while (count) {
		unsigned size = 8;
		while (size > count)
			size /= 2;
		u->pieces.push_back(
			{ bytes_at(address, start, size), (start - base) * BITS_PER_UNIT });
		start += size;
		count -= size;
	}
}

static bool find_unit_without_type(gimple_stmt_iterator *gsi, tree ref, unsigned bit, unit *u)
{
	tree object = TREE_OPERAND(ref, 0);
	tree whole = DECL_BIT_FIELD_REPRESENTATIVE(TREE_OPERAND(ref, 1));
	tree bytes = whole ? DECL_SIZE_UNIT(whole) : TYPE_SIZE_UNIT(TREE_TYPE(object));
	unsigned first = whole ? (unsigned)int_byte_position(whole) : 0, start, size;
	unsigned width = TYPE_PRECISION(TREE_TYPE(ref));

	if (!bytes || !tree_fits_uhwi_p(bytes))
		return false;
	bool one = choose_bytes(bit, width, first, (unsigned)tree_to_uhwi(bytes), &start, &size);
	if (!one) {
		start = bit / BITS_PER_UNIT;
		size = (bit + width - 1) / BITS_PER_UNIT - start + 1;
		if (size > 16)
			return false;
	}
	add_pieces(u, address_of_object(gsi, object), start, size, start);
	u->type = unsigned_of(one ? size * BITS_PER_UNIT : size <= 8 ? 64 : 128);
	u->shift = bit - start * BITS_PER_UNIT;
	return true;
}

/* Finds what is read and written for a bit-field. Returns false for any other reference. */
static bool find_unit(gimple_stmt_iterator *gsi, tree ref, unit *u)
{
	if (TREE_CODE(ref) != COMPONENT_REF || !DECL_BIT_FIELD(TREE_OPERAND(ref, 1)) ||
	    !INTEGRAL_TYPE_P(TREE_TYPE(ref)) || !access_is_shared(ref))
		return false;
	tree field = TREE_OPERAND(ref, 1), whole = DECL_BIT_FIELD_REPRESENTATIVE(field);
	if (!tree_fits_shwi_p(DECL_FIELD_OFFSET(field)) ||
	    (whole && !tree_fits_shwi_p(DECL_FIELD_OFFSET(whole))))
		return false;
	unsigned bit = (unsigned)int_bit_position(field);
	if (whole && INTEGRAL_TYPE_P(TREE_TYPE(whole))) {
		u->shift = bit - (unsigned)int_bit_position(whole);
		u->type = unsigned_type_for(TREE_TYPE(whole));
		u->pieces.push_back({ build3(COMPONENT_REF, TREE_TYPE(whole),
					     unshare_expr(TREE_OPERAND(ref, 0)), whole, NULL_TREE),
				      0 });
	} else if (!find_unit_without_type(gsi, ref, bit, u)) {
		return false;
	}
	for (piece &p : u->pieces)
		TREE_THIS_VOLATILE(p.whole) = TREE_SIDE_EFFECTS(p.whole) = TREE_THIS_VOLATILE(ref);
	return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

static tree load_piece(gimple_stmt_iterator *gsi, tree whole, tree ref)
{
	tree value = make_ssa_name(TREE_TYPE(whole));
	gimple *load = gimple_build_assign(value, whole);

	gcc_copy_site(load, gsi_stmt(*gsi));
	gsi_insert_before(gsi, load, GSI_SAME_STMT);
	source_references[load] = ref;
	return value;
}

/* Adds the code to `seq` that converts a piece to `type` and moves it to its place. */
static tree place_piece(gimple_seq *seq, location_t at, tree type, tree value, unsigned bit)
{
	value = gimple_convert(seq, at, unsigned_type_for(TREE_TYPE(value)), value);
	value = gimple_convert(seq, at, type, value);
	if (!bit)
		return value;
	return gimple_build(seq, at, LSHIFT_EXPR, type, value,
			    build_int_cst(unsigned_type_node, bit));
}

/* Reads all pieces, and makes one value of `type` of them. */
static tree load_pieces(gimple_stmt_iterator *gsi, const std::vector<piece> &pieces, tree type,
			tree ref)
{
	location_t at = gimple_location(gsi_stmt(*gsi));
	tree all = NULL_TREE;

	for (const piece &p : pieces) {
		tree value = load_piece(gsi, p.whole, ref);
		gimple_seq seq = NULL;
		value = place_piece(&seq, at, type, value, p.at);
		all = all ? gimple_build(&seq, at, BIT_IOR_EXPR, type, all, value) : value;
		gsi_insert_seq_before(gsi, seq, GSI_SAME_STMT);
	}
	return all;
}

static void lower_load(gimple_stmt_iterator *gsi, const unit &u)
{
	gimple *stmt = gsi_stmt(*gsi);
	location_t at = gimple_location(stmt);
	tree ref = gimple_assign_rhs1(stmt);
	gimple_seq seq = NULL;

	tree value = load_pieces(gsi, u.pieces, u.type, ref);
	value = gimple_build(&seq, at, RSHIFT_EXPR, u.type, value,
			     build_int_cst(unsigned_type_node, u.shift));
	wide_int mask = wi::mask(TYPE_PRECISION(TREE_TYPE(ref)), false, TYPE_PRECISION(u.type));
	value = gimple_build(&seq, at, BIT_AND_EXPR, u.type, value, wide_int_to_tree(u.type, mask));
	gsi_insert_seq_before(gsi, seq, GSI_SAME_STMT);
	gimple_assign_set_rhs_with_ops(gsi, NOP_EXPR, value);
	update_stmt(gsi_stmt(*gsi));
}

/* ---- writing --------------------------------------------------------------------------------- */

/*
 * Writes a piece: the bits of `mask` are taken from `field`, the others are read first. Nothing is
 * read if a piece of several lies completely in the field. The statement at `gsi` becomes the write
 * if `last` is true.
 */
static void store_piece(gimple_stmt_iterator *gsi, const piece &p, tree field, const wide_int &mask,
			bool alone, bool last)
{
	gimple *stmt = gsi_stmt(*gsi);
	location_t at = gimple_location(stmt);
	tree ref = gimple_assign_lhs(stmt);
	tree type = TREE_TYPE(p.whole), utype = unsigned_type_for(type);
	wide_int own = wide_int::from(wi::lrshift(mask, p.at), TYPE_PRECISION(utype), UNSIGNED);
	bool reads = alone || own != wi::minus_one(TYPE_PRECISION(utype));
	tree old = reads ? load_piece(gsi, p.whole, ref) : NULL_TREE;
	gimple_seq seq = NULL;

	tree value = gimple_build(&seq, at, RSHIFT_EXPR, TREE_TYPE(field), field,
				  build_int_cst(unsigned_type_node, p.at));
	value = gimple_convert(&seq, at, utype, value);
	if (reads) {
		old = gimple_convert(&seq, at, utype, old);
		old = gimple_build(&seq, at, BIT_AND_EXPR, utype, old,
				   wide_int_to_tree(utype, wi::bit_not(own)));
		value = gimple_build(&seq, at, BIT_IOR_EXPR, utype, old, value);
	}
	value = gimple_convert(&seq, at, type, value);
	gsi_insert_seq_before(gsi, seq, GSI_SAME_STMT);
	if (!last) {
		gimple *store = gimple_build_assign(unshare_expr(p.whole), value);
		gcc_copy_site(store, stmt);
		gsi_insert_before(gsi, store, GSI_SAME_STMT);
		source_references[store] = ref;
		return;
	}
	gimple_assign_set_lhs(stmt, unshare_expr(p.whole));
	gimple_assign_set_rhs1(stmt, value);
	update_stmt(stmt);
	source_references[stmt] = ref;
}

static void lower_store(gimple_stmt_iterator *gsi, const unit &u)
{
	gimple *stmt = gsi_stmt(*gsi);
	location_t at = gimple_location(stmt);
	tree ref = gimple_assign_lhs(stmt), field = gimple_assign_rhs1(stmt);
	wide_int mask = wi::shifted_mask(u.shift, TYPE_PRECISION(TREE_TYPE(ref)), false,
					 TYPE_PRECISION(u.type));
	gimple_seq seq = NULL;

	field = gimple_convert(&seq, at, u.type, field);
	field = gimple_build(&seq, at, LSHIFT_EXPR, u.type, field,
			     build_int_cst(unsigned_type_node, u.shift));
	field = gimple_build(&seq, at, BIT_AND_EXPR, u.type, field, wide_int_to_tree(u.type, mask));
	gsi_insert_seq_before(gsi, seq, GSI_SAME_STMT);
	for (const piece &p : u.pieces)
		store_piece(gsi, p, field, mask, u.pieces.size() == 1, &p == &u.pieces.back());
}

/* ---- reads of several bit-fields at once ----------------------------------------------------- */

/* Returns the bits of `value` that are used, if each use of it is `value & constant`; else all. */
static wide_int used_bits(tree value)
{
	unsigned bits = TYPE_PRECISION(TREE_TYPE(value));
	wide_int used = wi::zero(bits);
	imm_use_iterator uses;
	gimple *stmt;

	FOR_EACH_IMM_USE_STMT(stmt, uses, value)
	{
		if (is_gimple_debug(stmt))
			continue;
		if (is_gimple_assign(stmt) && gimple_assign_rhs_code(stmt) == BIT_AND_EXPR &&
		    TREE_CODE(gimple_assign_rhs2(stmt)) == INTEGER_CST)
			used = wi::bit_or(used, wi::to_wide(gimple_assign_rhs2(stmt)));
		else
			used = wi::minus_one(bits);
	}
	return used;
}

/*
 * Is this a read of whole bytes of a struct, as the front end makes it of several bit-fields?
 * Returns the struct, and stores where in it the read begins.
 */
static tree merged_read_of(gimple *stmt, unsigned *first)
{
	tree ref = gimple_assign_rhs1(stmt), value = gimple_assign_lhs(stmt), type = TREE_TYPE(ref);

	if (TREE_CODE(value) != SSA_NAME || !INTEGRAL_TYPE_P(type) || TREE_THIS_VOLATILE(ref) ||
	    TYPE_PRECISION(type) % BITS_PER_UNIT || TYPE_PRECISION(type) > 64)
		return NULL_TREE;
	if (TREE_CODE(ref) != BIT_FIELD_REF && TREE_CODE(ref) != VIEW_CONVERT_EXPR)
		return NULL_TREE;
	tree object = TREE_OPERAND(ref, 0);
	unsigned HOST_WIDE_INT bit =
		TREE_CODE(ref) == BIT_FIELD_REF ? tree_to_uhwi(TREE_OPERAND(ref, 2)) : 0;
	if (TREE_CODE(object) == SSA_NAME || !RECORD_OR_UNION_TYPE_P(TREE_TYPE(object)) ||
	    bit % BITS_PER_UNIT || !access_is_shared(ref))
		return NULL_TREE;
	*first = (unsigned)bit / BITS_PER_UNIT;
	return object;
}

static bool lower_merged_read(gimple_stmt_iterator *gsi)
{
	gimple *stmt = gsi_stmt(*gsi);
	unsigned first;
	tree object = merged_read_of(stmt, &first);

	if (!object)
		return false;
	tree ref = gimple_assign_rhs1(stmt), type = TREE_TYPE(ref);
	unsigned bytes = TYPE_PRECISION(type) / BITS_PER_UNIT;
	unsigned HOST_WIDE_INT used = used_bits(gimple_assign_lhs(stmt)).to_uhwi();
	auto is_used = [used](unsigned i) { return (used >> (i * BITS_PER_UNIT) & 255) != 0; };
	unsigned count = 0;
	for (unsigned i = 0; i < bytes; i++)
		count += is_used(i);
	if (!count || count == bytes)
		return false;
	unit u;
	tree address = address_of_object(gsi, object);
	for (unsigned i = 0, end; i < bytes; i = end + 1) {
		for (end = i; end < bytes && is_used(end); end++)
			;
		add_pieces(&u, address, first + i, end - i, first);
	}
	tree value = load_pieces(gsi, u.pieces, unsigned_type_for(type), ref);
	gimple_assign_set_rhs_with_ops(gsi, NOP_EXPR, value);
	update_stmt(gsi_stmt(*gsi));
	return true;
}

/* ---- entry ----------------------------------------------------------------------------------- */

bool bit_fields_lower(gimple_stmt_iterator *gsi)
{
	gimple *stmt = gsi_stmt(*gsi);
	unit u;

	if (find_unit(gsi, gimple_assign_rhs1(stmt), &u))
		lower_load(gsi, u);
	else if (find_unit(gsi, gimple_assign_lhs(stmt), &u))
		lower_store(gsi, u);
	else
		return lower_merged_read(gsi);
	return true;
}
