/*
 * Generates the code and the row of a segment. The code consists of the opening asm (with the row),
 * stores into the record, the NOPs, and the commit.
 */
#include "compiler/gcc/gcc.h"

#include "compiler/gcc/names.h"
#include "compiler/gcc/segment.h"
#include "compiler/gcc/strings.h"

struct segment_counts segment_counts;

#define HEADER_BYTES 4u
/* Maximum payload of a segment; 8, because the last store may write eight bytes beyond its end. */
#define PAYLOAD_MAX (WIRE_SEGMENT_MAX - HEADER_BYTES - 8)

/* ---- assembler statements -------------------------------------------------------------------- */

static tree operand(const char *constraint, tree value)
{
	tree text = build_string(strlen(constraint), constraint);
	return build_tree_list(build_tree_list(NULL_TREE, text), value);
}

const char *segment_asm_template(const std::string &text)
{
	if (ix86_asm_dialect != ASM_INTEL)
		return ggc_strdup(text.c_str());
	return ggc_strdup(
		("\t.att_syntax noprefix\n" + text + "\n\t.intel_syntax noprefix").c_str());
}

static gasm *build_asm(const std::string &text, std::vector<tree> outputs, std::vector<tree> inputs)
{
	vec<tree, va_gc> *out = NULL, *in = NULL, *clobbers = NULL;

	for (tree o : outputs)
		vec_safe_push(out, operand("=&r", o));
	for (tree i : inputs)
		vec_safe_push(in, operand("r", i));
	for (const char *what : { "memory", "cc" })
		vec_safe_push(clobbers,
			      build_tree_list(NULL_TREE, build_string(strlen(what), what)));
	gasm *stmt = gimple_build_asm_vec(segment_asm_template(text), in, out, clobbers, NULL);
	gimple_asm_set_volatile(stmt, true);
	/* The text has many lines but few instructions, so lines must not be counted as size. */
	gimple_asm_set_inline(stmt, true);
	for (tree o : outputs)
		SSA_NAME_DEF_STMT(o) = stmt;
	return stmt;
}

/*
 * Loads the address to write to: the thread buffer from the thread-local variable __sooth_lane,
 * then the buffer's cursor. If the buffer is full, calls the runtime and tries again. That call is
 * out of line and preserves all registers. The row goes to its own section, in the section group of
 * the function (the '?'), so the linker drops both together.
 */
static const char open_code[] = R"(
991:	movq	__sooth_lane@gottpoff(%%rip), %0
	movq	%%fs:(%0), %0
	movq	(%0), %1
	cmpq	8(%0), %1
	ja	992f
	leaq	990b(%%rip), %2
	movl	%k2, (%1)
	.subsection 1
992:	call	*__sooth_refill@GOTPCREL(%%rip)
	jmp	991b
	.previous
)";

void segment::open(gimple_stmt_iterator *gsi)
{
	if (is_open())
		return;
	buffer = make_ssa_name(ptr_type_node);
	cursor = make_ssa_name(ptr_type_node);
	tree scratch = make_ssa_name(ptr_type_node);
	opening = build_asm("", { buffer, cursor, scratch }, {});
	if (!gsi_end_p(*gsi))
		gimple_set_location(opening, gimple_location(gsi_stmt(*gsi)));
	gsi_insert_before(gsi, opening, GSI_SAME_STMT);
	bytes = 0;
}

void segment::close(gimple_stmt_iterator *gsi)
{
	if (!is_open())
		return;
	/* At least two bytes per element, because buffer_page.c relies on that. */
	if (HEADER_BYTES + bytes < 2 * elements.size())
		bytes = 2 * (unsigned)elements.size() - HEADER_BYTES;
	opening->string = segment_asm_template(row_text() + open_code);
	gasm *commit = build_asm("addq\t$" + std::to_string(HEADER_BYTES + bytes) + ", (%0)", {},
				 { buffer });
	if (on_edge) {
		gimple_seq_add_stmt(&on_edge, commit);
		gsi_insert_seq_on_edge_immediate(find_fallthru_edge(gimple_bb(opening)->succs),
						 on_edge);
		on_edge = NULL;
	} else {
		gsi_insert_before(gsi, commit, GSI_SAME_STMT);
	}
	segment_counts.segments++;
	strings_module_needed = true;
	opening = nullptr;
	elements.clear();
}

