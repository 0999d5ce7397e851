/*
 * Encodes instructions: prefixes, opcode, ModR/M and SIB bytes, displacement and constant, in that
 * order.
 */
#include "runtime/point/assemble.h"

#include <string.h>

static void emit(struct assemble_code *code, const void *bytes, size_t count)
{
	if ((size_t)(code->end - code->at) < count) {
		code->full = true;
		return;
	}
	memcpy(code->at, bytes, count);
	code->at += count;
}

static void emit_byte(struct assemble_code *code, unsigned value)
{
	uint8_t byte = (uint8_t)value;

	emit(code, &byte, sizeof(byte));
}

static void emit_32(struct assemble_code *code, int32_t word)
{
	emit(code, &word, sizeof(word));
}

/* ---- instructions with a register and an operand --------------------------------------------- */

static unsigned log2_of(unsigned scale)
{
	return (unsigned)__builtin_ctz(scale);
}

/*
 * Writes ModR/M, SIB and the displacement. The displacement always has 32 bits, which makes the
 * code a few bytes longer and this function simpler.
 */
static void emit_operand(struct assemble_code *code, unsigned reg,
			 const struct assemble_operand *operand)
{
	unsigned middle = (reg & 7) << 3;

	if (operand->is_register) {
		emit_byte(code, 0xc0 | middle | (operand->base & 7));
		return;
	}
	if (operand->is_thread) { /* no base register: the address is in the %fs segment */
		emit_byte(code, middle | 4);
		emit_byte(code, 0x25);
	} else if (operand->base == ASSEMBLE_NOTHING) {
		emit_byte(code, middle | 4);
		emit_byte(code, log2_of(operand->scale) << 6 | (operand->index & 7) << 3 | 5);
	} else if (operand->index != ASSEMBLE_NOTHING) {
		emit_byte(code, 0x80 | middle | 4);
		emit_byte(code, log2_of(operand->scale) << 6 | (operand->index & 7) << 3 |
					(operand->base & 7));
	} else {
		emit_byte(code, 0x80 | middle | (operand->base & 7));
		if ((operand->base & 7) == RSP)
			emit_byte(code, 0x24);
	}
	emit_32(code, operand->displacement);
}

static bool is_high(unsigned reg)
{
	return reg & 8; /* ASSEMBLE_NOTHING (16) does not have this bit */
}

static void emit_instruction(struct assemble_code *code, unsigned instruction, unsigned reg,
			     const struct assemble_operand *operand)
{
	unsigned rex = (instruction & ASSEMBLE_WIDE ? 8u : 0u) | (is_high(reg) ? 4u : 0u);

	if (!operand->is_register && !operand->is_thread && is_high(operand->index))
		rex |= 2;
	if (!operand->is_thread && is_high(operand->base))
		rex |= 1;
	if (!operand->is_register && operand->is_thread)
		emit_byte(code, 0x64);
	if (instruction & ASSEMBLE_PREFIX_66)
		emit_byte(code, 0x66);
	if (rex || instruction & ASSEMBLE_BYTE)
		emit_byte(code, 0x40 | rex);
	if (instruction & ASSEMBLE_PREFIX_0F)
		emit_byte(code, 0x0f);
	emit_byte(code, instruction & 0xff);
	emit_operand(code, reg, operand);
}

void assemble(struct assemble_code *code, enum assemble_instruction instruction, unsigned reg,
	      struct assemble_operand operand)
{
	emit_instruction(code, instruction, reg, &operand);
}

/* ---- instructions with a constant ------------------------------------------------------------ */

void assemble_constant(struct assemble_code *code, enum assemble_constant instruction,
		       struct assemble_operand operand, int32_t constant)
{
	static const struct {
		unsigned instruction;
		uint8_t part;
		bool is_byte;
	} all[] = {
		[ASSEMBLE_STORE_CONSTANT] = { 0xc7 | ASSEMBLE_WIDE, 0, false },
		[ASSEMBLE_STORE_CONSTANT_32] = { 0xc7, 0, false },
		[ASSEMBLE_COMPARE_8] = { 0x80, 7, true },
		[ASSEMBLE_COMPARE_32] = { 0x81, 7, false },
		[ASSEMBLE_COMPARE_64] = { 0x81 | ASSEMBLE_WIDE, 7, false },
		[ASSEMBLE_TEST_8] = { 0xf6, 0, true },
		[ASSEMBLE_AND_64] = { 0x81 | ASSEMBLE_WIDE, 4, false },
		[ASSEMBLE_ADD_64] = { 0x81 | ASSEMBLE_WIDE, 0, false },
	};

	emit_instruction(code, all[instruction].instruction, all[instruction].part, &operand);
	if (all[instruction].is_byte)
		emit_byte(code, (unsigned)constant);
	else
		emit_32(code, constant);
}

void assemble_load_constant(struct assemble_code *code, unsigned reg, uint64_t constant)
{
	emit_byte(code, 0x48 | (is_high(reg) ? 1u : 0u));
	emit_byte(code, 0xb8 | (reg & 7));
	emit(code, &constant, sizeof(constant));
}

/* ---- jumps and calls ------------------------------------------------------------------------- */

uint8_t *assemble_jump(struct assemble_code *code, enum assemble_condition condition)
{
	emit_byte(code, 0x0f);
	emit_byte(code, 0x80u | condition);
	emit_32(code, 0);
	return code->at;
}

void assemble_set_jump_target(const struct assemble_code *code, uint8_t *jump)
{
	int32_t distance = (int32_t)(code->at - jump);

	if (!code->full)
		memcpy(jump - sizeof(distance), &distance, sizeof(distance));
}

void assemble_jump_back(struct assemble_code *code, enum assemble_condition condition,
			const uint8_t *to)
{
	emit_byte(code, 0x0f);
	emit_byte(code, 0x80u | condition);
	emit_32(code, (int32_t)(to - (code->at + 4)));
}

static void emit_indirect(struct assemble_code *code, unsigned part, const uint8_t *pointer)
{
	emit_byte(code, 0xff);
	emit_byte(code, part << 3 | 5);
	emit_32(code, (int32_t)(pointer - (code->at + 4)));
}

void assemble_call(struct assemble_code *code, const uint8_t *pointer)
{
	emit_indirect(code, 2, pointer);
}

void assemble_jump_indirect(struct assemble_code *code, const uint8_t *pointer)
{
	emit_indirect(code, 4, pointer);
}

void assemble_push(struct assemble_code *code, int32_t constant)
{
	emit_byte(code, 0x68);
	emit_32(code, constant);
}

void assemble_return(struct assemble_code *code)
{
	emit_byte(code, 0xc3);
}
