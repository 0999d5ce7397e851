/*
 * What the calling thread is about to access. Instrumented code writes only what the reader cannot
 * know (event/wire.h), so at a NOP the address is found as the reader finds it: by following the
 * thread's own records, slots included.
 */
#ifndef RUNTIME_FOLLOW_H
#define RUNTIME_FOLLOW_H

#include "event/event.h"
#include "event/wire.h"

struct follow_access {
	enum event_kind kind; /* EV_READ or EV_WRITE */
	uint8_t flags;
	uint32_t size;
	uint64_t address;
	uint64_t value; /* a write's, first 8 bytes, when has_value */
	bool has_value;
	const struct wire_element *site;
};

/* At the NOP before `element` of the segment whose record is under construction at `record`. */
void follow_next(const uint8_t *record, unsigned element, struct follow_access *access);

/* The site that the last segment names for the record to come (EV_SITE), or NULL. */
const struct wire_element *follow_site(void);

/* The lane is about to be emptied, or changes: catch up first / start at its beginning. */
void follow_before_flush(void);
void follow_after_flush(void);

/* ---- patch.c ---- */

/* Makes every NOP of every module that is loaded now (and later) call the scheduler. */
void patch_start(void);
void patch_module(const char *path, uintptr_t base);

#endif
