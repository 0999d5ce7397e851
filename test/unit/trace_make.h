/* Makes traces by hand, for the tests of src/trace. */
#ifndef TEST_TRACE_MAKE_H
#define TEST_TRACE_MAKE_H

#include "base/file.h"
#include "event/codec.h"
#include "trace/trace.h"
#include "trace/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MAKE_META "sooth-trace: 1\nlog: thread\nend: exit 0\n"

struct make_dir {
	char path[64];
};

static inline void make_file(const struct make_dir *dir, const char *name, const void *data,
			     size_t size)
{
	char path[128];
	struct err err;

	snprintf(path, sizeof path, "%s/%s", dir->path, name);
	if (!file_write(path, data, size, &err))
		fail_msg("%s", err.text);
}

static inline struct make_dir make_dir(void)
{
	struct make_dir dir = { "/tmp/sooth-test-XXXXXX" };

	assert_non_null(mkdtemp(dir.path));
	make_file(&dir, "meta", MAKE_META, strlen(MAKE_META));
	return dir;
}

/* Opens a trace with this text; its file is in the directory. */
static inline struct trace *make_text(const struct make_dir *dir, const char *text)
{
	struct trace *trace;
	char path[128];
	struct err err;

	make_file(dir, "text.std", text, strlen(text));
	snprintf(path, sizeof path, "%s/text.std", dir->path);
	if (!trace_open(path, &trace, &err))
		fail_msg("%s", err.text);
	return trace;
}

/* A record of a stream; an array of them is a whole recording. */
struct make_line {
	uint32_t stream;
	struct write_record record;
};

/* Makes a directory with these events and, unless it is NULL, the file `schedule`. */
static inline struct make_dir make_recording(const struct make_line *lines, size_t count,
					     const void *schedule, size_t bytes)
{
	struct make_dir dir = make_dir();
	struct trace_writer *w = trace_writer_open();
	uint8_t *events;
	size_t size;

	for (size_t i = 0; i < count; i++)
		trace_write(w, lines[i].stream, &lines[i].record);
	events = trace_writer_finish(w, &size);
	make_file(&dir, "events.0", events, size);
	free(events);
	if (schedule)
		make_file(&dir, "schedule", schedule, bytes);
	return dir;
}

static inline void make_remove(const struct make_dir *dir)
{
	static const char *const names[] = { "meta",	 "names",    "modules",	 "maps",
					     "ring",	 "events.0", "events.1", "events.7",
					     "text.std", "schedule", "benign" };
	char path[128];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", dir->path, names[i]);
		unlink(path);
	}
	assert_int_equal(rmdir(dir->path), 0);
}

static inline struct trace *make_open(const struct make_dir *dir)
{
	struct trace *trace = NULL;
	struct err err;

	if (!trace_open(dir->path, &trace, &err))
		fail_msg("%s", err.text);
	return trace;
}

/*
 * Makes a block with the records of `body`, for its place in a log file; returns its size in bytes.
 */
static inline size_t make_block(uint8_t *to, uint32_t stream, uint64_t number, uint32_t flags,
				const void *body, uint32_t bytes)
{
	struct wire_block header = {
		.cursor = sizeof header + bytes,
		.magic = WIRE_BLOCK_MAGIC,
		.stream = stream,
		.number = number,
		.bytes = bytes,
		.flags = flags,
	};

	memcpy(to, &header, sizeof header);
	memcpy(to + sizeof header, body, bytes);
	memset(to + sizeof header + bytes, 0, wire_block_room(bytes) - sizeof header - bytes);
	return wire_block_room(bytes);
}

/* Makes a READ of 1 byte at `address` with this value; returns its size in bytes. */
static inline uint32_t make_read(struct codec *codec, uint8_t *to, uint8_t address, uint8_t value)
{
	struct codec_fields fields = { .a = address, .n = 1 };
	uint8_t *p =
		codec_put_fields(codec, to + CODEC_SHORT_HEADER, event_fields(EV_READ), &fields);

	*p++ = value;
	codec_put_header(to, EV_READ, CODEC_SHORT_HEADER, (size_t)(p - to) - CODEC_SHORT_HEADER);
	return (uint32_t)(p - to);
}

/* Deterministic random numbers (xorshift64*). */
struct make_random {
	uint64_t state;
};

static inline uint64_t make_random(struct make_random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dull;
}

static inline uint64_t make_below(struct make_random *r, uint64_t n)
{
	return make_random(r) % n;
}

#endif
