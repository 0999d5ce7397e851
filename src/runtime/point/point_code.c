/*
 * Generates the code of points. That code runs on the program's stack, right after the call into
 * which the NOP was turned. It preserves all registers except the flags, which the compiler knows
 * to be clobbered by the NOP. It does not move the stack pointer: it saves registers in the 128
 * bytes below it (the red zone), where the kernel puts nothing of a signal handler. If a signal
 * handler interrupts the code and does not return, no harm is done, because the record and the
 * entry on the stack of calls are committed last.
 *
 *	rdx	the buffer; rcx the write position; rax for anything
 *	rsi rdi	for RETURNs and for points that push an entry for them
 *	r8-r11	for texts (point_text.S)
 */
#include "runtime/point/point_code.h"

#include "event/codec.h"
#include "runtime/point/assemble.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/point/point_layout.h"
#include "runtime/point/point_operand.h"
#include "runtime/point/point_read.h"
#include "runtime/point/point_stack.h"

#include <string.h>

#define RECORD_MOST 254	    /* bytes of a record after a short header */
#define KEPT_MOST 400	    /* most bytes of a call's values that generated code copies */
#define ROOM 700u	    /* bytes that fit after a buffer's limit, at least */
#define SLOW_JUMP_BYTES 16u /* size of the jump to point_stub */

struct code_writer {
	const struct point_site *site;
	uint32_t number;
	const struct point_targets *targets;
	struct assemble_code code;
	uint32_t saved; /* bits: registers that were saved */
	uint8_t *slow[16];
	unsigned slow_count;
};

/* ---- registers and variables ----------------------------------------------------------------- */

static int32_t thread_offset(const void *variable)
{
	const uint8_t *thread;

	__asm__("mov %%fs:0, %0" : "=r"(thread));
	return (int32_t)((const uint8_t *)variable - thread);
}

#define THREAD(variable) assemble_thread(thread_offset(&(variable)))

/* Numbers of stack words; those of the saved registers are smaller. */
#define LOOKED 9   /* address of the bytes that write_look() has read */
#define SCRATCH 10 /* the new top of the stack of calls */
#define START 11   /* start of the POINT record, if a look precedes it */

/*
 * Word `n` below the stack pointer. The first two words are left for return addresses in
 * point_text.S.
 */
static struct assemble_operand stack_word(unsigned n)
{
	return assemble_memory(RSP, -24 - 8 * (int32_t)n);
}

static struct assemble_operand saved_word(const struct code_writer *m, unsigned reg)
{
	return stack_word((unsigned)__builtin_popcount(m->saved & ((1u << reg) - 1)));
}

static bool is_saved(const struct code_writer *m, unsigned reg)
{
	return m->saved >> reg & 1;
}

/* Returns the operand that holds the value that the program has in the register. */
static struct assemble_operand program_register(const struct code_writer *m, unsigned reg)
{
	return is_saved(m, reg) ? saved_word(m, reg) : assemble_register(reg);
}

static void save_registers(struct code_writer *m)
{
	for (unsigned reg = 0; reg < 16; reg++)
		if (is_saved(m, reg))
			assemble(&m->code, ASSEMBLE_STORE, reg, saved_word(m, reg));
}

static void restore_registers(struct code_writer *m)
{
	for (unsigned reg = 0; reg < 16; reg++)
		if (is_saved(m, reg))
			assemble(&m->code, ASSEMBLE_LOAD, reg, saved_word(m, reg));
}

