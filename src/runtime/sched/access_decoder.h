/*
 * Finds the access that the calling thread is about to make. Instrumented code writes only what the
 * trace reader cannot know (event/wire.h), so a record need not contain the address. At a NOP, the
 * address is therefore found as in the trace reader (src/trace/cursor.c): by decoding the thread's
 * own records, with their slots.
 *
 * Runs right before accesses, where vector registers may be live. So it is compiled to use general
 * registers only. It never allocates.
 */
#ifndef RUNTIME_SCHED_ACCESS_DECODER_H
#define RUNTIME_SCHED_ACCESS_DECODER_H

#include "event/event.h"
#include "event/wire.h"

#include <stddef.h>

/* Adds the rows of a module, and the address range of its image. */
void access_decoder_module(const char *seg, uint32_t seg_bytes, uint64_t base, uint64_t end);

/*
 * Called at the NOP before `element` of the segment whose record is being written at `record`.
 * Returns the access and stores its address; NULL: not known. Call only in a thread that takes
 * turns, and not in signal handlers: their records are in another stream.
 */
const struct wire_element *access_decoder_next(const uint8_t *record, unsigned element,
					       uint64_t *address);

/* Finds the value that a write is about to store, at most its first 8 bytes. False: not known. */
bool access_decoder_value(const struct wire_element *access, const uint8_t *record,
			  uint64_t *value);

/*
 * Returns the site of a record of this kind. The record is made by a function that returns to `pc`.
 * The site is the EV_SITE element to which the trace reader will assign the record, or `pc` if
 * there is none.
 */
uint64_t access_decoder_site(enum event_kind kind, uintptr_t pc);

/* Is this address in an instrumented module? */
bool access_decoder_is_instrumented(uintptr_t pc);

/* Returns those variables of the calling thread that need no initialisation (see fiber.h). */
void *access_decoder_scratch(size_t *bytes);

/*
 * Call before and after a buffer is emptied. Before, the rest of the buffer is decoded. After,
 * decoding continues at the beginning of the buffer.
 */
void access_decoder_before_flush(const struct wire_block *buffer);
void access_decoder_after_flush(const struct wire_block *buffer);

#endif
