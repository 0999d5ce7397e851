/* Where to find a value at the NOP of a point. Parsed once, from the assembler's text. */
#ifndef RUNTIME_POINT_POINT_OPERAND_H
#define RUNTIME_POINT_POINT_OPERAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum point_how { POINT_NOWHERE, POINT_CONSTANT, POINT_REGISTER, POINT_MEMORY, POINT_VECTOR };

#define POINT_NO_REGISTER 16

/* Registers are numbered as in instructions: rax rcx rdx rbx rsp rbp rsi rdi r8 ... r15. */
struct point_operand {
	uint8_t how;
	uint8_t reg;   /* MEMORY: base register; REGISTER, VECTOR: the register */
	uint8_t index; /* MEMORY: index register, multiplied by `scale` */
	uint8_t scale;
	char letter;   /* type of the value (event/point.h) */
	char pointed;  /* type of the pointee; 'o': not known */
	int64_t value; /* CONSTANT; MEMORY: displacement */
};

/*
 * Fills in all fields except `letter` and `pointed`. `how` is NOWHERE if the value cannot be found
 * at run time.
 */
void point_parse_operand(const char *text, size_t length, struct point_operand *operand);

/* Extends a value of a type to 8 bytes, as in records. Only the low bytes of `value` count. */
static inline uint64_t point_extend(uint64_t value, char letter)
{
	switch (letter) {
	case 'b': return (uint64_t)(int8_t)value;
	case 'h': return (uint64_t)(int16_t)value;
	case 'i': return (uint64_t)(int32_t)value;
	case 'B': return (uint8_t)value;
	case 'H': return (uint16_t)value;
	case 'I':
	case 'f': return (uint32_t)value;
	default: return value;
	}
}

#endif
