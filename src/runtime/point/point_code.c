/*
 * The code runs on the program's stack, right behind the call that the NOP has become, and keeps all
 * registers but the flags, which the NOP clobbers. It moves the stack pointer nowhere: what it saves
 * it saves below it, where the kernel puts nothing of a signal handler (128 bytes). A handler that
 * cuts in and does not come back has harmed nothing, since record and stack are committed last.
 *
 *	rdx	the lane; rcx where to write; rax for anything
 *	rsi rdi	with RETURNs and what remembers for them
 *	r8…r11	with texts (point_text.S)
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

#define RECORD_MOST 254 /* bytes behind a short header */
#define KEPT_MOST 400	/* of a call's values that a RETURN takes over here */
#define ROOM 700u	/* what there is at least behind a lane's limit */
#define LEAVING 16u	/* bytes of the way to point_stub */

struct making {
	const struct point_site *site;
	uint32_t number;
	const struct point_ways *ways;
	struct assemble_code code;
	uint32_t saved; /* registers: bits */
	uint8_t *slow[16];
	unsigned slow_count;
};

/* ---- places ------------------------------------------------------------------------------- */

static int32_t in_thread(const void *variable)
{
	const uint8_t *thread;

	__asm__("mov %%fs:0, %0" : "=r"(thread));
	return (int32_t)((const uint8_t *)variable - thread);
}

#define THREAD(variable) assemble_thread(in_thread(&(variable)))

/* Words below those of registers. */
#define LOOKED 9   /* where the bytes are that were looked at */
#define SCRATCH 10 /* what will be the top of the stack of calls */
#define START 11   /* behind a look: where the record starts */

/* Below the stack pointer; the first two words are return addresses in point_text.S. */
static struct assemble_place slot(unsigned n)
{
	return assemble_memory(RSP, -24 - 8 * (int32_t)n);
}

static struct assemble_place slot_of(const struct making *m, unsigned reg)
{
	return slot((unsigned)__builtin_popcount(m->saved & ((1u << reg) - 1)));
}

static bool is_saved(const struct making *m, unsigned reg)
{
	return m->saved >> reg & 1;
}

/* The register as the program has it. */
static struct assemble_place given(const struct making *m, unsigned reg)
{
	return is_saved(m, reg) ? slot_of(m, reg) : assemble_register(reg);
}

static void save(struct making *m)
{
	for (unsigned reg = 0; reg < 16; reg++)
		if (is_saved(m, reg))
			assemble(&m->code, ASSEMBLE_STORE, reg, slot_of(m, reg));
}

static void restore(struct making *m)
{
	for (unsigned reg = 0; reg < 16; reg++)
		if (is_saved(m, reg))
			assemble(&m->code, ASSEMBLE_LOAD, reg, slot_of(m, reg));
}

static void unless(struct making *m, enum assemble_condition bad)
{
	m->slow[m->slow_count++] = assemble_jump(&m->code, bad);
}

/* ---- values ------------------------------------------------------------------------------- */

static struct assemble_place operand(struct making *m, const struct point_operand *o)
{
	struct assemble_place place = {
		.base = o->reg,
		.index = o->index,
		.scale = o->scale,
		.displacement = (int32_t)o->value,
	};

	if (o->how == POINT_REGISTER)
		return given(m, o->reg);
	if (o->reg == RSP) /* as it was before the call */
		place.displacement += 8;
	if ((o->reg >= 16 || !is_saved(m, o->reg)) && (o->index >= 16 || !is_saved(m, o->index)))
		return place;
	/* One of them is in use here. */
	if (o->index < 16) {
		assemble(&m->code, ASSEMBLE_LOAD, RAX, given(m, o->index));
		place.base = ASSEMBLE_NOTHING;
		place.index = RAX;
		assemble(&m->code, ASSEMBLE_ADDRESS, RAX, place);
		if (o->reg < 16)
			assemble(&m->code, ASSEMBLE_ADD, RAX, given(m, o->reg));
		return assemble_memory(RAX, 0);
	}
	assemble(&m->code, ASSEMBLE_LOAD, RAX, given(m, o->reg));
	return assemble_memory(RAX, place.displacement);
}

static enum assemble_what load_of(char letter)
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

