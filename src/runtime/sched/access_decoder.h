/*
 * What the calling thread is about to access. Instrumented code writes only what the reader cannot
 * know (event/wire.h), so at a NOP the address is found as the reader finds it: by following the
 * thread's own records, slots included (src/trace/cursor.c is the other half of this).
 *
 * Compiled to use general registers only, and never allocates: it runs in front of accesses.
 */
#ifndef RUNTIME_SCHED_ACCESS_DECODER_H
#define RUNTIME_SCHED_ACCESS_DECODER_H

#include "event/event.h"
#include "event/wire.h"

#include <stddef.h>

/* The rows of a module, and where its image is. */
void access_decoder_module(const char *seg, uint32_t seg_bytes, uint64_t base, uint64_t end);

/*
 * At the NOP before `element` of the segment whose record is under construction at `record`: the
 * access, and its address. NULL: not known. Only in a thread that takes turns, outside of signal
 * handlers (their records are another stream's).
 */
const struct wire_element *access_decoder_next(const uint8_t *record, unsigned element,
					       uint64_t *address);

/* What that access, a write, is about to write: the first 8 bytes, if they are known. */
bool access_decoder_value(const struct wire_element *access, const uint8_t *record,
			  uint64_t *value);

/*
 * The site of a record of this kind that is made by a call that returns to `pc`: the element that the
 * last segment has for it (EV_SITE), as the reader will see it, or `pc` itself where there is none.
 */
uint64_t access_decoder_site(enum event_kind kind, uintptr_t pc);

/* Is this address in an instrumented module? */
bool access_decoder_is_instrumented(uintptr_t pc);

/* Of the calling thread's variables, what a new thread need not have cleared (fiber.h). */
void *access_decoder_scratch(size_t *bytes);

/* The lane is about to be emptied: catch up first. It is empty: start at its beginning. */
void access_decoder_before_flush(const struct wire_block *lane);
void access_decoder_after_flush(const struct wire_block *lane);

#endif
