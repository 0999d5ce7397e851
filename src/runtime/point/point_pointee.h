/*
 * A look (event/point.h) reads what an argument points to, as a separate step with its own record.
 * These functions may be called only where vector registers may be used.
 */
#ifndef RUNTIME_POINT_POINT_POINTEE_H
#define RUNTIME_POINT_POINT_POINTEE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a text of at most POINT_STRING_MOST bytes. `to` needs room for 8 more bytes. Returns the
 * length, encoded as in a record (POINT_STRING_CUT, POINT_STRING_UNREADABLE).
 */
unsigned point_pointee_text(uintptr_t pc, uint64_t address, uint8_t *to);

/* Reads up to 8 bytes. Returns false if they cannot be read. */
bool point_pointee(uintptr_t pc, uint64_t address, unsigned size, uint64_t *value);

#endif