static void put_constant(struct making *m, uint64_t value, int32_t at)
{
	if ((int64_t)value == (int32_t)value) {
		assemble_constant(&m->code, ASSEMBLE_PUT, assemble_memory(RCX, at), (int32_t)value);
	} else {
		assemble_put(&m->code, RAX, value);
		assemble(&m->code, ASSEMBLE_STORE, RAX, assemble_memory(RCX, at));
	}
}

static void put_number(struct making *m, const struct point_operand *o, int32_t at)
{
	struct assemble_place to = assemble_memory(RCX, at);

	if (o->how == POINT_CONSTANT) {
		put_constant(m, point_extend((uint64_t)o->value, o->letter), at);
	} else if (o->how == POINT_VECTOR && o->letter == 'f') {
		assemble(&m->code, ASSEMBLE_STORE_VECTOR_32, o->reg, to);
		assemble_constant(&m->code, ASSEMBLE_PUT_32, assemble_memory(RCX, at + 4), 0);
	} else if (o->how == POINT_VECTOR) {
		assemble(&m->code, ASSEMBLE_STORE_VECTOR, o->reg, to);
	} else {
		struct assemble_place from = operand(m, o);
		unsigned reg = RAX;

		if (from.is_register && load_of(o->letter) == ASSEMBLE_LOAD)
			reg = from.base;
		else
			assemble(&m->code, load_of(o->letter), RAX, from);
		assemble(&m->code, ASSEMBLE_STORE, reg, to);
	}
}

/* A struct, and not a byte behind it. */
static void put_bytes(struct making *m, const struct point_operand *o, int32_t at)
{
	static const struct {
		int32_t bytes;
		enum assemble_what load, store;
	} steps[] = {
		{ 8, ASSEMBLE_LOAD, ASSEMBLE_STORE },
		{ 4, ASSEMBLE_LOAD_32, ASSEMBLE_STORE_32 },
		{ 2, ASSEMBLE_LOAD_U16, ASSEMBLE_STORE_16 },
		{ 1, ASSEMBLE_LOAD_U8, ASSEMBLE_STORE_8 },
	};
	int32_t left = o->letter - '0', done = 0;

	if (o->how != POINT_MEMORY) { /* what is behind it there is overwritten, or not counted */
		struct point_operand whole = *o;
		whole.letter = 'L';
		put_number(m, &whole, at);
		return;
	}
	for (unsigned i = 0; i < 4; i++) {
		for (; left >= steps[i].bytes; left -= steps[i].bytes) {
			struct assemble_place from = operand(m, o);
			from.displacement += done;
			assemble(&m->code, steps[i].load, RAX, from);
			assemble(&m->code, steps[i].store, RAX, assemble_memory(RCX, at + done));
			done += steps[i].bytes;
		}
	}
}

/* rcx goes behind what was written, and so does where the next value goes. */
static void advance(struct making *m, int32_t *at)
{
	if (*at)
		assemble(&m->code, ASSEMBLE_ADDRESS, RCX, assemble_memory(RCX, *at));
	*at = 0;
}

static void load_text(struct making *m, const struct point_operand *o, unsigned reg)
{
	if (o->how == POINT_CONSTANT)
		assemble_put(&m->code, reg, (uint64_t)o->value);
	else
		assemble(&m->code, ASSEMBLE_LOAD, reg, operand(m, o));
}

static void put_text(struct making *m, unsigned i, int32_t *at)
{
	advance(m, at);
	load_text(m, &m->site->operands[i], RDI);
	if (m->site->texts >> i & 1) {
		assemble(&m->code, ASSEMBLE_LOAD, RSI, slot(LOOKED));
		assemble_call(&m->code, (const uint8_t *)&m->ways->text_looked);
	} else {
		assemble_call(&m->code, (const uint8_t *)&m->ways->text);
	}
	assemble_constant(&m->code, ASSEMBLE_TEST_8, assemble_register(RAX), 1);
	unless(m, ASSEMBLE_EQUAL);
}

