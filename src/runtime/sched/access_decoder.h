/*
 * Finds what the calling thread is about to access. Instrumented code only writes what the reader
 * cannot know (event/wire.h). So at a NOP the address is found in the same way as in the reader: by
 * decoding the thread's own records, including slots. src/trace/cursor.c is the reader's version of
 * this.
 *
 * Compiled to use general registers only, and never allocates, since it runs before accesses.
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
 * Returns the access and its address; NULL: not known. Only in a thread that takes turns, and not
 * in signal handlers (their records are in another stream).
 */
const struct wire_element *access_decoder_next(const uint8_t *record, unsigned element,
					       uint64_t *address);

/* Finds the value that this write is about to store: the first 8 bytes, if they are known. */
bool access_decoder_value(const struct wire_element *access, const uint8_t *record,
			  uint64_t *value);

/*
 * Returns the site of a record of this kind that is made by a call that returns to `pc`: the
 * EV_SITE element of the last segment, as the reader will see it, or `pc` if there is none.
 */
uint64_t access_decoder_site(enum event_kind kind, uintptr_t pc);

/* Is this address in an instrumented module? */
bool access_decoder_is_instrumented(uintptr_t pc);

/* The calling thread's variables that need no initialisation in a new thread (see fiber.h). */
void *access_decoder_scratch(size_t *bytes);

/* Around emptying a buffer: first the decoder catches up, then it starts at the beginning. */
void access_decoder_before_flush(const struct wire_block *buffer);
void access_decoder_after_flush(const struct wire_block *buffer);

#endif
