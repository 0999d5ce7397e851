/*
 * Generates the code and the row of a segment. The code consists of the opening asm, stores into
 * the record, the NOPs, and the commit.
 */
#include "compiler/llvm/calls.h"
#include "compiler/llvm/names.h"
#include "compiler/llvm/segment.h"

using namespace llvm;

struct segment_counts segment_counts;

#define HEADER_BYTES 4u
/* Maximum payload of a segment; 8, because the last store may write eight bytes beyond its end. */
#define PAYLOAD_MAX (WIRE_SEGMENT_MAX - HEADER_BYTES - 8)

#define CLOBBERS ",~{memory},~{dirflag},~{fpsr},~{flags}"

/* ---- assembler statements -------------------------------------------------------------------- */

static CallInst *build_asm(IRBuilder<> &before, Type *result, const char *text,
			   const char *constraints, ArrayRef<Value *> inputs)
{
	std::vector<Type *> types;
	for (Value *input : inputs)
		types.push_back(input->getType());
	FunctionType *type = FunctionType::get(result, types, false);
	CallInst *call = before.CreateCall(
		type, InlineAsm::get(type, text, constraints, true, false, InlineAsm::AD_ATT),
		inputs);
	call->addFnAttr(Attribute::NoUnwind);
	return call;
}

/*
 * Loads the address to write to: the thread buffer from the thread-local variable __sooth_lane,
 * then the buffer's cursor. If the buffer is full, calls the runtime and tries again. That call is
 * out of line and preserves all registers. This is an asm instead of LLVM instructions, so that
 * LLVM sees no branch: blocks stay whole, and analyses of the function stay valid.
 */
static const char open_code[] = R"(991:	movq	__sooth_lane@gottpoff(%rip), $0
	movq	%fs:($0), $0
	movq	($0), $1
	cmpq	8($0), $1
	ja	992f
	leaq	${3:c}(%rip), $2
	movl	${2:k}, ($1)
	.subsection 1
992:	call	*__sooth_refill@GOTPCREL(%rip)
	jmp	991b
	.previous
)";

void segment::open(Instruction *before)
{
	if (is_open())
		return;
	IRBuilder<> builder(before);
	Type *pointer = llvm_pointer_type(function.getContext());
	/* NULL stands for the row, which segment::close() creates. */
	opening = build_asm(builder, StructType::get(pointer, pointer, pointer), open_code,
			    "=&r,=&r,=&r,i" CLOBBERS,
			    { ConstantPointerNull::get(cast<PointerType>(pointer)) });
	buffer = builder.CreateExtractValue(opening, 0);
	cursor = builder.CreateExtractValue(opening, 1);
	bytes = 0;
}

void segment::close(Instruction *before)
{
	if (!is_open())
		return;
	/* At least two bytes per event, because buffer_page.c relies on that. */
	unsigned events = 0;
	for (const row_element &e : elements)
		events += e.wire.kind != EV_NONE;
	if (HEADER_BYTES + bytes < 2 * events)
		bytes = 2 * events - HEADER_BYTES;
	Constant *row = rows_add(function, bytes, elements);
	opening->setArgOperand(
		0, ConstantExpr::getPointerCast(row, llvm_pointer_type(function.getContext())));
	IRBuilder<> builder(before);
	build_asm(builder, builder.getVoidTy(), "addq\t$1, ($0)", "r,i" CLOBBERS,
		  { buffer, builder.getInt64(HEADER_BYTES + bytes) });
	segment_counts.segments++;
	opening = nullptr;
	elements.clear();
}

/*
 * A NOP of five bytes, at which the scheduler can stop the thread before the access, and a row with
 * the address of the NOP.
 */
static const char nop_code[] = R"(990:	.byte 0x0f,0x1f,0x44,0x00,0x00
	.pushsection sooth_nop,"?",@progbits
	.quad 990b
	.short ${1:c}
991:	.ascii "${0:q}"
	.org 991b+6
	.popsection)";

void segment::insert_nop(IRBuilder<> &before)
{
	build_asm(before, before.getVoidTy(), nop_code, "r,i" CLOBBERS,
		  { cursor, before.getInt64(elements.size() - 1) });
}

/* ---- elements -------------------------------------------------------------------------------- */

bool segment::has_room(uint64_t size) const
{
	return bytes + 2 * WIRE_ADDRESS_BYTES + size + 16 <= PAYLOAD_MAX && elements.size() < 100;
}

row_element &segment::add_element(Instruction *at, event_kind kind, uint64_t size)
{
	open(at);
	elements.emplace_back();
	row_element &e = elements.back();
	e.wire = {};
	e.wire.kind = (uint8_t)kind;
	e.wire.size = (uint16_t)size;
	e.wire.address_slot = e.wire.value_slot = WIRE_NO_SLOT;
	return e;
}

