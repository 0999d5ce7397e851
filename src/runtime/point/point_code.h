/*
 * Generates the machine code of a point that is on. It writes the record of that point: some 20
 * instructions if all values are numbers, and a call of point_text for each text. Uncommon cases
 * (the page is full, a signal handler runs, a text may not be readable, the call's entry is not the
 * last one) go to point_stub, without having changed anything.
 */
#ifndef RUNTIME_POINT_POINT_CODE_H
#define RUNTIME_POINT_POINT_CODE_H

#include "runtime/point/point_hit.h"

#define POINT_CODE_MOST 1536u /* its size in bytes */

/* Addresses that the code jumps to or calls, stored within its reach. */
struct point_targets {
	uint64_t stub, stub_vectors, text, look, text_looked;
};

/*
 * Writes the code of the site at `at` and returns its end. `plain`: only the jump to point_stub.
 * `can_stop`: the site may be switched off later.
 */
uint8_t *point_code(const struct point_site *site, uint32_t number, bool plain, bool can_stop,
		    const struct point_targets *targets, uint8_t *at);

#endif
