/*
 * Opens the next page of a thread buffer. Compiled to use general registers only (see refill.S).
 *
 * A page is 1 KiB. A segment has at least two bytes per access, so a TIME record at the start of
 * each page means that there are never more than 1,000 accesses between two times. This is called
 * about once per hundred accesses and costs some 40 instructions.
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
	struct wire_block *buffer = __sooth_lane;

	if (!(buffer->flags & WIRE_BLOCK_LIVE) || buffer->cursor > THREAD_BUFFER_LAST(buffer) ||
	    thread_buffer_self.ended || thread_buffer_given_up)
		return false;

	uint8_t *start = (uint8_t *)buffer->cursor;
	struct codec_fields fields = { .t = __rdtsc() };
	struct codec next = thread_buffer_self.codec;
	uint8_t *end = codec_put_fields(&next, start + CODEC_SHORT_HEADER, "t", &fields);
	codec_put_header(start, EV_TIME, CODEC_SHORT_HEADER,
			 (size_t)(end - start) - CODEC_SHORT_HEADER);
	thread_buffer_self.next = next;
	thread_buffer_self.next_at = (uint64_t)end;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	buffer->cursor = (uint64_t)end;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread_buffer_self.codec = next;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	thread_buffer_self.next_at = 0;

	uint64_t limit = buffer->cursor + WIRE_PAGE;
	buffer->limit = limit < THREAD_BUFFER_LAST(buffer) ? limit : THREAD_BUFFER_LAST(buffer);
	return buffer->cursor <= buffer->limit;
}