/*
 * Adds a NOP of five bytes, at which the scheduler can stop the thread before the access, and a row
 * with the address of the NOP.
 */
void segment::insert_nop(gimple_stmt_iterator *gsi)
{
	std::string text = "990:\t.byte 0x0f,0x1f,0x44,0x00,0x00\n"
			   "\t.pushsection sooth_nop,\"?\",@progbits\n"
			   "\t.quad 990b\n"
			   "\t.short " +
			   std::to_string(elements.size() - 1) +
			   "\n"
			   "991:\t.ascii \"%q0\"\n"
			   "\t.org 991b+6\n"
			   "\t.popsection";
	gsi_insert_before(gsi, build_asm(text, {}, { cursor }), GSI_SAME_STMT);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Percent signs and dialect braces are special in an asm template. */
static std::string escape_template(const std::string &text)
{
	std::string out;
	for (char c : text) {
		if (c == '%' || c == '{' || c == '|' || c == '}')
			out += '%';
		out += c;
	}
	return out;
}

std::string segment::row_text() const
{
	const char *function = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(current_function_decl));
	std::string text = "\t.pushsection sooth_seg,\"a?\",@progbits\n\t.balign 8\n990:\t.short " +
			   std::to_string(bytes) + "," + std::to_string(elements.size()) +
			   "\n\t.long " + strings_ref(function + (function[0] == '*')) + "\n";
	char line[200];

	for (const element &e : elements) {
		const wire_element &w = e.wire;
		snprintf(line, sizeof(line),
			 "\t.byte %u,%u\n\t.short %u\n\t.byte %u,%u\n\t.short "
			 "%u,%u,%u,%u,%u\n\t.long %u,",
			 w.kind, w.flags, w.size, w.address_form, w.value_form, w.address_slot,
			 w.value_slot, w.address_at, w.value_at, w.column, w.line);
		text += line;
		text += (e.address.empty() ? std::to_string(w.address_ref)
					   : escape_template(e.address)) +
			"," + strings_ref(e.name) + "," + strings_ref(e.path) + "," +
			strings_ref(e.site);
		snprintf(line, sizeof(line), ",%u\n\t.quad %llu\n", w.field_offset,
			 (unsigned long long)w.value);
		text += line;
	}
	return text + "\t.popsection\n";
}

/* ---- elements -------------------------------------------------------------------------------- */

bool segment::has_room(HOST_WIDE_INT size) const
{
	return bytes + 2 * WIRE_ADDRESS_BYTES + size + 16 <= PAYLOAD_MAX && elements.size() < 100;
}

segment::element &segment::add_element(gimple_stmt_iterator *gsi, event_kind kind,
				       HOST_WIDE_INT size)
{
	open(gsi);
	element e = {};
	e.wire.kind = (uint8_t)kind;
	e.wire.size = (uint16_t)size;
	e.wire.address_slot = e.wire.value_slot = WIRE_NO_SLOT;
	elements.push_back(e);
	return elements.back();
}

void segment::describe_access(element &e, gimple *stmt, tree named)
{
	unsigned column;

	e.site = names_site(stmt, &e.wire.line, &column);
	e.wire.column = column < 0xffff ? (uint16_t)column : 0;
	if (!named)
		return;
	e.name = names_of_reference(named);
	e.path = names_field_path(named, &e.wire.field_offset);
	if (TREE_THIS_VOLATILE(named))
		e.wire.flags |= EF_VOLATILE;
	if (TREE_CODE(named) == COMPONENT_REF && DECL_BIT_FIELD_TYPE(TREE_OPERAND(named, 1)))
		e.wire.flags |= EF_BITFIELD;
}

