/*
 * Finds the blocks in the files of a trace and sorts them into streams.
 *
 * A log file is a sequence of blocks, each at a multiple of 64 bytes. The runtime reserves the
 * space of a block before it writes the block, so a killed process can leave holes (zeros) between
 * blocks and an incomplete block at the end. The missing blocks are still in the file `ring`, which
 * keeps each block until it has been written to a log file.
 */
#include "base/mem.h"
#include "base/sort.h"
#include "trace/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define HEADER sizeof(struct wire_block)

static bool is_header(const uint8_t *p, size_t left, struct wire_block *header)
{
	if (left < HEADER)
		return false;
	memcpy(header, p, HEADER);
	return header->magic == WIRE_BLOCK_MAGIC && header->bytes <= WIRE_CHUNK - HEADER;
}

/* Returns where the next block starts after damage, or the end of the file if there is none. */
static size_t find_header(const struct file_view *view, size_t at)
{
	struct wire_block header;

	for (at = (at + 64) & ~(size_t)63; at < view->size; at += 64) {
		if (is_header(view->data + at, view->size - at, &header))
			return at;
	}
	return view->size;
}

static bool all_zero(const uint8_t *p, size_t size)
{
	return !size || (!p[0] && !memcmp(p, p + 1, size - 1));
}

static struct store_block from_header(const struct wire_block *header)
{
	return (struct store_block){
		.stream = header->stream,
		.flags = header->flags,
		.number = header->number,
		.time = header->time,
		.spare = header->spare,
	};
}

void store_scan_log(struct trace *trace, uint32_t file)
{
	const struct file_view *view = &trace->views.items[file];
	const char *name = trace->files.items[file];

	for (size_t at = 0; at < view->size;) {
		struct wire_block header;
		struct store_block block;

		if (!is_header(view->data + at, view->size - at, &header)) {
			size_t next = find_header(view, at);

			if (!all_zero(view->data + at, next - at) && next - at >= HEADER)
				store_problem(trace,
					      "%s: offset %#zx: no block here; %zu bytes skipped",
					      name, at, next - at);
			at = next;
			continue;
		}
		block = from_header(&header);
		block.file = file;
		block.offset = at + HEADER;
		block.data = view->data + block.offset;
		block.cut = header.bytes > view->size - block.offset;
		block.bytes = block.cut ? (uint32_t)(view->size - block.offset) : header.bytes;
		*vec_push(&trace->blocks) = block;
		at += wire_block_room(block.bytes);
	}
}

void store_scan_ring(struct trace *trace, uint32_t file)
{
	const struct file_view *view = &trace->views.items[file];

	for (size_t at = 0; at + HEADER <= view->size; at += WIRE_CHUNK) {
		struct wire_block header;
		struct store_block block;
		uint64_t filled;

		memcpy(&header, view->data + at, HEADER);
		if (header.magic != WIRE_BLOCK_MAGIC || !(header.flags & WIRE_BLOCK_LIVE))
			continue;
		filled = header.cursor - header.base - HEADER;
		if (filled > WIRE_CHUNK - HEADER) {
			store_problem(trace,
				      "%s: offset %#zx: a chunk whose cursor is outside of it",
				      trace->files.items[file], at);
			continue;
		}
		block = from_header(&header);
		block.file = file;
		block.from_ring = true;
		block.offset = at + HEADER;
		block.data = view->data + block.offset;
		block.cut = filled > view->size - block.offset;
		block.bytes = (uint32_t)(block.cut ? view->size - block.offset : filled);
		*vec_push(&trace->blocks) = block;
	}
}

/* ---- streams --------------------------------------------------------------------------------- */

/* By stream and position in it. Of two copies of a block, the one with more records comes first. */
SORT_COMPARISON(by_stream, struct store_block, a, b,
		sort_order(a->stream, b->stream) ?: sort_order(a->number, b->number)
			?: sort_order(b->bytes, a->bytes) ?: sort_order(b->from_ring, a->from_ring))

static bool same_block(const struct store_block *a, const struct store_block *b)
{
	return a->stream == b->stream && a->number == b->number;
}

static void drop_copies(struct trace *trace)
{
	size_t kept = 0;

	for (size_t i = 0; i < trace->blocks.count; i++) {
		const struct store_block *b = &trace->blocks.items[i];

		if (kept && same_block(&trace->blocks.items[kept - 1], b)) {
			trace->blocks.items[kept - 1].flags |= b->flags & WIRE_BLOCK_LAST;
			continue;
		}
		trace->blocks.items[kept++] = *b;
	}
	trace->blocks.count = kept;
}

static void add_stream(struct trace *trace, size_t from, size_t to)
{
	const struct store_block *blocks = &trace->blocks.items[from];
	struct store_stream stream = {
		.about = { .number = blocks->stream, .host = TRACE_NONE },
		.owner = TRACE_NONE,
		.blocks = blocks,
		.count = to - from,
	};

	for (size_t i = 0; i < to - from; i++) {
		const struct store_block *b = &blocks[i];
		bool cut = i && blocks[i - 1].cut;

		if (cut || b->number != i) {
			stream.gap =
				cut ? mem_format("stream %" PRIu32 ": block %zu is not complete",
						 b->stream, i - 1)
				    : mem_format("stream %" PRIu32
						 ": block %zu is missing, the next "
						 "one there is %" PRIu64,
						 b->stream, i, b->number);
			stream.count = i;
			break;
		}
		stream.about.bytes += b->bytes;
		stream.about.ended |= (b->flags & WIRE_BLOCK_LAST) != 0;
		if (b->flags & WIRE_BLOCK_HANDLER && b->spare < UINT32_MAX)
			stream.about.host = (uint32_t)b->spare;
	}
	stream.about.blocks = stream.count;
	if (stream.gap)
		store_problem(trace, "%s: reading of the stream stops there", stream.gap);
	*vec_push(&trace->streams) = stream;
}

static uint32_t find_interrupted_stream(const struct trace *trace, uint32_t i)
{
	uint32_t number = trace->streams.items[i].about.host;

	return number == TRACE_NONE ? TRACE_NONE : trace_find_stream(trace, number);
}

/*
 * Sets the owner of stream `i` and of all streams that it interrupts, directly or through other
 * handlers. Walks from each stream to the stream that it interrupts, up to the last one or to one
 * that already has an owner; all streams on the way get the owner found there. Each stream first
 * becomes its own owner, so the walk also ends if a corrupt trace contains a cycle.
 */
static void set_owners_from(struct trace *trace, uint32_t i)
{
	struct store_stream *streams = trace->streams.items;
	uint32_t last = i;

	while (streams[last].owner == TRACE_NONE) {
		uint32_t next = find_interrupted_stream(trace, last);

		streams[last].owner = last;
		if (next != TRACE_NONE)
			last = next;
	}
	for (; i != last; i = find_interrupted_stream(trace, i))
		streams[i].owner = streams[last].owner;
}

void store_index_streams(struct trace *trace)
{
	size_t from = 0;

	vec_sort(&trace->blocks, by_stream);
	drop_copies(trace);
	for (size_t i = 1; i <= trace->blocks.count; i++) {
		if (i == trace->blocks.count ||
		    trace->blocks.items[i].stream != trace->blocks.items[from].stream) {
			add_stream(trace, from, i);
			from = i;
		}
	}
	for (uint32_t i = 0; i < trace->streams.count; i++)
		set_owners_from(trace, i);
}