/* All of them, from `at` behind rcx on. Returns where they end. */
static int32_t put_values(struct making *m, int32_t at)
{
	for (unsigned i = 0; i < m->site->count; i++) {
		const struct point_operand *o = &m->site->operands[i];

		if (o->letter == 'o' || o->letter == 'v')
			continue;
		if (o->letter == 's') {
			put_text(m, i, &at);
		} else if (o->letter <= '@') {
			put_bytes(m, o, at);
			at += o->letter - '0';
		} else {
			put_number(m, o, at);
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

/* ---- the record --------------------------------------------------------------------------- */

static void open_record(struct making *m)
{
	assemble(&m->code, ASSEMBLE_LOAD, RDX, THREAD(__sooth_lane));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_8, THREAD(thread_buffer_self.quiet), 0);
	unless(m, ASSEMBLE_NOT_EQUAL);
	assemble(&m->code, ASSEMBLE_LOAD, RCX,
		 assemble_memory(RDX, offsetof(struct wire_block, cursor)));
	assemble(&m->code, ASSEMBLE_COMPARE, RCX,
		 assemble_memory(RDX, offsetof(struct wire_block, limit)));
	unless(m, ASSEMBLE_ABOVE);
	assemble_constant(&m->code, ASSEMBLE_TEST_8,
			  assemble_memory(RDX, offsetof(struct wire_block, flags)),
			  WIRE_BLOCK_LIVE);
	unless(m, ASSEMBLE_EQUAL);
}

/* Header and number; the length is that of values of so many bytes. Returns how many these are. */
static int32_t put_head(struct making *m, int32_t bytes)
{
	uint8_t head[8 + CODEC_OVERHANG] = { 0 },
			 *end = codec_put_number(head + CODEC_SHORT_HEADER, m->number);
	uint64_t word;

	codec_put_header(head, EV_POINT, CODEC_SHORT_HEADER,
			 (size_t)(end - head) - CODEC_SHORT_HEADER + (size_t)bytes);
	memcpy(&word, head, sizeof(word));
	if (end - head <= 4)
		assemble_constant(&m->code, ASSEMBLE_PUT_32, assemble_memory(RCX, 0),
				  (int32_t)word);
	else
		put_constant(m, word, 0);
	return (int32_t)(end - head);
}

/* Where the length was not known: the record ends at rcx. */
static void put_length(struct making *m)
{
	assemble(&m->code, ASSEMBLE_LOAD, RSI,
		 m->site->texts ? slot(START) : assemble_memory(RDX, 0));
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX, assemble_memory(RCX, -CODEC_SHORT_HEADER));
	assemble(&m->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RSI));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, assemble_register(RAX), RECORD_MOST);
	unless(m, ASSEMBLE_ABOVE);
	assemble(&m->code, ASSEMBLE_STORE_8, RAX, assemble_memory(RSI, 1));
}

static void commit_record(struct making *m)
{
	assemble(&m->code, ASSEMBLE_STORE, RCX,
		 assemble_memory(RDX, offsetof(struct wire_block, cursor)));
}

/* ---- looks -------------------------------------------------------------------------------- */

_Static_assert(offsetof(struct thread_buffer_self, codec.pc) == POINT_CODEC_PC, "point_layout.h");
_Static_assert(offsetof(struct thread_buffer_self, codec.address) == POINT_CODEC_ADDRESS,
	       "point_layout.h");
_Static_assert(EF_LOOK == POINT_POINTEE_FLAG, "point_layout.h");

static const struct point_operand *looked_at(const struct point_site *site)
{
	return &site->operands[__builtin_ctz(site->texts)];
}

/* A READ of the one text that matters; the record comes behind it. */
static void look(struct making *m)
{
	load_text(m, looked_at(m->site), RDI);
	assemble_put(&m->code, RSI, m->site->pc);
	assemble_call(&m->code, (const uint8_t *)&m->ways->look);
	assemble_constant(&m->code, ASSEMBLE_TEST_8, assemble_register(RAX), 1);
	unless(m, ASSEMBLE_EQUAL);
	assemble(&m->code, ASSEMBLE_STORE, RSI, slot(LOOKED));
	assemble(&m->code, ASSEMBLE_STORE, RCX, slot(START));
	assemble(&m->code, ASSEMBLE_LOAD, RDI, assemble_memory(RDX, 0));
	assemble_put(&m->code, RAX, EV_READ << 1 | 1);
	assemble(&m->code, ASSEMBLE_STORE_8, RAX, assemble_memory(RDI, 0));
}

/* What the next record counts from. */
static void commit_look(struct making *m)
{
	assemble_put(&m->code, RAX, m->site->pc);
	assemble(&m->code, ASSEMBLE_STORE, RAX, THREAD(thread_buffer_self.codec.pc));
	load_text(m, looked_at(m->site), RAX);
	assemble(&m->code, ASSEMBLE_STORE, RAX, THREAD(thread_buffer_self.codec.address));
}