/* Returns a part of the record under construction, as an lvalue that may alias anything. */
tree segment::payload_at(tree type, unsigned at)
{
	static tree aliases_all;

	if (!aliases_all)
		aliases_all = build_pointer_type_for_mode(char_type_node, VOIDmode, true);
	type = build_aligned_type(TYPE_MAIN_VARIANT(type), BITS_PER_UNIT);
	return build2(MEM_REF, type, cursor, build_int_cst(aliases_all, HEADER_BYTES + at));
}

void segment::store_payload(gimple_stmt_iterator *gsi, tree value, tree type, unsigned at)
{
	gsi_insert_before(gsi, gimple_build_assign(payload_at(type, at), value), GSI_SAME_STMT);
}

void segment::store_payload_after(gimple_stmt_iterator *gsi, tree value, unsigned at)
{
	gimple *store = gimple_build_assign(payload_at(TREE_TYPE(value), at), value);
	if (stmt_ends_bb_p(gsi_stmt(*gsi)))
		gimple_seq_add_stmt(&on_edge, store);
	else
		gsi_insert_after(gsi, store, GSI_SAME_STMT);
}

/*
 * Adds an element that tells the reader how to compute a value: the contents of `slot` plus `plus`.
 */
void segment::set_slot(gimple_stmt_iterator *gsi, tree value, unsigned slot, HOST_WIDE_INT plus)
{
	element &e = add_element(gsi, EV_NONE, 0);
	e.wire.address_slot = (uint16_t)known.of(value);
	e.wire.value_form = WIRE_SLOT;
	e.wire.value_slot = (uint16_t)slot;
	e.wire.value = (uint64_t)plus;
}

/*
 * Called before an access. If the reader can compute the pointer as another known pointer plus a
 * constant, adds an element for that, and the pointer is known from here on. slots.cc relies on
 * this.
 */
void segment::compute_base_slot(gimple_stmt_iterator *gsi, const access_address &a)
{
	unsigned slot;
	int64_t plus;

	if (a.is_static || known.is_known(a.base) || known.of(a.base) == slots::none ||
	    !known.find(a.base, &slot, &plus))
		return;
	set_slot(gsi, a.base, slot, plus);
	known.recorded(a.base);
}

/*
 * Records an address in the cheapest form. It takes no bytes if the linker knows the address of the
 * variable, or if the reader knows the pointer; six bytes otherwise. (Eight bytes are stored, but
 * the next value overwrites the last two, which are always zero.)
 */
void segment::record_address(gimple_stmt_iterator *gsi, element &e, const access_address &a)
{
	wire_element &w = e.wire;

	if (a.is_static) {
		w.address_form = WIRE_CONST;
		tree symbol = DECL_ASSEMBLER_NAME(a.base);
		e.address = targetm.strip_name_encoding(IDENTIFIER_POINTER(symbol));
		if (a.offset)
			e.address += (a.offset > 0 ? "+" : "") + std::to_string((long)a.offset);
		e.address += "-.";
		return;
	}
	if (known.is_known(a.base)) {
		w.address_form = WIRE_SLOT;
		w.address_slot = (uint16_t)known.of(a.base);
		w.address_ref = (int32_t)a.offset;
		return;
	}
	segment_counts.addresses_kept++;
	tree value = access_compute(gsi, a);
	w.address_form = WIRE_PAYLOAD;
	w.address_at = (uint16_t)bytes;
	w.address_ref = (int32_t)a.offset;
	w.address_slot = (uint16_t)known.of(a.base);
	store_payload(gsi, value, ptr_type_node, bytes);
	bytes += WIRE_ADDRESS_BYTES;
	known.recorded(a.base);
}

