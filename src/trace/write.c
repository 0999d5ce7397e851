#include "trace/write.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#include <assert.h>
#include <string.h>

#define ROOM (WIRE_CHUNK - sizeof(struct wire_block))

struct stream {
	uint32_t number, host;
	uint64_t block;	       /* number of the one being made */
	uint64_t block_time;   /* that its first time counts from */
	uint64_t time;
	VEC(uint8_t) bytes;
};

struct trace_writer {
	struct map index; /* stream number to position + 1 in streams */
	VEC(struct stream) streams;
	VEC(uint8_t) out;
};

struct trace_writer *trace_writer_open(void)
{
	return mem_zalloc(1, sizeof(struct trace_writer));
}

static struct stream *stream_of(struct trace_writer *w, uint32_t number)
{
	bool fresh;
	uint64_t *i = map_put(&w->index, number, &fresh);

	if (fresh) {
		*vec_push(&w->streams) = (struct stream){ .number = number, .host = TRACE_NONE };
		*i = w->streams.count;
	}
	return &w->streams.items[*i - 1];
}

void trace_writer_set_host(struct trace_writer *w, uint32_t stream, uint32_t host)
{
	stream_of(w, stream)->host = host;
}

static void append(struct trace_writer *w, const void *bytes, size_t size)
{
	if (size)
		memcpy(vec_reserve(&w->out, size), bytes, size);
	w->out.count += size;
}

static void flush(struct trace_writer *w, struct stream *s, uint32_t flags)
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

	if (s->host != TRACE_NONE) {
		header.flags |= WIRE_BLOCK_HANDLER;
		header.spare = s->host;
	}
	append(w, &header, sizeof header);
	append(w, s->bytes.items, s->bytes.count);
	s->bytes.count = 0;
	s->block++;
	s->block_time = s->time;
}

void trace_write_raw(struct trace_writer *w, uint32_t stream, const void *bytes, size_t size)
{
	struct stream *s = stream_of(w, stream);

	assert(size <= WIRE_RECORD_MAX + 128);
	if (s->bytes.count + size > ROOM)
		flush(w, s, 0);
	memcpy(vec_reserve(&s->bytes, size), bytes, size);
	s->bytes.count += size;
}

static uint8_t *leb(uint8_t *p, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		*p++ = (uint8_t)(value | 128);
	*p++ = (uint8_t)value;
	return p;
}

/* The record's bytes go to `to`; returns how many. */
static size_t encode(uint8_t *to, const struct write_record *r, uint64_t passed)
{
	uint8_t *p = to + 4;
	uint32_t h;

	for (const char *f = event_fields(r->kind); *f; f++) {
		switch (*f) {
		case 'p': p = leb(p, r->pc); break;
		case 't': p = leb(p, passed); break;
		case 'q': p = leb(p, r->sequence); break;
		case 'a': p = leb(p, r->a); break;
		case 'b': p = leb(p, r->b); break;
		case 'n': p = leb(p, r->n); break;
		case 'm': p = leb(p, r->m); break;
		case '*':
			if (r->size)
				memcpy(p, r->bytes, r->size);
			p += r->size;
			break;
		}
	}
	h = WIRE_RECORD(r->kind, p - to - 4);
	memcpy(to, &h, 4);
	return (size_t)(p - to);
}

void trace_write(struct trace_writer *w, uint32_t stream, const struct write_record *record)
{
	uint8_t buffer[WIRE_RECORD_MAX + 128];
	struct stream *s = stream_of(w, stream);
	bool timed = strchr(event_fields(record->kind), 't');

	assert(record->size + 4 <= WIRE_RECORD_MAX);
	assert(record->time >= s->time);
	if (!timed && record->time != s->time) {
		trace_write(w, stream, &(struct write_record){ .kind = EV_TIME, .time = record->time });
		s = stream_of(w, stream);
	}
	/* Flushed first: the block's own time is what its first record counts from. */
	if (s->bytes.count + sizeof buffer > ROOM)
		flush(w, s, 0);
	trace_write_raw(w, stream, buffer, encode(buffer, record, record->time - s->time));
	s->time = timed ? record->time : s->time;
}

struct trace_position trace_writer_position(struct trace_writer *w, uint32_t stream)
{
	const struct stream *s = stream_of(w, stream);

	return (struct trace_position){ s->block, s->bytes.count };
}

uint8_t *trace_writer_finish(struct trace_writer *w, size_t *bytes)
{
	uint8_t *out;

	for (size_t i = 0; i < w->streams.count; i++) {
		flush(w, &w->streams.items[i], WIRE_BLOCK_LAST);
		vec_free(&w->streams.items[i].bytes);
	}
	out = w->out.items;
	*bytes = w->out.count;
	vec_free(&w->streams);
	map_free(&w->index);
	free(w);
	return out;
}
