/*
 * Looks (event/point.h): what an argument points at, read by a step of its own, with a record. Only
 * from where vector registers may be used.
 */
#ifndef RUNTIME_POINT_POINT_POINTEE_H
#define RUNTIME_POINT_POINT_POINTEE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A text, at most POINT_STRING_MOST bytes; `to` has room for 8 more. Returns its length as a record
 * says it (POINT_STRING_CUT, POINT_STRING_UNREADABLE).
 */
unsigned point_pointee_text(uintptr_t pc, uint64_t address, uint8_t *to);

/* Up to 8 bytes; false: they cannot be read. */
bool point_pointee(uintptr_t pc, uint64_t address, unsigned size, uint64_t *value);

#endif
