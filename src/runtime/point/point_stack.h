/*
 * What a RETURN knows of its call: each thread has a stack of open calls, next to the program's
 * stack. An entry contains the stack pointer of its call, which shows whether the call is still
 * open. Entries left by exceptions, longjmp and the end of the thread are removed when the
 * program's stack has shrunk past them.
 *
 * The code that is generated for points (point_code.c) depends on this layout.
 */
#ifndef RUNTIME_POINT_POINT_STACK_H
#define RUNTIME_POINT_POINT_STACK_H

#include "runtime/buffer/thread_buffer.h"

#include <stddef.h>
#include <stdint.h>

/* An entry follows its values, which take a multiple of 8 bytes: it is found from the top. */
struct point_open {
	uint64_t sp;
	uint32_t function; /* of the site */
	uint16_t bytes;	   /* size of the values */
	uint16_t number;
	uint32_t coded; /* the number as LEB128, and how many bytes of it count */
	uint32_t coded_bytes;
};

/* A larger distance on the stack means that it is another stack (swapcontext). */
#define POINT_FRAME_MOST (1u << 20)

struct point_stack_self {
	uint8_t *top;	/* after the last entry; there is always one, of no function */
	uint8_t *limit; /* no room from here on. NULL: no stack, or a call is not on it */
	struct point_stack *stack;
	uint64_t lost; /* the stack pointer when there was no room; 0: there was always room */
};
extern SOOTH_TLS struct point_stack_self point_stack_self;

/*
 * Returns room for the values of a call at the point `number`, where the program's stack pointer is
 * `sp`. NULL: there is none, and the return will not find the call.
 */
uint8_t *point_stack_room(uint32_t number, uint64_t sp);

/* Pushes the entry: `bytes` of values have been written. */
void point_stack_push(uint32_t number, uint64_t sp, size_t bytes);

/* Removes the innermost open call of `function`. Returns its number; 0: not known. */
uint32_t point_stack_pop(uint32_t function, uint64_t sp, const uint8_t **values, size_t *bytes);

/* Returns the entry of a call without its stack pointer; `bytes` may be set later. */
struct point_open point_stack_entry(uint32_t number, size_t bytes);

#endif