/* ---- the stack of calls ------------------------------------------------------------------- */

#define ENTRY(field)                                                                               \
	((int32_t)offsetof(struct point_open, field) - (int32_t)sizeof(struct point_open))

/* From rsi to rcx, rdi bytes, a multiple of 8 and negative; the ends of both. */
static void copy_words(struct making *m, struct assemble_place from, struct assemble_place to)
{
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, assemble_register(RDI), 0);
	uint8_t *none = assemble_jump(&m->code, ASSEMBLE_EQUAL);
	const uint8_t *again = m->code.at;
	assemble(&m->code, ASSEMBLE_LOAD, RAX, from);
	assemble(&m->code, ASSEMBLE_STORE, RAX, to);
	assemble_constant(&m->code, ASSEMBLE_ADD_64, assemble_register(RDI), 8);
	assemble_jump_back(&m->code, ASSEMBLE_NOT_EQUAL, again);
	assemble_here(&m->code, none);
}

static struct assemble_place indexed(unsigned base, unsigned index, int32_t displacement)
{
	return (struct assemble_place){
		.base = (uint8_t)base,
		.index = (uint8_t)index,
		.scale = 1,
		.displacement = displacement,
	};
}

/* No signal handler runs, there is room, and no entry has to go. */
static void check_stack(struct making *m)
{
	assemble_constant(&m->code, ASSEMBLE_COMPARE_32, THREAD(thread_buffer_self.depth), 0);
	unless(m, ASSEMBLE_NOT_EQUAL);
	assemble(&m->code, ASSEMBLE_LOAD, RSI, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_COMPARE, RSI, THREAD(point_stack_self.limit));
	unless(m, ASSEMBLE_NOT_BELOW);
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RSP, 8));
	assemble(&m->code, ASSEMBLE_COMPARE, RDI, assemble_memory(RSI, ENTRY(sp)));
	unless(m, ASSEMBLE_NOT_BELOW);
}

/* The entry goes to `base` and so many bytes behind it. */
static void put_entry(struct making *m, unsigned base, int32_t at, size_t bytes)
{
	struct point_open entry = point_stack_entry(m->number, bytes);
	uint64_t words[3];

	memcpy(words, &entry, sizeof(words));
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX, assemble_memory(RSP, 8));
	assemble(&m->code, ASSEMBLE_STORE, RAX, assemble_memory(base, at));
	assemble_put(&m->code, RAX, words[1]);
	assemble(&m->code, ASSEMBLE_STORE, RAX, assemble_memory(base, at + 8));
	assemble_put(&m->code, RAX, words[2]);
	assemble(&m->code, ASSEMBLE_STORE, RAX, assemble_memory(base, at + 16));
}

static void commit_entry(struct making *m, unsigned base, int32_t at)
{
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX,
		 assemble_memory(base, at + (int32_t)sizeof(struct point_open)));
	assemble(&m->code, ASSEMBLE_STORE, RAX, THREAD(point_stack_self.top));
}

/* Numbers alone: they are written once more, to the top. */
static void push_numbers(struct making *m)
{
	int32_t bytes, at;

	assemble(&m->code, ASSEMBLE_LOAD, RCX, THREAD(point_stack_self.top));
	bytes = put_values(m, 0);
	at = (bytes + 7) & ~7;
	put_entry(m, RCX, at, (size_t)bytes);
	commit_entry(m, RCX, at);
}

/* Behind values that lie at the top up to rcx. */
static void push_up_to_cursor(struct making *m)
{
	assemble(&m->code, ASSEMBLE_LOAD, RSI, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_SUBTRACT, RCX, assemble_register(RSI));
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RCX, 7));
	assemble_constant(&m->code, ASSEMBLE_AND_64, assemble_register(RDI), -8);
	assemble(&m->code, ASSEMBLE_ADD, RSI, assemble_register(RDI));
	put_entry(m, RSI, 0, 0);
	assemble(&m->code, ASSEMBLE_STORE_16, RCX,
		 assemble_memory(RSI, offsetof(struct point_open, bytes)));
	commit_entry(m, RSI, 0);
}