static void slow_if(struct code_writer *m, enum assemble_condition bad)
{
	m->slow[m->slow_count++] = assemble_jump(&m->code, bad);
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct assemble_operand program_operand(struct code_writer *m, const struct point_operand *o)
{
	struct assemble_operand operand = {
		.base = o->reg,
		.index = o->index,
		.scale = o->scale,
		.displacement = (int32_t)o->value,
	};

	if (o->how == POINT_REGISTER)
		return program_register(m, o->reg);
	if (o->reg == RSP) /* the call of this code has changed rsp by 8 */
		operand.displacement += 8;
	if ((o->reg >= 16 || !is_saved(m, o->reg)) && (o->index >= 16 || !is_saved(m, o->index)))
		return operand;
	/*
	 * The code here uses one of these registers, so it loads the program's value from the
	 * stack.
	 */
	if (o->index < 16) {
		assemble(&m->code, ASSEMBLE_LOAD, RAX, program_register(m, o->index));
		operand.base = ASSEMBLE_NOTHING;
		operand.index = RAX;
		assemble(&m->code, ASSEMBLE_ADDRESS, RAX, operand);
		if (o->reg < 16)
			assemble(&m->code, ASSEMBLE_ADD, RAX, program_register(m, o->reg));
		return assemble_memory(RAX, 0);
	}
	assemble(&m->code, ASSEMBLE_LOAD, RAX, program_register(m, o->reg));
	return assemble_memory(RAX, operand.displacement);
}

static enum assemble_instruction load_of(char letter)
{
	switch (letter) {
	case 'b': return ASSEMBLE_LOAD_S8;
	case 'h': return ASSEMBLE_LOAD_S16;
	case 'i': return ASSEMBLE_LOAD_S32;
	case 'B': return ASSEMBLE_LOAD_U8;
	case 'H': return ASSEMBLE_LOAD_U16;
	case 'I':
	case 'f': return ASSEMBLE_LOAD_32;
	default: return ASSEMBLE_LOAD;
	}
}

static void store_constant(struct code_writer *m, uint64_t value, int32_t at)
{
	if ((int64_t)value == (int32_t)value) {
		assemble_constant(&m->code, ASSEMBLE_STORE_CONSTANT, assemble_memory(RCX, at),
				  (int32_t)value);
	} else {
		assemble_load_constant(&m->code, RAX, value);
		assemble(&m->code, ASSEMBLE_STORE, RAX, assemble_memory(RCX, at));
	}
}

static void store_number(struct code_writer *m, const struct point_operand *o, int32_t at)
{
	struct assemble_operand to = assemble_memory(RCX, at);

	if (o->how == POINT_CONSTANT) {
		store_constant(m, point_extend((uint64_t)o->value, o->letter), at);
	} else if (o->how == POINT_VECTOR && o->letter == 'f') {
		assemble(&m->code, ASSEMBLE_STORE_VECTOR_32, o->reg, to);
		assemble_constant(&m->code, ASSEMBLE_STORE_CONSTANT_32,
				  assemble_memory(RCX, at + 4), 0);
	} else if (o->how == POINT_VECTOR) {
		assemble(&m->code, ASSEMBLE_STORE_VECTOR, o->reg, to);
	} else {
		struct assemble_operand from = program_operand(m, o);
		unsigned reg = RAX;

		if (from.is_register && load_of(o->letter) == ASSEMBLE_LOAD)
			reg = from.base;
		else
			assemble(&m->code, load_of(o->letter), RAX, from);
		assemble(&m->code, ASSEMBLE_STORE, reg, to);
	}
}

/* Copies a struct. Reads no byte after it, because that may not be mapped. */
static void store_struct(struct code_writer *m, const struct point_operand *o, int32_t at)
{
	static const struct {
		int32_t bytes;
		enum assemble_instruction load, store;
	} steps[] = {
		{ 8, ASSEMBLE_LOAD, ASSEMBLE_STORE },
		{ 4, ASSEMBLE_LOAD_32, ASSEMBLE_STORE_32 },
		{ 2, ASSEMBLE_LOAD_U16, ASSEMBLE_STORE_16 },
		{ 1, ASSEMBLE_LOAD_U8, ASSEMBLE_STORE_8 },
	};
	int32_t left = o->letter - '0', done = 0;

	if (o->how != POINT_MEMORY) { /* bytes after it are overwritten later, or cut off */
		struct point_operand whole = *o;
		whole.letter = 'L';
		store_number(m, &whole, at);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		for (; left >= steps[i].bytes; left -= steps[i].bytes) {
			struct assemble_operand from = program_operand(m, o);
			from.displacement += done;
			assemble(&m->code, steps[i].load, RAX, from);
			assemble(&m->code, steps[i].store, RAX, assemble_memory(RCX, at + done));
			done += steps[i].bytes;
		}
	}
}

/* Adds the offset `*at` to rcx, so that the next value is written at offset 0. */
static void advance(struct code_writer *m, int32_t *at)
{
	if (*at)
		assemble(&m->code, ASSEMBLE_ADDRESS, RCX, assemble_memory(RCX, *at));
	*at = 0;
}

static void load_text(struct code_writer *m, const struct point_operand *o, unsigned reg)
{
	if (o->how == POINT_CONSTANT)
		assemble_load_constant(&m->code, reg, (uint64_t)o->value);
	else
		assemble(&m->code, ASSEMBLE_LOAD, reg, program_operand(m, o));
}

static void store_text(struct code_writer *m, unsigned i, int32_t *at)
{
	advance(m, at);
	load_text(m, &m->site->operands[i], RDI);
	if (m->site->texts >> i & 1) {
		assemble(&m->code, ASSEMBLE_LOAD, RSI, stack_word(LOOKED));
		assemble_call(&m->code, (const uint8_t *)&m->targets->text_looked);
	} else {
		assemble_call(&m->code, (const uint8_t *)&m->targets->text);
	}
	assemble_constant(&m->code, ASSEMBLE_TEST_8, assemble_register(RAX), 1);
	slow_if(m, ASSEMBLE_EQUAL);
}

/* Writes all values, starting at offset `at` from rcx. Returns the offset of their end from rcx. */
static int32_t store_values(struct code_writer *m, int32_t at)
{
	for (unsigned i = 0; i < m->site->count; i++) {
		const struct point_operand *o = &m->site->operands[i];

		if (o->letter == 'o' || o->letter == 'v')
			continue;
		if (o->letter == 's') {
			store_text(m, i, &at);
		} else if (o->letter <= '@') {
			store_struct(m, o, at);
			at += o->letter - '0';
		} else {
			store_number(m, o, at);
			at += 8;
		}
	}
	return at;
}

static bool has_texts(const struct point_site *site)
{
	for (unsigned i = 0; i < site->count; i++)
		if (site->operands[i].letter == 's')
			return true;
	return false;
}

/* ---- the record ------------------------------------------------------------------------------ */

static void open_record(struct code_writer *m)
{
	assemble(&m->code, ASSEMBLE_LOAD, RDX, THREAD(__sooth_lane));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_8, THREAD(thread_buffer_self.quiet), 0);
	slow_if(m, ASSEMBLE_NOT_EQUAL);
	assemble(&m->code, ASSEMBLE_LOAD, RCX,
		 assemble_memory(RDX, offsetof(struct wire_block, cursor)));
	assemble(&m->code, ASSEMBLE_COMPARE, RCX,
		 assemble_memory(RDX, offsetof(struct wire_block, limit)));
	slow_if(m, ASSEMBLE_ABOVE);
	assemble_constant(&m->code, ASSEMBLE_TEST_8,
			  assemble_memory(RDX, offsetof(struct wire_block, flags)),
			  WIRE_BLOCK_LIVE);
	slow_if(m, ASSEMBLE_EQUAL);
}

