/*
 * A small assembler for the machine code of points (point_code.c): x86-64 instructions with a
 * register and an operand, which is another register or memory.
 */
#ifndef RUNTIME_POINT_ASSEMBLE_H
#define RUNTIME_POINT_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

/* As instructions number them; r8 to r15 are 8 to 15. */
enum assemble_register { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

#define ASSEMBLE_NOTHING 16 /* no register */

struct assemble_operand {
	bool is_register; /* `base` itself */
	bool is_thread;	  /* thread-local memory: `displacement` from %fs */
	uint8_t base, index;
	uint8_t scale; /* 1, 2, 4, 8 */
	int32_t displacement;
};

/* An instruction: its opcode and prefixes. */
enum assemble_instruction {
	ASSEMBLE_WIDE = 1 << 16,      /* 64 bits */
	ASSEMBLE_PREFIX_0F = 1 << 17, /* the opcode has the prefix 0x0f */
	ASSEMBLE_PREFIX_66 = 1 << 18, /* 0x66: 16 bits; vector registers */
	ASSEMBLE_BYTE = 1 << 19,      /* 8 bits: the register may be sil or dil */

	ASSEMBLE_LOAD = 0x8b | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_32 = 0x8b, /* loads extend to 64 bits */
	ASSEMBLE_LOAD_U16 = 0xb7 | ASSEMBLE_PREFIX_0F,
	ASSEMBLE_LOAD_U8 = 0xb6 | ASSEMBLE_PREFIX_0F | ASSEMBLE_BYTE,
	ASSEMBLE_LOAD_S32 = 0x63 | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_S16 = 0xbf | ASSEMBLE_PREFIX_0F | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_S8 = 0xbe | ASSEMBLE_PREFIX_0F | ASSEMBLE_WIDE,
	ASSEMBLE_STORE = 0x89 | ASSEMBLE_WIDE,
	ASSEMBLE_STORE_32 = 0x89,
	ASSEMBLE_STORE_16 = 0x89 | ASSEMBLE_PREFIX_66,
	ASSEMBLE_STORE_8 = 0x88 | ASSEMBLE_BYTE,
	ASSEMBLE_STORE_VECTOR = 0xd6 | ASSEMBLE_PREFIX_0F | ASSEMBLE_PREFIX_66, /* its low half */
	ASSEMBLE_STORE_VECTOR_32 = 0x7e | ASSEMBLE_PREFIX_0F | ASSEMBLE_PREFIX_66,
	ASSEMBLE_ADDRESS = 0x8d | ASSEMBLE_WIDE,
	ASSEMBLE_ADD = 0x03 | ASSEMBLE_WIDE, /* to the register */
	ASSEMBLE_SUBTRACT = 0x2b | ASSEMBLE_WIDE,
	ASSEMBLE_COMPARE = 0x3b | ASSEMBLE_WIDE, /* the register with the operand */
	ASSEMBLE_NEGATE = 0xf7 | ASSEMBLE_WIDE,	 /* the operand; the register must be 3 */
};

/* Instructions with a constant. */
enum assemble_constant {
	ASSEMBLE_STORE_CONSTANT,    /* 32 bits, sign-extended to 64 */
	ASSEMBLE_STORE_CONSTANT_32, /* 32 bits */
	ASSEMBLE_COMPARE_8,	    /* a byte with a byte */
	ASSEMBLE_COMPARE_32,
	ASSEMBLE_COMPARE_64,
	ASSEMBLE_TEST_8,
	ASSEMBLE_AND_64,
	ASSEMBLE_ADD_64,
};

enum assemble_condition {
	ASSEMBLE_NOT_BELOW = 3,
	ASSEMBLE_EQUAL = 4,
	ASSEMBLE_NOT_EQUAL = 5,
	ASSEMBLE_ABOVE = 7,
};

/* Where code is written. Code that does not fit is dropped, and `full` is set. */
struct assemble_code {
	uint8_t *at;
	const uint8_t *end;
	bool full;
};

static inline struct assemble_operand assemble_register(unsigned reg)
{
	return (struct assemble_operand){ .is_register = true, .base = (uint8_t)reg };
}

static inline struct assemble_operand assemble_memory(unsigned base, int32_t displacement)
{
	return (struct assemble_operand){ .base = (uint8_t)base,
					  .index = ASSEMBLE_NOTHING,
					  .displacement = displacement };
}

static inline struct assemble_operand assemble_thread(int32_t displacement)
{
	return (struct assemble_operand){ .is_thread = true,
					  .index = ASSEMBLE_NOTHING,
					  .displacement = displacement };
}

void assemble(struct assemble_code *code, enum assemble_instruction instruction, unsigned reg,
	      struct assemble_operand operand);
void assemble_constant(struct assemble_code *code, enum assemble_constant instruction,
		       struct assemble_operand operand, int32_t constant);
/* Loads a 64-bit constant into a register. */
void assemble_load_constant(struct assemble_code *code, unsigned reg, uint64_t constant);

/*
 * assemble_jump() jumps ahead to where assemble_set_jump_target() is called with its result.
 * assemble_jump_back() jumps to code that exists already.
 */
uint8_t *assemble_jump(struct assemble_code *code, enum assemble_condition condition);
void assemble_set_jump_target(const struct assemble_code *code, uint8_t *jump);
void assemble_jump_back(struct assemble_code *code, enum assemble_condition condition,
			const uint8_t *to);

/* Calls or jumps to the address that is stored at `pointer`, nearby. */
void assemble_call(struct assemble_code *code, const uint8_t *pointer);
void assemble_jump_indirect(struct assemble_code *code, const uint8_t *pointer); /* a jump */
void assemble_push(struct assemble_code *code, int32_t constant);
void assemble_return(struct assemble_code *code);

#endif
