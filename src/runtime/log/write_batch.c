/* Collects full blocks of a busy thread and writes them together: see write_batch.h. */
#include "runtime/log/write_batch.h"

#include "runtime/log/ring.h"
#include "runtime/sched/sched.h"

#include <emmintrin.h>
#include <stdatomic.h>

static struct wire_block *chunk_of(const struct write_batch *batch, unsigned number)
{
	return (struct wire_block *)((uint8_t *)batch->first + (size_t)number * WIRE_CHUNK);
}

/* Has the thread written as many blocks as a batch holds? Then it will probably write more. */
static bool is_busy(const struct wire_block *block)
{
	return block->number >= RING_BATCH && log_is_long() && !sched_active;
}

static bool is_full(const struct wire_block *block)
{
	return wire_block_room(block->bytes) == WIRE_CHUNK;
}

/*
 * Copies with stores that bypass the caches: this processor does not read the copy again, while the
 * thread buffer stays in the cache for its next use. Letting the thread write its records to the
 * batch directly was more expensive: the kernel reads the batch on another processor, and each
 * cache line then has to be fetched back (0.25 ns per byte of the thread's time, against 0.1 for
 * the copy). The header is written last; until then the chunk is not live.
 */
static void copy_block(struct wire_block *to, const struct wire_block *from)
{
	const __m128i *source = (const __m128i *)from;
	__m128i *target = (__m128i *)to;
	size_t header = sizeof(*from) / sizeof(*source);

	for (size_t i = header; i < WIRE_CHUNK / sizeof(*source); i += 4) {
		__m128i a = _mm_load_si128(&source[i]), b = _mm_load_si128(&source[i + 1]);
		__m128i c = _mm_load_si128(&source[i + 2]), d = _mm_load_si128(&source[i + 3]);
		_mm_stream_si128(&target[i], a);
		_mm_stream_si128(&target[i + 1], b);
		_mm_stream_si128(&target[i + 2], c);
		_mm_stream_si128(&target[i + 3], d);
	}
	_mm_sfence();
	uint32_t flags = from->flags;
	*to = *from;
	to->flags = flags & ~(uint32_t)WIRE_BLOCK_LIVE;
	atomic_signal_fence(memory_order_seq_cst);
	to->flags = flags;
}

/*
 * Writes the batch to the log and then marks its chunks as not live. If the process is killed in
 * between, their blocks exist twice.
 */
static enum log_result write_out(struct write_batch *batch)
{
	enum log_result result =
		batch->filled ? log_append_batch(batch->first, batch->filled) : LOG_WRITTEN;

	while (result == LOG_WRITTEN && batch->filled)
		chunk_of(batch, --batch->filled)->flags = 0;
	return result;
}

static enum log_result add(struct write_batch *batch, const struct wire_block *block)
{
	log_count(WIRE_CHUNK);
	copy_block(chunk_of(batch, batch->filled), block);
	if (++batch->filled < RING_BATCH)
		return LOG_WRITTEN;
	return write_out(batch);
}

enum log_result write_batch_append(struct write_batch *batch, const struct wire_block *block)
{
	if (!batch->first && is_busy(block))
		batch->first = ring_take_batch();
	if (batch->first && is_full(block))
		return add(batch, block);
	return log_append(block);
}

enum log_result write_batch_end(struct write_batch *batch, const struct wire_block *last)
{
	enum log_result result = batch->first ? write_out(batch) : LOG_WRITTEN;

	if (result != LOG_WRITTEN)
		return result;
	if (batch->first)
		ring_give_batch(batch->first);
	batch->first = NULL;
	return log_append(last);
}