/*
 * Writes the header of the record and the number of the point, for values of `bytes` bytes. Returns
 * the number of bytes written.
 */
static int32_t store_head(struct code_writer *m, int32_t bytes)
{
	uint8_t head[8 + CODEC_OVERHANG] = { 0 },
			 *end = codec_put_number(head + CODEC_SHORT_HEADER, m->number);
	uint64_t word;

	codec_put_header(head, EV_POINT, CODEC_SHORT_HEADER,
			 (size_t)(end - head) - CODEC_SHORT_HEADER + (size_t)bytes);
	memcpy(&word, head, sizeof(word));
	if (end - head <= 4)
		assemble_constant(&m->code, ASSEMBLE_STORE_CONSTANT_32, assemble_memory(RCX, 0),
				  (int32_t)word);
	else
		store_constant(m, word, 0);
	return (int32_t)(end - head);
}

/*
 * Writes the length into the header, for a record whose length was not known when the header was
 * written. The record ends at rcx.
 */
static void store_length(struct code_writer *m)
{
	assemble(&m->code, ASSEMBLE_LOAD, RSI,
		 m->site->texts ? stack_word(START) : assemble_memory(RDX, 0));
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX, assemble_memory(RCX, -CODEC_SHORT_HEADER));
	assemble(&m->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RSI));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, assemble_register(RAX), RECORD_MOST);
	slow_if(m, ASSEMBLE_ABOVE);
	assemble(&m->code, ASSEMBLE_STORE_8, RAX, assemble_memory(RSI, 1));
}