static void set_site(row_element &e, Instruction &at)
{
	unsigned column;

	e.site = names_site(at, &e.wire.line, &column);
	e.wire.column = column < 0xffff ? (uint16_t)column : 0;
}

static void describe_access(row_element &e, Instruction &at, const names_reference &reference)
{
	set_site(e, at);
	e.name = reference.name;
	e.path = reference.path;
	e.wire.field_offset = reference.field_offset;
	if (reference.is_bit_field)
		e.wire.flags |= EF_BITFIELD;
	if (at.isVolatile())
		e.wire.flags |= EF_VOLATILE;
}

/* Returns a part of the record under construction. */
Value *segment::payload_at(IRBuilder<> &before, unsigned at)
{
	return before.CreateConstInBoundsGEP1_64(before.getInt8Ty(), cursor, HEADER_BYTES + at);
}

void segment::store_payload(IRBuilder<> &before, Value *value, unsigned at)
{
	Value *to = payload_at(before, at);
#if LLVM_VERSION_MAJOR < 15
	to = before.CreatePointerCast(to, value->getType()->getPointerTo());
#endif
	before.CreateAlignedStore(value, to, Align(1));
}

/*
 * Adds an element that tells the reader how to compute a value: the contents of `slot` plus `plus`.
 */
void segment::set_slot(Instruction *before, Value *value, unsigned slot, int64_t plus)
{
	row_element &e = add_element(before, EV_NONE, 0);
	e.wire.address_slot = (uint16_t)known.of(value);
	e.wire.value_form = WIRE_SLOT;
	e.wire.value_slot = (uint16_t)slot;
	e.wire.value = (uint64_t)plus;
}

/* Adds an element that records a pointer, before an access through that pointer. */
void segment::record_pointer(Instruction *before, Value *value)
{
	row_element &e = add_element(before, EV_NONE, 0);
	IRBuilder<> builder(before);
	e.wire.address_form = WIRE_PAYLOAD;
	e.wire.address_slot = (uint16_t)known.of(value);
	e.wire.address_at = (uint16_t)bytes;
	store_payload(builder, value, bytes);
	bytes += WIRE_ADDRESS_BYTES;
	known.recorded(value);
}

/*
 * Adds an element that records `size` bytes of a value, whose contents here are `start`. If no
 * access is made through a pointer, all of its bytes are recorded: it may be something else than an
 * address, such as (void *)-1, and the program may store it.
 */
void segment::record_value(Instruction *before, Value *value, Value *start, unsigned size)
{
	row_element &e = add_element(before, EV_NONE, size);
	IRBuilder<> builder(before);
	e.wire.value_form = WIRE_PAYLOAD;
	e.wire.address_slot = (uint16_t)known.of(value);
	e.wire.value_at = (uint16_t)bytes;
	if (start->getType()->isIntegerTy())
		start = builder.CreateTrunc(start, builder.getIntNTy(8 * size));
	store_payload(builder, start, bytes);
	bytes += size;
	known.recorded(value);
}

/*
 * If the reader has to compute the address, adds the elements for that, before the element of the
 * access.
 */
void segment::compute_address(Instruction *before, const access_address &a)
{
	slots::way way = known.way_to(a);
	unsigned slot = 0;
	int64_t plus = 0;

	if (way == slots::KNOWN || way == slots::TO_BE_RECORDED)
		return;
	const access_index &index = *a.index;
	if (way == slots::ARRAY_FIRST)
		record_pointer(before, index.array.base);
	if (way == slots::INDEX_FIRST)
		record_value(before, index.recorded, index.recorded, index.bytes);
	if (!known.find(index.number, &slot, &plus))
		report_fatal_error("sooth: an index that should be known is not");
	row_element &e = add_element(before, EV_NONE, index.width);
	e.wire.address_slot = (uint16_t)known.of(a.base);
	e.wire.address_form = index.array.is_static ? WIRE_CONST : WIRE_SLOT;
	e.wire.address_at = index.array.is_static ? 0 : (uint16_t)known.of(index.array.base);
	e.wire.address_ref = (int32_t)index.offset;
	e.address = index.array.is_static ? cast<Constant>(index.array.base) : nullptr;
	e.wire.value_form = WIRE_INDEX;
	e.wire.value_slot = (uint16_t)slot;
	e.wire.value = (uint64_t)plus;
	e.wire.value_at = (uint16_t)(index.scale | (index.is_signed ? WIRE_INDEX_SIGNED : 0));
	known.recorded(a.base);
}

