/*
 * Opening the next page of a lane: compiled to use general registers only (see refill.S).
 *
 * A page is 1 KiB. A segment has at least two bytes for each access, so a TIME record at each new
 * page means that never more than 1,000 accesses lie between two times. One call in about a
 * hundred accesses; it costs some 40 instructions.
 */
#include "event/event.h"
#include "runtime/lane.h"
#include "runtime/refill.h"

#include <x86intrin.h>

bool lane_page(void)
{
	struct wire_block *lane = __sooth_lane;

	if (!(lane->flags & WIRE_BLOCK_LIVE) || lane->flags & WIRE_BLOCK_GLOBAL ||
	    lane->cursor > LANE_LAST(lane))
		return false;

	uint64_t now = __rdtsc();
	uint64_t passed = now - lane_self.time;
	uint8_t *start = (uint8_t *)lane->cursor;
	uint8_t *p = start + 4;
	lane_self.time = now;
	for (; passed >= 128; passed >>= 7)
		*p++ = (uint8_t)(passed | 128);
	*p++ = (uint8_t)passed;
	*(uint32_t *)start = WIRE_RECORD(EV_TIME, p - start - 4);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->cursor = (uint64_t)p;

	uint64_t limit = lane->cursor + WIRE_PAGE;
	lane->limit = limit < LANE_LAST(lane) ? limit : LANE_LAST(lane);
	return lane->cursor <= lane->limit;
}