static void commit_record(struct code_writer *m)
{
	assemble(&m->code, ASSEMBLE_STORE, RCX,
		 assemble_memory(RDX, offsetof(struct wire_block, cursor)));
}

/* ---- looks: READs of a text ------------------------------------------------------------------ */

_Static_assert(offsetof(struct thread_buffer_self, codec.pc) == POINT_CODEC_PC, "point_layout.h");
_Static_assert(offsetof(struct thread_buffer_self, codec.address) == POINT_CODEC_ADDRESS,
	       "point_layout.h");
_Static_assert(EF_LOOK == POINT_POINTEE_FLAG, "point_layout.h");

static const struct point_operand *look_operand(const struct point_site *site)
{
	return &site->operands[__builtin_ctz(site->texts)];
}

/*
 * Writes a READ of the text of the one operand that site->texts selects. The POINT record follows
 * it.
 */
static void write_look(struct code_writer *m)
{
	load_text(m, look_operand(m->site), RDI);
	assemble_load_constant(&m->code, RSI, m->site->pc);
	assemble_call(&m->code, (const uint8_t *)&m->targets->look);
	assemble_constant(&m->code, ASSEMBLE_TEST_8, assemble_register(RAX), 1);
	slow_if(m, ASSEMBLE_EQUAL);
	assemble(&m->code, ASSEMBLE_STORE, RSI, stack_word(LOOKED));
	assemble(&m->code, ASSEMBLE_STORE, RCX, stack_word(START));
	assemble(&m->code, ASSEMBLE_LOAD, RDI, assemble_memory(RDX, 0));
	assemble_load_constant(&m->code, RAX, EV_READ << 1 | 1);
	assemble(&m->code, ASSEMBLE_STORE_8, RAX, assemble_memory(RDI, 0));
}

/* Updates the pc and the address that the next record is encoded relative to. */
static void commit_look(struct code_writer *m)
{
	assemble_load_constant(&m->code, RAX, m->site->pc);
	assemble(&m->code, ASSEMBLE_STORE, RAX, THREAD(thread_buffer_self.codec.pc));
	load_text(m, look_operand(m->site), RAX);
	assemble(&m->code, ASSEMBLE_STORE, RAX, THREAD(thread_buffer_self.codec.address));
}

/* ---- the stack of calls ---------------------------------------------------------------------- */

#define ENTRY(field)                                                                               \
	((int32_t)offsetof(struct point_open, field) - (int32_t)sizeof(struct point_open))

/*
 * Copies words. `from` and `to` are the ends of source and destination, indexed by rdi, which is
 * minus the number of bytes (a multiple of 8).
 */
static void copy_words(struct code_writer *m, struct assemble_operand from,
		       struct assemble_operand to)
{
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, assemble_register(RDI), 0);
	uint8_t *none = assemble_jump(&m->code, ASSEMBLE_EQUAL);
	const uint8_t *again = m->code.at;
	assemble(&m->code, ASSEMBLE_LOAD, RAX, from);
	assemble(&m->code, ASSEMBLE_STORE, RAX, to);
	assemble_constant(&m->code, ASSEMBLE_ADD_64, assemble_register(RDI), 8);
	assemble_jump_back(&m->code, ASSEMBLE_NOT_EQUAL, again);
	assemble_set_jump_target(&m->code, none);
}

static struct assemble_operand indexed(unsigned base, unsigned index, int32_t displacement)
{
	return (struct assemble_operand){
		.base = (uint8_t)base,
		.index = (uint8_t)index,
		.scale = 1,
		.displacement = displacement,
	};
}

/*
 * Jumps to point_stub in the uncommon cases: a signal handler runs, the stack of calls has no room,
 * or an entry has to be removed from it first.
 */
