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
	return !lane_is_due() && lane_next_page();
}

bool lane_next_page(void)
{
	struct wire_block *lane = __sooth_lane;

	if (!(lane->flags & WIRE_BLOCK_LIVE) || lane->flags & WIRE_BLOCK_GLOBAL ||
	    lane->cursor > LANE_LAST(lane) || lane_self.ended || lane_given_up)
		return false;

	uint8_t *start = (uint8_t *)lane->cursor;
	struct codec_fields fields = { .t = __rdtsc() };
	struct codec next = lane_self.codec;
	uint8_t *end = codec_put_fields(&next, start + CODEC_SHORT_HEADER, "t", &fields);
	codec_put_header(start, EV_TIME, CODEC_SHORT_HEADER,
			 (size_t)(end - start) - CODEC_SHORT_HEADER);
	lane_self.next = next;
	lane_self.next_at = (uint64_t)end;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->cursor = (uint64_t)end;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane_self.codec = next;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane_self.next_at = 0;

	uint64_t limit = lane->cursor + WIRE_PAGE;
	lane->limit = limit < LANE_LAST(lane) ? limit : LANE_LAST(lane);
	return lane->cursor <= lane->limit;
}
