#include "runtime/point/assemble.h"

#include <string.h>

static void put_all(struct assemble_code *code, const void *bytes, size_t count)
{
	if ((size_t)(code->end - code->at) < count) {
		code->full = true;
		return;
	}
	memcpy(code->at, bytes, count);
	code->at += count;
}

static void put(struct assemble_code *code, unsigned value)
{
	uint8_t byte = (uint8_t)value;

	put_all(code, &byte, sizeof(byte));
}

static void put_32(struct assemble_code *code, int32_t word)
{
	put_all(code, &word, sizeof(word));
}

/* ---- a register and a place ----------------------------------------------------------------- */

static unsigned log_of(unsigned scale)
{
	return (unsigned)__builtin_ctz(scale);
}

/* ModR/M, SIB and the displacement; always of 32 bits, which costs a few bytes and no branch here. */
static void put_place(struct assemble_code *code, unsigned reg, const struct assemble_place *place)
{
	unsigned middle = (reg & 7) << 3;

	if (place->is_register) {
		put(code, 0xc0 | middle | (place->base & 7));
		return;
	}
	if (place->is_thread) { /* no base: the segment alone */
		put(code, middle | 4);
		put(code, 0x25);
	} else if (place->base == ASSEMBLE_NOTHING) {
		put(code, middle | 4);
		put(code, log_of(place->scale) << 6 | (place->index & 7) << 3 | 5);
	} else if (place->index != ASSEMBLE_NOTHING) {
		put(code, 0x80 | middle | 4);
		put(code, log_of(place->scale) << 6 | (place->index & 7) << 3 | (place->base & 7));
	} else {
		put(code, 0x80 | middle | (place->base & 7));
		if ((place->base & 7) == RSP)
			put(code, 0x24);
	}
	put_32(code, place->displacement);
}

static bool is_high(unsigned reg)
{
	return reg & 8; /* ASSEMBLE_NOTHING is none of these */
}

static void put_instruction(struct assemble_code *code, unsigned what, unsigned reg,
			    const struct assemble_place *place)
{
	unsigned rex = (what & ASSEMBLE_WIDE ? 8u : 0u) | (is_high(reg) ? 4u : 0u);

	if (!place->is_register && !place->is_thread && is_high(place->index))
		rex |= 2;
	if (!place->is_thread && is_high(place->base))
		rex |= 1;
	if (!place->is_register && place->is_thread)
		put(code, 0x64);
	if (what & ASSEMBLE_SHORT)
		put(code, 0x66);
	if (rex || what & ASSEMBLE_BYTE)
		put(code, 0x40 | rex);
	if (what & ASSEMBLE_TWO)
		put(code, 0x0f);
	put(code, what & 0xff);
	put_place(code, reg, place);
}

void assemble(struct assemble_code *code, enum assemble_what what, unsigned reg,
	      struct assemble_place place)
{
	put_instruction(code, what, reg, &place);
}

/* ---- constants ------------------------------------------------------------------------------ */

void assemble_constant(struct assemble_code *code, enum assemble_constant what,
		       struct assemble_place place, int32_t constant)
{
	static const struct {
		unsigned what;
		uint8_t part;
		bool is_byte;
	} all[] = {
		[ASSEMBLE_PUT] = { 0xc7 | ASSEMBLE_WIDE, 0, false },
		[ASSEMBLE_PUT_32] = { 0xc7, 0, false },
		[ASSEMBLE_COMPARE_8] = { 0x80, 7, true },
		[ASSEMBLE_COMPARE_32] = { 0x81, 7, false },
		[ASSEMBLE_COMPARE_64] = { 0x81 | ASSEMBLE_WIDE, 7, false },
		[ASSEMBLE_TEST_8] = { 0xf6, 0, true },
		[ASSEMBLE_AND_64] = { 0x81 | ASSEMBLE_WIDE, 4, false },
		[ASSEMBLE_ADD_64] = { 0x81 | ASSEMBLE_WIDE, 0, false },
	};

	put_instruction(code, all[what].what, all[what].part, &place);
	if (all[what].is_byte)
		put(code, (unsigned)constant);
	else
		put_32(code, constant);
}

void assemble_put(struct assemble_code *code, unsigned reg, uint64_t constant)
{
	put(code, 0x48 | (is_high(reg) ? 1u : 0u));
	put(code, 0xb8 | (reg & 7));
	put_all(code, &constant, sizeof(constant));
}

/* ---- going elsewhere ------------------------------------------------------------------------ */

uint8_t *assemble_jump(struct assemble_code *code, enum assemble_condition condition)
{
	put(code, 0x0f);
	put(code, 0x80u | condition);
	put_32(code, 0);
	return code->at;
}

void assemble_here(const struct assemble_code *code, uint8_t *jump)
{
	int32_t distance = (int32_t)(code->at - jump);

	if (!code->full)
		memcpy(jump - sizeof(distance), &distance, sizeof(distance));
}

void assemble_jump_back(struct assemble_code *code, enum assemble_condition condition,
			const uint8_t *to)
{
	put(code, 0x0f);
	put(code, 0x80u | condition);
	put_32(code, (int32_t)(to - (code->at + 4)));
}

static void put_indirect(struct assemble_code *code, unsigned part, const uint8_t *pointer)
{
	put(code, 0xff);
	put(code, part << 3 | 5);
	put_32(code, (int32_t)(pointer - (code->at + 4)));
}

void assemble_call(struct assemble_code *code, const uint8_t *pointer)
{
	put_indirect(code, 2, pointer);
}

void assemble_leave(struct assemble_code *code, const uint8_t *pointer)
{
	put_indirect(code, 4, pointer);
}

void assemble_push(struct assemble_code *code, int32_t constant)
{
	put(code, 0x68);
	put_32(code, constant);
}

void assemble_return(struct assemble_code *code)
{
	put(code, 0xc3);
}