static void check_stack(struct code_writer *m)
{
	assemble_constant(&m->code, ASSEMBLE_COMPARE_32, THREAD(thread_buffer_self.depth), 0);
	slow_if(m, ASSEMBLE_NOT_EQUAL);
	assemble(&m->code, ASSEMBLE_LOAD, RSI, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_COMPARE, RSI, THREAD(point_stack_self.limit));
	slow_if(m, ASSEMBLE_NOT_BELOW);
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RSP, 8));
	assemble(&m->code, ASSEMBLE_COMPARE, RDI, assemble_memory(RSI, ENTRY(sp)));
	slow_if(m, ASSEMBLE_NOT_BELOW);
}

/* Writes the entry at offset `at` from the register `base`. */
static void store_entry(struct code_writer *m, unsigned base, int32_t at, size_t bytes)
{
	struct point_open entry = point_stack_entry(m->number, bytes);
	uint64_t words[3];

	memcpy(words, &entry, sizeof(words));
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX, assemble_memory(RSP, 8));
	assemble(&m->code, ASSEMBLE_STORE, RAX, assemble_memory(base, at));
	assemble_load_constant(&m->code, RAX, words[1]);
	assemble(&m->code, ASSEMBLE_STORE, RAX, assemble_memory(base, at + 8));
	assemble_load_constant(&m->code, RAX, words[2]);
	assemble(&m->code, ASSEMBLE_STORE, RAX, assemble_memory(base, at + 16));
}

static void commit_entry(struct code_writer *m, unsigned base, int32_t at)
{
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX,
		 assemble_memory(base, at + (int32_t)sizeof(struct point_open)));
	assemble(&m->code, ASSEMBLE_STORE, RAX, THREAD(point_stack_self.top));
}

/*
 * For values that are all numbers: writes them a second time, to the top of the stack, and pushes
 * the entry.
 */
static void push_numbers(struct code_writer *m)
{
	int32_t bytes, at;

	assemble(&m->code, ASSEMBLE_LOAD, RCX, THREAD(point_stack_self.top));
	bytes = store_values(m, 0);
	at = (bytes + 7) & ~7;
	store_entry(m, RCX, at, (size_t)bytes);
	commit_entry(m, RCX, at);
}

/* Pushes the entry for values that were written from the top of the stack up to rcx. */
static void push_up_to_cursor(struct code_writer *m)
{
	assemble(&m->code, ASSEMBLE_LOAD, RSI, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_SUBTRACT, RCX, assemble_register(RSI));
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RCX, 7));
	assemble_constant(&m->code, ASSEMBLE_AND_64, assemble_register(RDI), -8);
	assemble(&m->code, ASSEMBLE_ADD, RSI, assemble_register(RDI));
	store_entry(m, RSI, 0, 0);
	assemble(&m->code, ASSEMBLE_STORE_16, RCX,
		 assemble_memory(RSI, offsetof(struct point_open, bytes)));
	commit_entry(m, RSI, 0);
}

/*
 * Copies the recorded values, including texts, to the top of the stack, and pushes the entry. The
 * values are from offset `head` of rsi up to rcx.
 */
static void push_recorded(struct code_writer *m, int32_t head)
{
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX, assemble_memory(RCX, -head));
	assemble(&m->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RSI));
	assemble(&m->code, ASSEMBLE_LOAD, RCX, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_ADD, RCX, assemble_register(RAX)); /* end of the values */
	assemble(&m->code, ASSEMBLE_STORE, RCX, stack_word(SCRATCH));
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RAX, 7));
	assemble_constant(&m->code, ASSEMBLE_AND_64, assemble_register(RDI), -8);
	assemble(&m->code, ASSEMBLE_ADD, RSI, assemble_register(RDI));
	assemble(&m->code, ASSEMBLE_LOAD, RCX, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_ADD, RCX, assemble_register(RDI));
	assemble(&m->code, ASSEMBLE_NEGATE, 3, assemble_register(RDI));
	copy_words(m, indexed(RSI, RDI, head), indexed(RCX, RDI, 0));
	assemble(&m->code, ASSEMBLE_LOAD, RCX, stack_word(SCRATCH));
	push_up_to_cursor(m);
}

