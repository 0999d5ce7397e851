/*
 * Machine code, as far as points need it (point_code.c): instructions of x86-64 with a register and
 * a place, which is another register or somewhere in memory.
 */
#ifndef RUNTIME_POINT_ASSEMBLE_H
#define RUNTIME_POINT_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

/* As instructions number them; r8 to r15 are 8 to 15. */
enum assemble_register { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

#define ASSEMBLE_NOTHING 16 /* in the place of a register: none */

struct assemble_place {
	bool is_register; /* `base` itself */
	bool is_thread;	  /* memory of the thread: `displacement` from %fs */
	uint8_t base, index;
	uint8_t scale; /* 1, 2, 4, 8 */
	int32_t displacement;
};

/* An instruction: its opcode, and what stands in front of it. */
enum assemble_what {
	ASSEMBLE_WIDE = 1 << 16,  /* of 64 bits */
	ASSEMBLE_TWO = 1 << 17,	  /* the opcode has 0x0f in front */
	ASSEMBLE_SHORT = 1 << 18, /* 0x66: of 16 bits; of vector registers */
	ASSEMBLE_BYTE = 1 << 19,  /* of 8 bits: the register may be sil or dil */

	ASSEMBLE_LOAD = 0x8b | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_32 = 0x8b, /* loads extend to 64 bits */
	ASSEMBLE_LOAD_U16 = 0xb7 | ASSEMBLE_TWO,
	ASSEMBLE_LOAD_U8 = 0xb6 | ASSEMBLE_TWO | ASSEMBLE_BYTE,
	ASSEMBLE_LOAD_S32 = 0x63 | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_S16 = 0xbf | ASSEMBLE_TWO | ASSEMBLE_WIDE,
	ASSEMBLE_LOAD_S8 = 0xbe | ASSEMBLE_TWO | ASSEMBLE_WIDE,
	ASSEMBLE_STORE = 0x89 | ASSEMBLE_WIDE,
	ASSEMBLE_STORE_32 = 0x89,
	ASSEMBLE_STORE_16 = 0x89 | ASSEMBLE_SHORT,
	ASSEMBLE_STORE_8 = 0x88 | ASSEMBLE_BYTE,
	ASSEMBLE_STORE_VECTOR = 0xd6 | ASSEMBLE_TWO | ASSEMBLE_SHORT, /* its low half */
	ASSEMBLE_STORE_VECTOR_32 = 0x7e | ASSEMBLE_TWO | ASSEMBLE_SHORT,
	ASSEMBLE_ADDRESS = 0x8d | ASSEMBLE_WIDE,
	ASSEMBLE_ADD = 0x03 | ASSEMBLE_WIDE, /* to the register */
	ASSEMBLE_SUBTRACT = 0x2b | ASSEMBLE_WIDE,
	ASSEMBLE_COMPARE = 0x3b | ASSEMBLE_WIDE, /* the register with the place */
	ASSEMBLE_NEGATE = 0xf7 | ASSEMBLE_WIDE,	 /* the place; the register is 3 */
};

/* Those with a constant. */
enum assemble_constant {
	ASSEMBLE_PUT,	    /* 32 bits, sign-extended to 64 */
	ASSEMBLE_PUT_32,    /* 32 bits */
	ASSEMBLE_COMPARE_8, /* a byte with a byte */
	ASSEMBLE_COMPARE_32,
	ASSEMBLE_COMPARE_64,
	ASSEMBLE_TEST_8,
	ASSEMBLE_AND_64,
	ASSEMBLE_ADD_64,
};

enum assemble_condition {
	ASSEMBLE_BELOW = 2,
	ASSEMBLE_NOT_BELOW = 3,
	ASSEMBLE_EQUAL = 4,
	ASSEMBLE_NOT_EQUAL = 5,
	ASSEMBLE_NOT_ABOVE = 6,
	ASSEMBLE_ABOVE = 7,
};

/* Where code is put. What there is no room for is left out, and `full` is set. */
struct assemble_code {
	uint8_t *at;
	const uint8_t *end;
	bool full;
};

static inline struct assemble_place assemble_register(unsigned reg)
{
	return (struct assemble_place){ .is_register = true, .base = (uint8_t)reg };
}

static inline struct assemble_place assemble_memory(unsigned base, int32_t displacement)
{
	return (struct assemble_place){ .base = (uint8_t)base,
					.index = ASSEMBLE_NOTHING,
					.displacement = displacement };
}

static inline struct assemble_place assemble_thread(int32_t displacement)
{
	return (struct assemble_place){ .is_thread = true,
					.index = ASSEMBLE_NOTHING,
					.displacement = displacement };
}

void assemble(struct assemble_code *code, enum assemble_what what, unsigned reg,
	      struct assemble_place place);
void assemble_constant(struct assemble_code *code, enum assemble_constant what,
		       struct assemble_place place, int32_t constant);
/* A constant of 64 bits to a register. */
void assemble_put(struct assemble_code *code, unsigned reg, uint64_t constant);

/* A jump ahead: returns what assemble_here makes it lead to. Back: to where code was put. */
uint8_t *assemble_jump(struct assemble_code *code, enum assemble_condition condition);
void assemble_here(const struct assemble_code *code, uint8_t *jump);
void assemble_jump_back(struct assemble_code *code, enum assemble_condition condition,
			const uint8_t *to);

/* Through an address that lies at `pointer`, nearby. */
void assemble_call(struct assemble_code *code, const uint8_t *pointer);
void assemble_leave(struct assemble_code *code, const uint8_t *pointer); /* a jump */
void assemble_push(struct assemble_code *code, int32_t constant);
void assemble_return(struct assemble_code *code);

#endif
