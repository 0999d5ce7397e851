/*
 * Opening the next page of a lane: compiled to use general registers only (see refill.S).
 *
 * A page is 1 KiB. A segment has at least two bytes for each access, so a TIME record at each new
 * page means that never more than 1,000 accesses lie between two times. One call in about a
 * hundred accesses; it costs some 40 instructions.
 */
#include "event/event.h"
#include "runtime/buffer/thread_buffer.h"
#include "runtime/buffer/refill.h"

#include <x86intrin.h>

bool thread_buffer_page(void)
{
	return !thread_buffer_is_due() && thread_buffer_next_page();
}

bool thread_buffer_next_page(void)
{
	struct wire_block *lane = __sooth_lane;

	if (!(lane->flags & WIRE_BLOCK_LIVE) || lane->cursor > THREAD_BUFFER_LAST(lane) ||
	    thread_buffer_self.ended || thread_buffer_given_up)
		return false;

	uint8_t *start = (uint8_t *)lane->cursor;
	struct codec_fields fields = { .t = __rdtsc() };
	struct codec next = thread_buffer_self.codec;
	uint8_t *end = codec_put_fields(&next, start + CODEC_SHORT_HEADER, "t", &fields);
	codec_put_header(start, EV_TIME, CODEC_SHORT_HEADER,
			 (size_t)(end - start) - CODEC_SHORT_HEADER);
	thread_buffer_self.next = next;
	thread_buffer_self.next_at = (uint64_t)end;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	lane->cursor = (uint64_t)end;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread_buffer_self.codec = next;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread_buffer_self.next_at = 0;

	uint64_t limit = lane->cursor + WIRE_PAGE;
	lane->limit = limit < THREAD_BUFFER_LAST(lane) ? limit : THREAD_BUFFER_LAST(lane);
	return lane->cursor <= lane->limit;
}