/*
 * Checks that the last entry on the stack of calls belongs to the call that this RETURN ends.
 * Copies the number and values of that call to offset `at` from rcx, advances rcx, and stores the
 * new top of the stack in SCRATCH.
 */
static void take_call_entry(struct code_writer *m, int32_t at)
{
	assemble_constant(&m->code, ASSEMBLE_COMPARE_32, THREAD(thread_buffer_self.depth), 0);
	slow_if(m, ASSEMBLE_NOT_EQUAL);
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, THREAD(point_stack_self.limit), 0);
	slow_if(m, ASSEMBLE_EQUAL);
	assemble(&m->code, ASSEMBLE_LOAD, RSI, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_LOAD, RAX, assemble_memory(RSI, ENTRY(sp)));
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RSP, 8));
	assemble(&m->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RDI));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, assemble_register(RAX), POINT_FRAME_MOST);
	slow_if(m, ASSEMBLE_ABOVE);
	assemble_constant(&m->code, ASSEMBLE_COMPARE_32, assemble_memory(RSI, ENTRY(function)),
			  (int32_t)m->site->function);
	slow_if(m, ASSEMBLE_NOT_EQUAL);
	assemble(&m->code, ASSEMBLE_LOAD_32, RAX, assemble_memory(RSI, ENTRY(coded)));
	assemble(&m->code, ASSEMBLE_STORE_32, RAX, assemble_memory(RCX, at));
	assemble(&m->code, ASSEMBLE_LOAD_32, RAX, assemble_memory(RSI, ENTRY(coded_bytes)));
	assemble(&m->code, ASSEMBLE_ADDRESS, RCX, indexed(RCX, RAX, at));
	assemble(&m->code, ASSEMBLE_LOAD_U16, RAX, assemble_memory(RSI, ENTRY(bytes)));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, assemble_register(RAX), KEPT_MOST);
	slow_if(m, ASSEMBLE_ABOVE);
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RAX, 7));
	assemble_constant(&m->code, ASSEMBLE_AND_64, assemble_register(RDI), -8);
	assemble(&m->code, ASSEMBLE_ADDRESS, RDX, indexed(RCX, RDI, 0));
	assemble(&m->code, ASSEMBLE_ADD, RCX, assemble_register(RAX));
	assemble(&m->code, ASSEMBLE_NEGATE, 3, assemble_register(RDI));
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX, indexed(RSI, RDI, ENTRY(sp)));
	assemble(&m->code, ASSEMBLE_STORE, RAX, stack_word(SCRATCH));
	copy_words(m, indexed(RSI, RDI, ENTRY(sp)), indexed(RDX, RDI, 0));
	assemble(&m->code, ASSEMBLE_LOAD, RDX, THREAD(__sooth_lane));
}

/* ---- the kinds of points --------------------------------------------------------------------- */

static void generate_return(struct code_writer *m)
{
	int32_t at;

	open_record(m);
	take_call_entry(m, store_head(m, 0));
	at = store_values(m, 0);
	advance(m, &at);
	store_length(m);
	assemble(&m->code, ASSEMBLE_LOAD, RAX, stack_word(SCRATCH));
	commit_record(m);
	assemble(&m->code, ASSEMBLE_STORE, RAX, THREAD(point_stack_self.top));
}

/* Generates the code of a CALL, BODY or PROBE. */
static void generate_record(struct code_writer *m)
{
	bool texts = has_texts(m->site);
	int32_t head, at, bytes = 0;

	for (unsigned i = 0; i < m->site->count && !texts; i++) {
		char letter = m->site->operands[i].letter;
		bytes += letter == 'o' || letter == 'v' ? 0 : letter <= '@' ? letter - '0' : 8;
	}
	if (m->site->pushes_call)
		check_stack(m);
	open_record(m);
	if (m->site->texts)
		write_look(m);
	head = store_head(m, bytes);
	at = store_values(m, head);
	advance(m, &at);
	if (texts)
		store_length(m);
	commit_record(m);
	if (m->site->texts)
		commit_look(m);
	if (m->site->pushes_call && texts)
		push_recorded(m, head);
	else if (m->site->pushes_call)
		push_numbers(m);
}