bool segment_value_fits_slot(tree type)
{
	return (INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type)) && int_size_in_bytes(type) <= 8;
}

void segment::read(gimple_stmt_iterator *gsi, const op &o, tree named)
{
	gimple *stmt = gsi_stmt(*gsi);
	tree ref = gimple_assign_rhs1(stmt), value = gimple_assign_lhs(stmt);
	compute_base_slot(gsi, o.from);
	element &e = add_element(gsi, EV_READ, access_size(ref));

	segment_counts.reads++;
	describe_access(e, stmt, named);
	record_address(gsi, e, o.from);
	insert_nop(gsi);
	e.wire.value_form = WIRE_PAYLOAD;
	e.wire.value_at = (uint16_t)bytes;
	store_payload_after(gsi, value, bytes);
	bytes += e.wire.size;
	segment_counts.values_kept++;
	if (segment_value_fits_slot(TREE_TYPE(value))) {
		e.wire.value_slot = (uint16_t)known.of(value);
		known.recorded(value);
	}
}

void segment::write(gimple_stmt_iterator *gsi, const op &o, tree named)
{
	gimple *stmt = gsi_stmt(*gsi);
	tree ref = gimple_assign_lhs(stmt), value = gimple_assign_rhs1(stmt);
	compute_base_slot(gsi, o.to);
	element &e = add_element(gsi, EV_WRITE, access_size(ref));
	unsigned char constant[8] = { 0 };
	unsigned slot;
	int64_t plus;

	segment_counts.writes++;
	describe_access(e, stmt, named);
	record_address(gsi, e, o.to);
	if (e.wire.size <= 8 && CONSTANT_CLASS_P(value) &&
	    native_encode_expr(value, constant, sizeof(constant)) == e.wire.size) {
		e.wire.value_form = WIRE_CONST;
		memcpy(&e.wire.value, constant, sizeof(constant));
	} else if (segment_value_fits_slot(TREE_TYPE(value)) && known.find(value, &slot, &plus)) {
		e.wire.value_form = WIRE_SLOT;
		e.wire.value_slot = (uint16_t)slot;
		e.wire.value = (uint64_t)plus;
	} else {
		e.wire.value_form = WIRE_PAYLOAD;
		e.wire.value_at = (uint16_t)bytes;
		store_payload(gsi, value, TREE_TYPE(value), bytes);
		bytes += e.wire.size;
		segment_counts.values_kept++;
	}
	insert_nop(gsi);
}

/*
 * The contents are copied from the source into the record and from there to the destination. So the
 * recorded bytes are those that were copied, even if other threads change the source meanwhile.
 */
void segment::copy(gimple_stmt_iterator *gsi, const op &o)
{
	gimple *stmt = gsi_stmt(*gsi);
	tree to = gimple_assign_lhs(stmt), from = gimple_assign_rhs1(stmt);
	tree type = TREE_TYPE(to);
	HOST_WIDE_INT size = access_size(to);

	segment_counts.copies++;
	if (o.from_shared)
		compute_base_slot(gsi, o.from);
	if (o.to_shared)
		compute_base_slot(gsi, o.to);
	if (o.from_shared) {
		element &e = add_element(gsi, EV_READ, size);
		describe_access(e, stmt, from);
		record_address(gsi, e, o.from);
		insert_nop(gsi);
		e.wire.value_form = WIRE_PAYLOAD;
	}
	size_t first = elements.size() - (o.from_shared ? 1 : 0);
	if (o.to_shared) {
		element &e = add_element(gsi, EV_WRITE, size);
		describe_access(e, stmt, to);
		record_address(gsi, e, o.to);
		e.wire.value_form = o.from_shared ? WIRE_SAME : WIRE_PAYLOAD;
	}
	elements[first].wire.value_at = (uint16_t)bytes;
	store_payload(gsi, unshare_expr(from), type, bytes);
	if (o.to_shared)
		insert_nop(gsi);
	gimple_assign_set_rhs_from_tree(gsi, payload_at(type, bytes));
	update_stmt(gsi_stmt(*gsi));
	bytes += (unsigned)size;
}

