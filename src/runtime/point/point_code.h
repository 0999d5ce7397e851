/*
 * Machine code for a point that is on: it writes the record of that one point, some 20 instructions
 * where there are numbers alone, and a call of point_text for each text. Whatever is not common (the
 * page is full, a signal handler runs, a text that may not be there, an entry of the call that is not
 * the last one) it leaves to point_stub, having changed nothing.
 */
#ifndef RUNTIME_POINT_POINT_CODE_H
#define RUNTIME_POINT_POINT_CODE_H

#include "runtime/point/point_hit.h"

#define POINT_CODE_MOST 1536u /* bytes of it */

/* What the code goes to, as addresses within reach of it. */
struct point_ways {
	uint64_t stub, stub_vectors, text, look, text_looked;
};

/*
 * Puts the code of the site there and returns its end. `plain`: nothing but the way to point_stub. Where
 * `can_stop` the site may be switched off later.
 */
uint8_t *point_code(const struct point_site *site, uint32_t number, bool plain, bool can_stop,
		    const struct point_ways *ways, uint8_t *at);

#endif