/*
 * Records an address in the cheapest form. It takes no bytes if the linker knows the address of the
 * variable, or if the reader knows the pointer; six bytes otherwise. (Eight bytes are stored, but
 * the next value overwrites the last two, which are always zero.)
 */
void segment::record_address(IRBuilder<> &before, row_element &e, const access_address &a)
{
	wire_element &w = e.wire;

	w.address_ref = (int32_t)a.offset;
	if (a.is_static) {
		w.address_form = WIRE_CONST;
		e.address = cast<Constant>(a.base);
		return;
	}
	if (known.is_known(a.base)) {
		w.address_form = WIRE_SLOT;
		w.address_slot = (uint16_t)known.of(a.base);
		return;
	}
	segment_counts.addresses_kept++;
	w.address_form = WIRE_PAYLOAD;
	w.address_at = (uint16_t)bytes;
	w.address_slot = (uint16_t)known.of(a.base);
	store_payload(before, a.base, bytes);
	bytes += WIRE_ADDRESS_BYTES;
	known.recorded(a.base);
}

bool segment_value_fits_slot(const DataLayout &layout, Type *type)
{
	if (type->isPointerTy())
		return type->getPointerAddressSpace() == 0;
	return type->isIntegerTy() && type->getIntegerBitWidth() <= 64 &&
	       layout.typeSizeEqualsStoreSize(type);
}

bool segment_defines(const DataLayout &layout, const StoreInst &store)
{
	const Value *value = store.getValueOperand();

	return !isa<Constant>(value) && segment_value_fits_slot(layout, value->getType()) &&
	       isGuaranteedNotToBeUndefOrPoison(value);
}

void segment::read(const op &o)
{
	const DataLayout &layout = function.getParent()->getDataLayout();
	compute_address(o.at, o.from);
	row_element &e = add_element(o.at, EV_READ, o.size);
	IRBuilder<> before(o.at);

	segment_counts.reads++;
	describe_access(e, *o.at, names_of_access(*o.at, o.from.pointer, o.size, false));
	record_address(before, e, o.from);
	insert_nop(before);
	e.wire.value_form = WIRE_PAYLOAD;
	e.wire.value_at = (uint16_t)bytes;
	IRBuilder<> after(o.at->getNextNode());
	after.SetCurrentDebugLocation(o.at->getDebugLoc());
	store_payload(after, o.at, bytes);
	bytes += e.wire.size;
	segment_counts.values_kept++;
	if (segment_value_fits_slot(layout, o.at->getType())) {
		e.wire.value_slot = (uint16_t)known.of(o.at);
		known.recorded(o.at);
	}
}

/* Stores the bytes of a constant of at most eight bytes. Returns false if they are not known. */
static bool constant_bytes(Value *value, uint64_t size, uint64_t *bits)
{
	if (size > 8)
		return false;
	*bits = 0;
	if (ConstantInt *number = dyn_cast<ConstantInt>(value))
		*bits = number->getZExtValue();
	else if (ConstantFP *real = dyn_cast<ConstantFP>(value))
		*bits = real->getValueAPF().bitcastToAPInt().getZExtValue();
	else if (!isa<ConstantPointerNull>(value) && !isa<ConstantAggregateZero>(value))
		return false;
	return true;
}

void segment::write(const op &o)
{
	const DataLayout &layout = function.getParent()->getDataLayout();
	StoreInst *store = cast<StoreInst>(o.at);
	Value *value = store->getValueOperand();
	compute_address(o.at, o.to);
	row_element &e = add_element(o.at, EV_WRITE, o.size);
	IRBuilder<> before(o.at);
	unsigned slot;
	int64_t plus;

	segment_counts.writes++;
	describe_access(e, *o.at, names_of_access(*o.at, o.to.pointer, o.size, false));
	record_address(before, e, o.to);
	if (constant_bytes(value, o.size, &e.wire.value)) {
		e.wire.value_form = WIRE_CONST;
	} else if (segment_value_fits_slot(layout, value->getType()) &&
		   known.find(value, &slot, &plus)) {
		e.wire.value_form = WIRE_SLOT;
		e.wire.value_slot = (uint16_t)slot;
		e.wire.value = (uint64_t)plus;
	} else {
		e.wire.value_form = WIRE_PAYLOAD;
		e.wire.value_at = (uint16_t)bytes;
		if (segment_defines(layout, *store)) {
			e.wire.value_slot = (uint16_t)known.of(value);
			known.recorded(value);
		} else if (!isGuaranteedNotToBeUndefOrPoison(value)) {
			/* An undefined value may differ at each use; freeze makes it one value. */
			value = before.CreateFreeze(value);
			store->setOperand(0, value);
		}
		store_payload(before, value, bytes);
		bytes += e.wire.size;
		segment_counts.values_kept++;
	}
	insert_nop(before);
}

