/*
 * The stack of open calls of a thread: what a RETURN needs to know about its call. An entry
 * contains the stack pointer at its call, which shows whether the call is still open. If an
 * exception, longjmp or the end of the thread has left a call, its entry is removed when the
 * program's stack has shrunk past it.
 *
 * The code that is generated for points (point_code.c) depends on this layout.
 */
#ifndef RUNTIME_POINT_POINT_STACK_H
#define RUNTIME_POINT_POINT_STACK_H

#include "runtime/buffer/thread_buffer.h"

#include <stddef.h>
#include <stdint.h>

/*
 * An entry. It is stored after its values, which take a multiple of 8 bytes, so entries are found
 * from the top of the stack.
 */
struct point_open {
	uint64_t sp;
	uint32_t function; /* as in struct point_site */
	uint16_t bytes;	   /* size of the values, without padding */
	uint16_t number;
	uint32_t coded; /* the number as LEB128, in the lowest `coded_bytes` bytes */
	uint32_t coded_bytes;
};

/*
 * If an entry's stack pointer is farther away than this, it belongs to another stack (swapcontext).
 */
#define POINT_FRAME_MOST (1u << 20)

struct point_stack_self {
	uint8_t *top;	/* end of the last entry. There is always one: the bottom, for function 0 */
	uint8_t *limit; /* `top` must be below it. NULL: no stack, or a call had no room on it */
	struct point_stack *stack;
	uint64_t lost; /* the stack pointer when a call had no room; 0: no such call is open */
};
extern SOOTH_TLS struct point_stack_self point_stack_self;

/*
 * Returns room for the values of a call at the point `number`; `sp` is the program's stack pointer.
 * Returns NULL if there is no room; then the RETURN will not find the call.
 */
uint8_t *point_stack_room(uint32_t number, uint64_t sp);

/* Pushes the entry of that call, after `bytes` bytes of values have been written to the room. */
void point_stack_push(uint32_t number, uint64_t sp, size_t bytes);

/*
 * Removes the innermost open call of `function`. Returns the number of the point that began it, or
 * 0 if the call is not known.
 */
uint32_t point_stack_pop(uint32_t function, uint64_t sp, const uint8_t **values, size_t *bytes);

/* Returns the entry of a call, with no stack pointer yet; `bytes` may be set later. */
struct point_open point_stack_entry(uint32_t number, size_t bytes);

#endif