void segment::clear(gimple_stmt_iterator *gsi, const op &o)
{
	gimple *stmt = gsi_stmt(*gsi);
	tree to = gimple_assign_lhs(stmt);
	compute_base_slot(gsi, o.to);
	element &e = add_element(gsi, EV_WRITE, access_size(to));

	segment_counts.writes++;
	describe_access(e, stmt, to);
	record_address(gsi, e, o.to);
	e.wire.value_form = WIRE_CONST;
	insert_nop(gsi);
}

void segment::define(gimple_stmt_iterator *gsi, const slots::definition &d)
{
	if (known.is_known(d.value) && d.value == d.start)
		return;
	/*
	 * All eight bytes are recorded: the value may be something else than an address, such as
	 * (void *)-1, and the program may store it.
	 */
	element &e = add_element(gsi, EV_NONE, 8);
	tree value =
		force_gimple_operand_gsi(gsi, fold_convert(ptr_type_node, unshare_expr(d.start)),
					 true, NULL_TREE, true, GSI_SAME_STMT);
	e.wire.value_form = WIRE_PAYLOAD;
	e.wire.address_slot = (uint16_t)known.of(d.value);
	e.wire.value_at = (uint16_t)bytes;
	store_payload(gsi, value, ptr_type_node, bytes);
	bytes += 8;
	known.recorded(d.value);
}

void segment::assign(gimple_stmt_iterator *gsi, const slots::assignment &a)
{
	unsigned slot;
	int64_t plus;
	bool found = known.find(a.source, &slot, &plus);

	gcc_assert(found); /* slots::solve() guarantees it */
	set_slot(gsi, a.value, slot, plus + a.plus);
}

void segment::add_site(gimple_stmt_iterator *gsi, tree object, uint16_t size)
{
	element &e = add_element(gsi, EV_SITE, 0);

	e.wire.size = size;
	if (object && TREE_CODE(object) == SSA_NAME &&
	    is_gimple_assign(SSA_NAME_DEF_STMT(object)) &&
	    gimple_assign_rhs_code(SSA_NAME_DEF_STMT(object)) == ADDR_EXPR)
		object = gimple_assign_rhs1(SSA_NAME_DEF_STMT(object));
	tree named = object && TREE_CODE(object) == ADDR_EXPR ? TREE_OPERAND(object, 0) : NULL_TREE;
	describe_access(e, gsi_stmt(*gsi), named);
	if (!named && object && TREE_CODE(object) == SSA_NAME && SSA_NAME_IDENTIFIER(object))
		e.name = std::string("*") + IDENTIFIER_POINTER(SSA_NAME_IDENTIFIER(object));
}

void segment::enter(gimple_stmt_iterator *gsi)
{
	element &e = add_element(gsi, EV_ENTER, 0);
	tree caller = make_ssa_name(ptr_type_node);
	gcall *call = gimple_build_call(builtin_decl_implicit(BUILT_IN_RETURN_ADDRESS), 1,
					integer_zero_node);

	expanded_location x = expand_location(DECL_SOURCE_LOCATION(current_function_decl));
	e.wire.line = (uint32_t)x.line;
	e.site = names_function(current_function_decl, x.file);
	gimple_call_set_lhs(call, caller);
	gsi_insert_before(gsi, call, GSI_SAME_STMT);
	e.wire.address_form = WIRE_PAYLOAD;
	e.wire.address_at = (uint16_t)bytes;
	store_payload(gsi, caller, ptr_type_node, bytes);
	bytes += WIRE_ADDRESS_BYTES;
}

void segment::exit(gimple_stmt_iterator *gsi)
{
	element &e = add_element(gsi, EV_EXIT, 0);
	describe_access(e, gsi_stmt(*gsi), NULL_TREE);
}