/* What was recorded, texts and all, from rsi and so many bytes on up to rcx: to the top. */
static void push_recorded(struct making *m, int32_t head)
{
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX, assemble_memory(RCX, -head));
	assemble(&m->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RSI));
	assemble(&m->code, ASSEMBLE_LOAD, RCX, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_ADD, RCX, assemble_register(RAX)); /* where they will end */
	assemble(&m->code, ASSEMBLE_STORE, RCX, slot(SCRATCH));
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RAX, 7));
	assemble_constant(&m->code, ASSEMBLE_AND_64, assemble_register(RDI), -8);
	assemble(&m->code, ASSEMBLE_ADD, RSI, assemble_register(RDI));
	assemble(&m->code, ASSEMBLE_LOAD, RCX, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_ADD, RCX, assemble_register(RDI));
	assemble(&m->code, ASSEMBLE_NEGATE, 3, assemble_register(RDI));
	copy_words(m, indexed(RSI, RDI, head), indexed(RCX, RDI, 0));
	assemble(&m->code, ASSEMBLE_LOAD, RCX, slot(SCRATCH));
	push_up_to_cursor(m);
}

/*
 * The last entry is the call's: its number and values go to rcx and so many bytes behind it, rcx behind
 * them, and what will be the top to SCRATCH.
 */
static void take_over(struct making *m, int32_t at)
{
	assemble_constant(&m->code, ASSEMBLE_COMPARE_32, THREAD(thread_buffer_self.depth), 0);
	unless(m, ASSEMBLE_NOT_EQUAL);
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, THREAD(point_stack_self.limit), 0);
	unless(m, ASSEMBLE_EQUAL);
	assemble(&m->code, ASSEMBLE_LOAD, RSI, THREAD(point_stack_self.top));
	assemble(&m->code, ASSEMBLE_LOAD, RAX, assemble_memory(RSI, ENTRY(sp)));
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RSP, 8));
	assemble(&m->code, ASSEMBLE_SUBTRACT, RAX, assemble_register(RDI));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, assemble_register(RAX), POINT_FRAME_MOST);
	unless(m, ASSEMBLE_ABOVE);
	assemble_constant(&m->code, ASSEMBLE_COMPARE_32, assemble_memory(RSI, ENTRY(function)),
			  (int32_t)m->site->function);
	unless(m, ASSEMBLE_NOT_EQUAL);
	assemble(&m->code, ASSEMBLE_LOAD_32, RAX, assemble_memory(RSI, ENTRY(coded)));
	assemble(&m->code, ASSEMBLE_STORE_32, RAX, assemble_memory(RCX, at));
	assemble(&m->code, ASSEMBLE_LOAD_32, RAX, assemble_memory(RSI, ENTRY(coded_bytes)));
	assemble(&m->code, ASSEMBLE_ADDRESS, RCX, indexed(RCX, RAX, at));
	assemble(&m->code, ASSEMBLE_LOAD_U16, RAX, assemble_memory(RSI, ENTRY(bytes)));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_64, assemble_register(RAX), KEPT_MOST);
	unless(m, ASSEMBLE_ABOVE);
	assemble(&m->code, ASSEMBLE_ADDRESS, RDI, assemble_memory(RAX, 7));
	assemble_constant(&m->code, ASSEMBLE_AND_64, assemble_register(RDI), -8);
	assemble(&m->code, ASSEMBLE_ADDRESS, RDX, indexed(RCX, RDI, 0));
	assemble(&m->code, ASSEMBLE_ADD, RCX, assemble_register(RAX));
	assemble(&m->code, ASSEMBLE_NEGATE, 3, assemble_register(RDI));
	assemble(&m->code, ASSEMBLE_ADDRESS, RAX, indexed(RSI, RDI, ENTRY(sp)));
	assemble(&m->code, ASSEMBLE_STORE, RAX, slot(SCRATCH));
	copy_words(m, indexed(RSI, RDI, ENTRY(sp)), indexed(RDX, RDI, 0));
	assemble(&m->code, ASSEMBLE_LOAD, RDX, THREAD(__sooth_lane));
}

/* ---- kinds of points ---------------------------------------------------------------------- */

static void make_return(struct making *m)
{
	int32_t at;

	open_record(m);
	take_over(m, put_head(m, 0));
	at = put_values(m, 0);
	advance(m, &at);
	put_length(m);
	assemble(&m->code, ASSEMBLE_LOAD, RAX, slot(SCRATCH));
	commit_record(m);
	assemble(&m->code, ASSEMBLE_STORE, RAX, THREAD(point_stack_self.top));
}

