/*
 * Runs a piece of code in a child process, which has a trace of its own, and reads the events that
 * the runtime recorded there (`recorded_run`).
 */
#ifndef TEST_RUNTIME_RECORDED_H
#define TEST_RUNTIME_RECORDED_H

#include "check.h"
#include "event/codec.h"
#include "event/event.h"
#include "event/wire.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct recorded_event {
	enum event_kind kind;
	uint32_t stream;
	struct codec_fields f;
};

struct recorded {
	bool on;    /* recording is on in this test */
	int status; /* status of the child, as waitpid() returns it */
	char dir[4096];
	size_t count;
	struct recorded_event *events; /* sorted by stream, in the order of the stream */
};

struct recorded_block {
	struct wire_block head;
	uint8_t *records;
	size_t bytes;
};

static const char *const recorded_fields[] = {
#define EVENT(name, text, group, fields) fields,
#include "event/event.def"
#undef EVENT
};

/* Writes the name of the trace directory of a process. Returns false if nothing is recorded. */
static inline bool recorded_dir(pid_t pid, char *out, size_t size)
{
	const char *options = getenv("SOOTH_OPTIONS");
	const char *dir = options ? strstr(options, "dir=") : NULL;

	if (!dir)
		return false;
	dir += 4;
	if (*dir == '"' || *dir == '\'')
		dir++;
	size_t length = strcspn(dir, "\"' :,");
	if (length > 6 && !memcmp(dir + length - 6, ".sooth", 6))
		snprintf(out, size, "%.*s.%d.sooth", (int)length - 6, dir, (int)pid);
	else
		snprintf(out, size, "%.*s.%d", (int)length, dir, (int)pid);
	return true;
}

static inline uint8_t *recorded_file(const char *dir, const char *name, size_t *size)
{
	char path[4300];
	uint8_t *bytes = NULL;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *file = fopen(path, "rb");
	*size = 0;
	if (!file)
		return NULL;
	for (size_t n = 1; n > 0;) {
		bytes = realloc(bytes, *size + 65536);
		n = fread(bytes + *size, 1, 65536, file);
		*size += n;
	}
	fclose(file);
	return bytes;
}

static inline void recorded_decode(struct recorded *r, const struct recorded_block *block)
{
	struct codec codec = { .time = block->head.time };
	const uint8_t *end = block->records + block->bytes;

	for (const uint8_t *p = block->records; p < end;) {
		struct recorded_event e = { .stream = block->head.stream };
		size_t bytes, header = codec_get_header(p, end, &e.kind, &bytes);
		CHECK(*p & 1 && header && e.kind < EV_COUNT); /* this program has no segments */
		if (!header || e.kind >= EV_COUNT)
			return;
		p += header;
		CHECK(codec_get_fields(&codec, recorded_fields[e.kind], p, p + bytes, &e.f));
		p += bytes;
		e.f.t = codec.time;
		if ((r->count & (r->count - 1)) == 0) /* full: double the size */
			r->events = realloc(r->events, (2 * r->count + 1) * sizeof(e));
		r->events[r->count++] = e;
	}
}

static inline int recorded_compare(const void *left, const void *right)
{
	const struct wire_block *a = &((const struct recorded_block *)left)->head;
	const struct wire_block *b = &((const struct recorded_block *)right)->head;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/*
 * Reads the blocks of the log files and, for streams that did not end, the last block from the
 * ring.
 */
static inline void recorded_read(struct recorded *r)
{
	struct recorded_block blocks[4096];
	size_t count = 0, size;

	for (unsigned k = 0; k <= WIRE_LOG_FILES; k++) {
		bool ring = k == WIRE_LOG_FILES;
		char name[16];
		snprintf(name, sizeof(name), ring ? "ring" : "events.%u", k);
		uint8_t *bytes = recorded_file(r->dir, name, &size);
		for (size_t at = 0; at + sizeof(struct wire_block) <= size && count < 4096;) {
			struct recorded_block *b = &blocks[count];
			memcpy(&b->head, bytes + at, sizeof(b->head));
			b->records = bytes + at + sizeof(b->head);
			b->bytes = ring ? b->head.cursor - b->head.base - sizeof(b->head)
					: b->head.bytes;
			at += ring ? WIRE_CHUNK : wire_block_room(b->head.bytes);
			if (b->head.magic == WIRE_BLOCK_MAGIC &&
			    (!ring || b->head.flags & WIRE_BLOCK_LIVE))
				count++;
		}
	}
	qsort(blocks, count, sizeof(*blocks), recorded_compare);
	for (size_t i = 0; i < count; i++)
		recorded_decode(r, &blocks[i]);
}

/* Runs `scenario` in a child process. Failed checks in the child count for this process, too. */
static inline struct recorded recorded_run(void (*scenario)(void))
{
	struct recorded r = { 0 };
	pid_t child = fork();

	if (child == 0) {
		check_failures = 0;
		scenario();
		_exit(check_result());
	}
	waitpid(child, &r.status, 0);
	r.on = recorded_dir(child, r.dir, sizeof(r.dir));
	if (r.on)
		recorded_read(&r);
	return r;
}

/* Checks that the child ended normally, without a failed check. */
#define CHECK_RAN(r) CHECK_SAME((r).status, 0)

/* Returns the names of all events of some kinds in one stream (-1: in all streams). */
static inline const char *recorded_text(const struct recorded *r, int stream,
					const enum event_kind *kinds)
{
	static char text[65536];
	static const char *const names[] = {
#define EVENT(name, text, group, fields) #name,
#include "event/event.def"
#undef EVENT
	};
	char *p = text;

	*p = 0;
	for (size_t i = 0; i < r->count; i++) {
		const struct recorded_event *e = &r->events[i];
		bool wanted = stream < 0 || e->stream == (uint32_t)stream;
		bool listed = false;
		for (const enum event_kind *k = kinds; *k; k++)
			listed |= *k == e->kind;
		if (wanted && listed && p < text + sizeof(text) - 64)
			p += sprintf(p, "%s%s", p > text ? " " : "", names[e->kind]);
	}
	return text;
}

/*
 * Checks that the recorded events of the given kinds are exactly these, in the order of their
 * streams.
 */
#define CHECK_EVENTS(r, stream, expected, ...)                                                     \
	do {                                                                                       \
		if ((r).on) {                                                                      \
			const char *check_text = recorded_text(                                    \
				&(r), stream, (const enum event_kind[]){ __VA_ARGS__, EV_NONE });  \
			if (strcmp(check_text, expected)) {                                        \
				check_failures++;                                                  \
				fprintf(stderr, "%s:%d: recorded\n  %s\nnot\n  %s\n", __FILE__,    \
					__LINE__, check_text, expected);                           \
			}                                                                          \
		}                                                                                  \
	} while (0)

/* Returns event number i of a kind, or an empty event if there are not that many. */
static inline const struct recorded_event *recorded_find(const struct recorded *r,
							 enum event_kind kind, size_t i)
{
	static const struct recorded_event none;

	for (size_t k = 0; k < r->count; k++) {
		if (r->events[k].kind == kind && i-- == 0)
			return &r->events[k];
	}
	return &none;
}

#endif
