/*
 * What a RETURN knows of its call: a stack beside the program's, for each thread. An entry is of the
 * call of which the stack pointer it was made with says that it is still open; what is left behind by
 * exceptions, longjmp and the end of the thread goes when the program's stack has shrunk past it.
 *
 * Code that is made for points (point_code.c) uses it as it lies here.
 */
#ifndef RUNTIME_POINT_POINT_STACK_H
#define RUNTIME_POINT_POINT_STACK_H

#include "runtime/buffer/thread_buffer.h"

#include <stddef.h>
#include <stdint.h>

/* Behind its values, which take a multiple of 8 bytes, so that the last one is found from the top. */
struct point_open {
	uint64_t sp;
	uint32_t function; /* of the site */
	uint16_t bytes;	   /* of values */
	uint16_t number;
	uint32_t coded; /* the number as LEB128, and how many bytes of it count */
	uint32_t coded_bytes;
};

/* What is further away than this on the stack is another stack (swapcontext). */
#define POINT_FRAME_MOST (1u << 20)

struct point_stack_self {
	uint8_t *top; /* behind the last entry; there always is one, of no function */
	uint8_t *
		limit; /* from here on there is no room. NULL: no stack, or some call is not on it */
	struct point_stack *stack;
	uint64_t lost; /* where the stack pointer was when there was no room; 0: there always was */
};
extern SOOTH_TLS struct point_stack_self point_stack_self;

/*
 * Room for the values of a call at the point `number`, where the program's stack pointer is `sp`; NULL:
 * there is none, and the return will not find it.
 */
uint8_t *point_stack_room(uint32_t number, uint64_t sp);

/* They are there, so many bytes. */
void point_stack_push(uint32_t number, uint64_t sp, size_t bytes);

/* The innermost open call of `function`: takes it off. Returns its number; 0: not known. */
uint32_t point_stack_pop(uint32_t function, uint64_t sp, const uint8_t **values, size_t *bytes);

/* The entry of a call but for its stack pointer; `bytes` may be set later. */
struct point_open point_stack_entry(uint32_t number, size_t bytes);

#endif
