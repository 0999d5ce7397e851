/*
 * A small assembler for the machine code of points (point_code.c). It encodes x86-64 instructions
 * that have a register and an operand, which is another register or memory.
 */
#ifndef RUNTIME_POINT_ASSEMBLE_H
#define RUNTIME_POINT_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

/* Numbered as in instructions. R12 to R15 have no names here; their numbers are 12 to 15. */
enum assemble_register { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

#define ASSEMBLE_NOTHING 16 /* no register */

struct assemble_operand {
	bool is_register; /* the operand is the register `base` itself */
	bool is_thread;	  /* thread-local memory at `displacement` from %fs */
	uint8_t base, index;
	uint8_t scale; /* factor of `index`: 1, 2, 4, 8 */
	int32_t displacement;
};

/* Instructions, as an opcode and its prefixes. */
enum assemble_instruction {
	ASSEMBLE_WIDE = 1 << 16,      /* the operation has 64 bits */
	ASSEMBLE_PREFIX_0F = 1 << 17, /* the opcode has the prefix 0x0f */
	ASSEMBLE_PREFIX_66 = 1 << 18, /* 0x66: 16-bit operation, or vector register */
	ASSEMBLE_BYTE = 1 << 19,      /* 8-bit operation: sil and dil need a prefix */

	ASSEMBLE_LOAD = 0x8b | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_32 = 0x8b, /* loads extend the value to 64 bits */
	ASSEMBLE_LOAD_U16 = 0xb7 | ASSEMBLE_PREFIX_0F,
	ASSEMBLE_LOAD_U8 = 0xb6 | ASSEMBLE_PREFIX_0F | ASSEMBLE_BYTE,
	ASSEMBLE_LOAD_S32 = 0x63 | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_S16 = 0xbf | ASSEMBLE_PREFIX_0F | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_S8 = 0xbe | ASSEMBLE_PREFIX_0F | ASSEMBLE_WIDE,
	ASSEMBLE_STORE = 0x89 | ASSEMBLE_WIDE,
	ASSEMBLE_STORE_32 = 0x89,
	ASSEMBLE_STORE_16 = 0x89 | ASSEMBLE_PREFIX_66,
	ASSEMBLE_STORE_8 = 0x88 | ASSEMBLE_BYTE,
	ASSEMBLE_STORE_VECTOR = 0xd6 | ASSEMBLE_PREFIX_0F | ASSEMBLE_PREFIX_66, /* low 8 bytes */
	ASSEMBLE_STORE_VECTOR_32 = 0x7e | ASSEMBLE_PREFIX_0F | ASSEMBLE_PREFIX_66,
	ASSEMBLE_ADDRESS = 0x8d | ASSEMBLE_WIDE,
	ASSEMBLE_ADD = 0x03 | ASSEMBLE_WIDE, /* adds the operand */
	ASSEMBLE_SUBTRACT = 0x2b | ASSEMBLE_WIDE,
	ASSEMBLE_COMPARE = 0x3b | ASSEMBLE_WIDE, /* compares the register with it */
	ASSEMBLE_NEGATE = 0xf7 | ASSEMBLE_WIDE,	 /* negates the operand; reg is 3 */
};

/* Instructions that have a constant operand. */
enum assemble_constant {
	ASSEMBLE_STORE_CONSTANT,    /* 32 bits, sign-extended to 64 */
	ASSEMBLE_STORE_CONSTANT_32, /* 32 bits */
	ASSEMBLE_COMPARE_8,	    /* compares bytes */
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

/* The memory that code is written to. Code that does not fit is dropped, and `full` is set. */
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
 * assemble_jump() emits a jump whose target is set later, by assemble_set_jump_target().
 * assemble_jump_back() emits a jump to code that has been emitted before.
 */
uint8_t *assemble_jump(struct assemble_code *code, enum assemble_condition condition);
void assemble_set_jump_target(const struct assemble_code *code, uint8_t *jump);
void assemble_jump_back(struct assemble_code *code, enum assemble_condition condition,
			const uint8_t *to);

/*
 * assemble_call() calls the function whose address is stored at `pointer`, which must be within
 * reach; assemble_jump_indirect() jumps to it.
 */
void assemble_call(struct assemble_code *code, const uint8_t *pointer);
void assemble_jump_indirect(struct assemble_code *code, const uint8_t *pointer);
void assemble_push(struct assemble_code *code, int32_t constant);
void assemble_return(struct assemble_code *code);

#endif
