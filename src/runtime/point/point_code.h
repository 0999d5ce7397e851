/*
 * Generates the machine code of a point that is on. That code writes the point's record: some 20
 * instructions if all values are numbers, and a call of point_text for each text. It handles common
 * cases only. In all others (the buffer is full, a signal handler runs, a text may not be readable,
 * the last entry on the stack of calls is not that of the call) it jumps to point_stub before it
 * has changed anything.
 */
#ifndef RUNTIME_POINT_POINT_CODE_H
#define RUNTIME_POINT_POINT_CODE_H

#include "runtime/point/point_hit.h"

#define POINT_CODE_MOST 1536u /* maximum size of a point's code, in bytes */

/*
 * Addresses that the code jumps to or calls. They are stored here because the code can reach this
 * struct.
 */
struct point_targets {
	uint64_t stub, stub_vectors, text, look, text_looked;
};

/*
 * Writes the code of the site at `at` and returns the end of the code. `plain`: the code only jumps
 * to point_stub. `can_stop`: the site may be switched off later.
 */
uint8_t *point_code(const struct point_site *site, uint32_t number, bool plain, bool can_stop,
		    const struct point_targets *targets, uint8_t *at);

#endif