static void generate_push_only(struct code_writer *m)
{
	int32_t at;

	assemble_constant(&m->code, ASSEMBLE_COMPARE_8, THREAD(thread_buffer_self.quiet), 0);
	slow_if(m, ASSEMBLE_NOT_EQUAL);
	check_stack(m);
	if (!has_texts(m->site)) {
		push_numbers(m);
		return;
	}
	assemble(&m->code, ASSEMBLE_LOAD, RCX, THREAD(point_stack_self.top));
	at = store_values(m, 0);
	advance(m, &at);
	push_up_to_cursor(m);
}

/*
 * Checks whether the point has been switched off. That happens when a function turns out to have a
 * body in recorded code (switch_off_calls() in point.c).
 */
static void check_stopped(struct code_writer *m)
{
	const struct point_site *site = m->site;

	assemble_load_constant(&m->code, RAX,
			       (uint64_t)(site->records ? &site->records : &site->pushes_call));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_8, assemble_memory(RAX, 0), 0);
	slow_if(m, ASSEMBLE_EQUAL);
}

static void generate(struct code_writer *m, bool can_stop)
{
	const struct point_site *site = m->site;

	m->saved = 1u << RAX | 1u << RCX | 1u << RDX;
	if (site->pushes_call || site->kind == POINT_RETURN)
		m->saved |= 1u << RSI | 1u << RDI;
	if (has_texts(site))
		m->saved |= 1u << RSI | 1u << RDI | 15u << R8;
	save_registers(m);
	if (can_stop)
		check_stopped(m);
	if (site->kind == POINT_RETURN)
		generate_return(m);
	else if (site->records)
		generate_record(m);
	else
		generate_push_only(m);
	restore_registers(m);
	assemble_return(&m->code);
	for (unsigned i = 0; i < m->slow_count; i++)
		assemble_set_jump_target(&m->code, m->slow[i]);
	if (m->slow_count)
		restore_registers(m);
}

/* ---- one point ------------------------------------------------------------------------------- */

/* Can generated code handle the site? Its values must fit, and its displacements must be small. */
static bool is_common(const struct point_site *site)
{
	unsigned most = 0;

	for (unsigned i = 0; i < site->count; i++) {
		const struct point_operand *o = &site->operands[i];

		if (o->how == POINT_MEMORY && (o->value > INT32_MAX - 64 || o->value < INT32_MIN ||
					       o->reg == ASSEMBLE_NOTHING))
			return false;
		if (o->how == POINT_REGISTER && o->reg == RSP) /* changed by this call */
			return false;
		most += o->letter == 's' ? 10 + POINT_CODE_TEXT + 8 : 16;
	}
	if (site->kind == POINT_RETURN)
		most += KEPT_MOST;
	if (site->texts) {
		most += POINT_POINTEE_MOST + 40;
		if (site->kind == POINT_RETURN || !site->records || site->texts & (site->texts - 1))
			return false;
	}
	return most <= ROOM && !site->pointed && (site->records || site->pushes_call);
}

static bool needs_vectors(const struct point_site *site)
{
	for (unsigned i = 0; i < site->count; i++)
		if (site->operands[i].how == POINT_VECTOR)
			return true;
	return false;
}

uint8_t *point_code(const struct point_site *site, uint32_t number, bool plain, bool can_stop,
		    const struct point_targets *targets, uint8_t *at)
{
	struct code_writer m = {
		.site = site,
		.number = number,
		.targets = targets,
		.code = { .at = at, .end = at + POINT_CODE_MOST - SLOW_JUMP_BYTES },
	};

	if (!plain && is_common(site))
		generate(&m, can_stop);
	if (m.code.full)
		m.code.at = at;
	m.code.end = at + POINT_CODE_MOST;
	assemble_push(&m.code, (int32_t)number);
	assemble_jump_indirect(
		&m.code,
		(const uint8_t *)(needs_vectors(site) ? &targets->stub_vectors : &targets->stub));
	return m.code.at;
}
