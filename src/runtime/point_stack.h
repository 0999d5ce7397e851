/*
 * The arguments of calls that have not returned, per thread, for the points at their ends. An entry
 * is dropped when the stack has grown back past the frame it was made in: functions are also left by
 * exceptions, longjmp and the end of the thread.
 */
#ifndef RUNTIME_POINT_STACK_H
#define RUNTIME_POINT_STACK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Room for the values of a call at the point `number`, where the program's stack pointer is `sp`; NULL:
 * there is none, and the return will not find it.
 */
uint8_t *point_stack_room(uint32_t number, uint64_t sp, size_t most);

/* They are there, so many bytes. */
void point_stack_push(uint32_t number, uint64_t sp, size_t bytes);

/*
 * The innermost open call of `function`: takes it off, if its values have at most so many bytes. Returns
 * its number; 0: not known.
 */
#define POINT_STACK_TOO_LONG UINT32_MAX
uint32_t point_stack_pop(uint32_t function, uint64_t sp, size_t most, const uint8_t **values,
			 size_t *bytes);

#endif