/*
 * The contents are copied from the source into the record and from there to the destination. So the
 * recorded bytes are those that were copied, even if other threads change the source meanwhile.
 */
void segment::copy(const op &o)
{
	MemTransferInst *stmt = cast<MemTransferInst>(o.at);
	IRBuilder<> before(o.at);

	segment_counts.copies++;
	if (o.from_shared)
		compute_address(o.at, o.from);
	/*
	 * slots.cc assumes that the source is known when it decides about the destination, which
	 * may be an element of the source.
	 */
	if (o.from_shared && o.to_shared && !o.from.is_static && !known.is_known(o.from.base) &&
	    known.of(o.from.base) != slots::none)
		record_pointer(o.at, o.from.base);
	if (o.to_shared)
		compute_address(o.at, o.to);
	size_t first = elements.size();
	if (o.from_shared) {
		row_element &e = add_element(o.at, EV_READ, o.size);
		describe_access(e, *o.at, names_of_access(*o.at, o.from.pointer, o.size, true));
		record_address(before, e, o.from);
		insert_nop(before);
		e.wire.value_form = WIRE_PAYLOAD;
	}
	if (o.to_shared) {
		row_element &e = add_element(o.at, EV_WRITE, o.size);
		describe_access(e, *o.at, names_of_access(*o.at, o.to.pointer, o.size, true));
		record_address(before, e, o.to);
		e.wire.value_form = o.from_shared ? WIRE_SAME : WIRE_PAYLOAD;
	}
	elements[first].wire.value_at = (uint16_t)bytes;
	Value *size = before.getInt64(o.size), *record = payload_at(before, bytes);
	before.CreateMemCpyInline(record, Align(1), stmt->getRawSource(), stmt->getSourceAlign(),
				  size, stmt->isVolatile());
	if (o.to_shared)
		insert_nop(before);
	before.CreateMemCpyInline(stmt->getRawDest(), stmt->getDestAlign(), record, Align(1), size,
				  stmt->isVolatile());
	bytes += (unsigned)o.size;
	stmt->eraseFromParent();
}

void segment::clear(const op &o)
{
	MemSetInst *stmt = cast<MemSetInst>(o.at);
	compute_address(o.at, o.to);
	row_element &e = add_element(o.at, EV_WRITE, o.size);
	IRBuilder<> before(o.at);

	segment_counts.writes++;
	describe_access(e, *o.at, names_of_access(*o.at, o.to.pointer, o.size, true));
	record_address(before, e, o.to);
	e.wire.value_form = WIRE_CONST;
	uint64_t byte = cast<ConstantInt>(stmt->getValue())->getZExtValue();
	for (unsigned i = 0; i < 8 && i < o.size; i++)
		e.wire.value |= byte << 8 * i;
	insert_nop(before);
}

void segment::define(Instruction *before, const slots::definition &d, Value *start)
{
	if (!known.is_known(d.value) || d.value != start)
		record_value(before, d.value, start, 8);
}

void segment::assign(Instruction *before, const slots::assignment &a)
{
	unsigned slot = 0;
	int64_t plus = 0;
	bool found = known.find(a.source, &slot, &plus);

	if (!found) /* slots::solve() guarantees it */
		report_fatal_error("sooth: a value that should be known is not");
	set_slot(before, a.value, slot, plus + a.plus);
}

void segment::add_site(const op &o)
{
	const known_call *known = calls_find(cast<CallBase>(*o.at));
	row_element &e = add_element(o.at, EV_SITE, 0);

	e.wire.size = known_call_site_size(known);
	describe_access(e, *o.at, names_reference());
	if (o.object) {
		names_reference object = names_of_object(cast<CallBase>(*o.at), o.object);
		e.name = object.name;
		e.path = object.path;
		e.wire.field_offset = object.field_offset;
	}
}

void segment::enter(Instruction *before)
{
	row_element &e = add_element(before, EV_ENTER, 0);
	IRBuilder<> builder(before);

	e.site = names_function(function, &e.wire.line);
	Value *caller =
		builder.CreateIntrinsic(Intrinsic::returnaddress, {}, { builder.getInt32(0) });
	e.wire.address_form = WIRE_PAYLOAD;
	e.wire.address_at = (uint16_t)bytes;
	store_payload(builder, caller, bytes);
	bytes += WIRE_ADDRESS_BYTES;
}

void segment::exit(Instruction *before)
{
	set_site(add_element(before, EV_EXIT, 0), *before);
}
