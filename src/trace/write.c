/* Encodes records into blocks of 64 KiB, one open block per stream. */
#include "trace/write.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "event/codec.h"

#include <assert.h>
#include <string.h>

#define ROOM (WIRE_CHUNK - sizeof(struct wire_block))

struct write_stream {
	uint32_t number, host;
	uint64_t block;	     /* number of the block being filled */
	uint64_t block_time; /* the time to which the block's first time is relative */
	struct codec codec;
	VEC(uint8_t) bytes;
};

struct trace_writer {
	struct map index; /* stream number to position + 1 in streams */
	VEC(struct write_stream) streams;
	VEC(uint8_t) out;
};

struct trace_writer *trace_writer_open(void)
{
	return mem_zalloc(1, sizeof(struct trace_writer));
}

static struct write_stream *find_or_add_stream(struct trace_writer *w, uint32_t number)
{
	bool fresh;
	uint64_t *i = map_put(&w->index, number, &fresh);

	if (fresh) {
		*vec_push(&w->streams) =
			(struct write_stream){ .number = number, .host = TRACE_NONE };
		*i = w->streams.count;
	}
	return &w->streams.items[*i - 1];
}

void trace_writer_set_host(struct trace_writer *w, uint32_t stream, uint32_t host)
{
	find_or_add_stream(w, stream)->host = host;
}

static void flush_block(struct trace_writer *w, struct write_stream *s, uint32_t flags)
{
	struct wire_block header = {
		.cursor = sizeof header + s->bytes.count,
		.magic = WIRE_BLOCK_MAGIC,
		.stream = s->number,
		.number = s->block,
		.bytes = (uint32_t)s->bytes.count,
		.flags = flags,
		.time = s->block_time,
	};
	size_t rest;

	if (s->host != TRACE_NONE) {
		header.flags |= WIRE_BLOCK_HANDLER;
		header.spare = s->host;
	}
	vec_append(&w->out, (const uint8_t *)&header, sizeof header);
	vec_append(&w->out, s->bytes.items, s->bytes.count);
	rest = wire_block_room(header.bytes) - sizeof header - header.bytes;
	memset(vec_reserve(&w->out, rest), 0, rest);
	w->out.count += rest;
	s->bytes.count = 0;
	s->block++;
	s->block_time = s->codec.time;
	s->codec = (struct codec){ .time = s->block_time };
}

void trace_write_raw(struct trace_writer *w, uint32_t stream, const void *bytes, size_t size)
{
	struct write_stream *s = find_or_add_stream(w, stream);

	assert(size <= WIRE_RECORD_MAX + 128);
	if (s->bytes.count + size > ROOM)
		flush_block(w, s, 0);
	vec_append(&s->bytes, (const uint8_t *)bytes, size);
}

/* Encodes the record into `to` and returns its number of bytes. */
static size_t encode_record(struct codec *codec, uint8_t *to, const struct write_record *r)
{
	size_t header = r->size + CODEC_FIELDS_MAX < 255 ? CODEC_SHORT_HEADER : CODEC_LONG_HEADER;
	struct codec_fields fields = {
		.p = r->pc,
		.t = r->time,
		.q = r->sequence,
		.a = r->a,
		.b = r->b,
		.n = r->n,
		.m = r->m,
	};
	uint8_t *p = codec_put_fields(codec, to + header, event_fields(r->kind), &fields);

	if (r->size)
		memcpy(p, r->bytes, r->size);
	p += r->size;
	codec_put_header(to, r->kind, header, (size_t)(p - to) - header);
	return (size_t)(p - to);
}

void trace_write(struct trace_writer *w, uint32_t stream, const struct write_record *record)
{
	uint8_t buffer[WIRE_RECORD_MAX + 128];
	struct write_stream *s = find_or_add_stream(w, stream);
	bool timed = strchr(event_fields(record->kind), 't');

	assert(record->size + 4 <= WIRE_RECORD_MAX);
	assert(record->time >= s->codec.time);
	if (!timed && record->time != s->codec.time) {
		trace_write(w, stream,
			    &(struct write_record){ .kind = EV_TIME, .time = record->time });
		s = find_or_add_stream(w, stream);
	}
	/* Flushes before encoding, because the first time in a block is relative to block_time. */
	if (s->bytes.count + sizeof buffer > ROOM)
		flush_block(w, s, 0);
	trace_write_raw(w, stream, buffer, encode_record(&s->codec, buffer, record));
}

struct trace_position trace_writer_position(struct trace_writer *w, uint32_t stream)
{
	const struct write_stream *s = find_or_add_stream(w, stream);

	return (struct trace_position){ s->block, s->bytes.count };
}

uint8_t *trace_writer_finish(struct trace_writer *w, size_t *bytes)
{
	uint8_t *out;

	for (size_t i = 0; i < w->streams.count; i++) {
		flush_block(w, &w->streams.items[i], WIRE_BLOCK_LAST);
		vec_free(&w->streams.items[i].bytes);
	}
	out = w->out.items;
	*bytes = w->out.count;
	vec_free(&w->streams);
	map_free(&w->index);
	free(w);
	return out;
}