/* CALL, BODY, PROBE */
static void make_record(struct making *m)
{
	bool texts = has_texts(m->site);
	int32_t head, at, bytes = 0;

	for (unsigned i = 0; i < m->site->count && !texts; i++) {
		char letter = m->site->operands[i].letter;
		bytes += letter == 'o' || letter == 'v' ? 0 : letter <= '@' ? letter - '0' : 8;
	}
	if (m->site->remembers)
		check_stack(m);
	open_record(m);
	if (m->site->texts)
		look(m);
	head = put_head(m, bytes);
	at = put_values(m, head);
	advance(m, &at);
	if (texts)
		put_length(m);
	commit_record(m);
	if (m->site->texts)
		commit_look(m);
	if (m->site->remembers && texts)
		push_recorded(m, head);
	else if (m->site->remembers)
		push_numbers(m);
}

static void make_memory(struct making *m)
{
	int32_t at;

	assemble_constant(&m->code, ASSEMBLE_COMPARE_8, THREAD(thread_buffer_self.quiet), 0);
	unless(m, ASSEMBLE_NOT_EQUAL);
	check_stack(m);
	if (!has_texts(m->site)) {
		push_numbers(m);
		return;
	}
	assemble(&m->code, ASSEMBLE_LOAD, RCX, THREAD(point_stack_self.top));
	at = put_values(m, 0);
	advance(m, &at);
	push_up_to_cursor(m);
}

/* It may be found out later that the function is seen elsewhere. */
static void check_stopped(struct making *m)
{
	const struct point_site *site = m->site;

	assemble_put(&m->code, RAX, (uint64_t)(site->records ? &site->records : &site->remembers));
	assemble_constant(&m->code, ASSEMBLE_COMPARE_8, assemble_memory(RAX, 0), 0);
	unless(m, ASSEMBLE_EQUAL);
}

static void make(struct making *m, bool can_stop)
{
	const struct point_site *site = m->site;

	m->saved = 1u << RAX | 1u << RCX | 1u << RDX;
	if (site->remembers || site->kind == POINT_RETURN)
		m->saved |= 1u << RSI | 1u << RDI;
	if (has_texts(site))
		m->saved |= 1u << RSI | 1u << RDI | 15u << R8;
	save(m);
	if (can_stop)
		check_stopped(m);
	if (site->kind == POINT_RETURN)
		make_return(m);
	else if (site->records)
		make_record(m);
	else
		make_memory(m);
	restore(m);
	assemble_return(&m->code);
	for (unsigned i = 0; i < m->slow_count; i++)
		assemble_here(&m->code, m->slow[i]);
	if (m->slow_count)
		restore(m);
}

/* ---- all of it ---------------------------------------------------------------------------- */

/* Bytes that its values can take, if texts are short; operands that are far away are not for us. */
static bool is_common(const struct point_site *site)
{
	unsigned most = 0;

	for (unsigned i = 0; i < site->count; i++) {
		const struct point_operand *o = &site->operands[i];

		if (o->how == POINT_MEMORY && (o->value > INT32_MAX - 64 || o->value < INT32_MIN ||
					       o->reg == ASSEMBLE_NOTHING))
			return false;
		if (o->how == POINT_REGISTER && o->reg == RSP) /* not as it was */
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
	return most <= ROOM && !site->pointed && (site->records || site->remembers);
}

static bool needs_vectors(const struct point_site *site)
{
	for (unsigned i = 0; i < site->count; i++)
		if (site->operands[i].how == POINT_VECTOR)
			return true;
	return false;
}

uint8_t *point_code(const struct point_site *site, uint32_t number, bool plain, bool can_stop,
		    const struct point_ways *ways, uint8_t *at)
{
	struct making m = {
		.site = site,
		.number = number,
		.ways = ways,
		.code = { .at = at, .end = at + POINT_CODE_MOST - LEAVING },
	};

	if (!plain && is_common(site))
		make(&m, can_stop);
	if (m.code.full)
		m.code.at = at;
	m.code.end = at + POINT_CODE_MOST;
	assemble_push(&m.code, (int32_t)number);
	assemble_leave(&m.code,
		       (const uint8_t *)(needs_vectors(site) ? &ways->stub_vectors : &ways->stub));
	return m.code.at;
}
