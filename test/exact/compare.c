/*
 * compare TRACE LOG [MEMORY]
 *
 * Compares a trace with the log that the program itself has kept (log.h):
 *
 *   - Each thread's recorded accesses of the program's objects must be those in LOG, in order:
 *     address, size, value, and the line if CHECK_LINES is set. (Not if LOG has no entries at all.)
 *   - In a program with one thread, and in a serial recording of any program, each recorded read
 *     must see what the recorded writes before it left. All writes together must leave the memory
 *     as MEMORY (default: LOG) says it was at the end.
 */
#include "base/err.h"
#include "trace/order.h"
#include "trace/trace.h"

#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct range {
	u64 address, size;
	u8 *contents;	 /* contents at the end of the run; NULL: unknown */
	u8 *now, *known; /* contents after the recorded writes so far, and which bytes are known */
};

struct log {
	struct log_head head;
	struct range *ranges;
	struct log_thread *threads;
	struct log_entry **entries;
	u8 **bytes;
};

static _Noreturn void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

/* ---- logs ----------------------------------------------------------------------------------- */

static void *get(FILE *in, void *to, size_t size)
{
	if (size && fread(to, size, 1, in) != 1)
		fail("the log is too short");
	return to;
}

static void *get_new(FILE *in, size_t size)
{
	return get(in, calloc(1, size + 1), size);
}

static struct log read_log(const char *name)
{
	FILE *in = fopen(name, "rb");
	struct log log;

	if (!in)
		fail("%s: cannot open", name);
	get(in, &log.head, sizeof(log.head));
	if (log.head.magic != LOG_MAGIC)
		fail("%s: no log", name);
	log.ranges = calloc(log.head.ranges, sizeof(*log.ranges));
	log.threads = calloc(log.head.threads, sizeof(*log.threads));
	log.entries = calloc(log.head.threads, sizeof(*log.entries));
	log.bytes = calloc(log.head.threads, sizeof(*log.bytes));
	for (u32 i = 0; i < log.head.ranges; i++) {
		struct log_range r;
		get(in, &r, sizeof(r));
		log.ranges[i] = (struct range){ r.address, r.size, NULL, calloc(1, r.size),
						calloc(1, r.size) };
		if (r.has_contents) { /* ranges with known contents start as zeros */
			log.ranges[i].contents = get_new(in, r.size);
			memset(log.ranges[i].known, 1, r.size);
		}
	}
	for (u32 i = 0; i < log.head.threads; i++) {
		get(in, &log.threads[i], sizeof(log.threads[i]));
		log.entries[i] = get_new(in, log.threads[i].entries * sizeof(struct log_entry));
		log.bytes[i] = get_new(in, log.threads[i].bytes);
	}
	fclose(in);
	return log;
}

static bool has_entries(const struct log *log)
{
	for (u32 i = 0; i < log->head.threads; i++)
		if (log->threads[i].entries)
			return true;
	return false;
}

/* ---- one stream, the accesses of our objects only ------------------------------------------- */

struct stream {
	const struct trace *trace;
	const struct log *memory;
	struct trace_cursor *cursor;
	u32 number;
	bool alone; /* the only thread, so memory contains what it wrote */
	u64 taken;
	bool ahead; /* `event` has been read, but not taken */
	struct trace_event event;
};

static struct range *find_range(const struct log *log, u64 address)
{
	for (u32 i = 0; i < log->head.ranges; i++)
		if (address - log->ranges[i].address < log->ranges[i].size)
			return &log->ranges[i];
	return NULL;
}

static u8 byte_of(const struct trace_event *ev, const u8 *value, u64 i)
{
	return value[ev->unit ? i % ev->unit : 0];
}

static const char *show(const struct stream *s, const struct trace_event *ev)
{
	static char text[400];
	struct trace_source_line place[1];
	int n = snprintf(text, sizeof(text),
			 "stream %u, access %llu (event %llu): %s of %llu at 0x%llx", s->number,
			 (unsigned long long)s->taken, (unsigned long long)ev->index,
			 event_name(ev->kind), (unsigned long long)ev->size,
			 (unsigned long long)ev->address);

	if (ev->value) {
		n += snprintf(text + n, sizeof(text) - (size_t)n, " =");
		for (u64 i = 0; i < ev->size && i < 16; i++)
			n += snprintf(text + n, sizeof(text) - (size_t)n, " %02x",
				      byte_of(ev, ev->value, i));
	}
	if (ev->site && trace_site_lines(s->trace, ev->site, place, 1)) {
		const char *name = trace_site_name(s->trace, ev->site);
		snprintf(text + n, sizeof(text) - (size_t)n, " line %u %s", place[0].line,
			 name ? name : "");
	}
	return text;
}

/* If the order is known, each value that is read must have been written. */
static void step_memory(struct stream *s, const struct trace_event *ev)
{
	bool writes =
		ev->kind == EV_WRITE || ev->kind == EV_ATOMIC_WRITE || ev->kind == EV_ATOMIC_UPDATE;
	const u8 *seen = ev->kind == EV_ATOMIC_UPDATE ? ev->old : ev->value;

	for (u64 i = 0; i < ev->size; i++) {
		struct range *r = find_range(s->memory, ev->address + i);
		if (!r)
			fail("%s\nreaches beyond the object", show(s, ev));
		u64 at = ev->address + i - r->address;
		if ((!writes || ev->kind == EV_ATOMIC_UPDATE) && r->known[at] &&
		    byte_of(ev, seen, i) != r->now[at])
			fail("%s\nbut byte %llu was last written as %02x", show(s, ev),
			     (unsigned long long)i, r->now[at]);
		if (writes) {
			r->now[at] = byte_of(ev, ev->value, i);
			r->known[at] = 1;
		}
	}
}

static bool is_ours(const struct log *memory, const struct trace_event *ev)
{
	return (event_group(ev->kind) == EG_ACCESS || event_group(ev->kind) == EG_ATOMIC) &&
	       find_range(memory, ev->address);
}

static const struct trace_event *peek(struct stream *s)
{
	struct err err = { 0 };

	while (!s->ahead) {
		struct trace_event *ev = &s->event;
		if (!trace_next(s->cursor, ev, &err)) {
			if (err.text[0])
				fail("stream %u after %llu accesses: %s", s->number,
				     (unsigned long long)s->taken, err.text);
			return NULL;
		}
		if (!is_ours(s->memory, ev))
			continue;
		if (!ev->value)
			fail("%s\nhas no value", show(s, ev));
		if (ev->flags & EF_INEXACT)
			fail("%s\nhas an inexact value", show(s, ev));
		s->ahead = true;
	}
	return &s->event;
}

static void take(struct stream *s)
{
	if (s->alone)
		step_memory(s, &s->event);
	s->ahead = false;
	s->taken++;
}

/* ---- expected against recorded -------------------------------------------------------------- */

static _Noreturn void differ(const struct stream *s, const struct log_entry *e, u64 at,
			     const struct trace_event *ev, const char *why)
{
	printf("entry %llu: %s%c of %u at 0x%llx = %016llx %016llx, line %u\n",
	       (unsigned long long)at, e->kind < LOG_HOOKS ? "hook " : "",
	       e->kind < LOG_HOOKS ? "?rwRWU"[e->kind] : e->kind, e->size,
	       (unsigned long long)e->address, (unsigned long long)e->value[0],
	       (unsigned long long)e->value[1], e->line);
	fail("%s\n%s", ev ? show(s, ev) : "the trace ends here", why);
}

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			differ(s, e, at, ev, #condition);                                          \
	} while (0)

static bool line_is(const struct stream *s, const struct trace_event *ev, u32 line)
{
	static int wanted = -1;
	struct trace_source_line place[1];

	if (wanted < 0)
		wanted = getenv("CHECK_LINES") && *getenv("CHECK_LINES");
	return !wanted || !ev->site || !trace_site_lines(s->trace, ev->site, place, 1) ||
	       !place[0].line || place[0].line == line;
}

static void match_scalar(struct stream *s, const struct log_entry *e, u64 at)
{
	const struct trace_event *ev = peek(s);
	static const u8 kinds[256] = {
		[LOG_READ] = EV_READ,
		[LOG_WRITE] = EV_WRITE,
		[LOG_ATOMIC_READ] = EV_ATOMIC_READ,
		[LOG_ATOMIC_WRITE] = EV_ATOMIC_WRITE,
		[LOG_ATOMIC_UPDATE] = EV_ATOMIC_UPDATE,
	};
	bool updates = e->kind == LOG_ATOMIC_UPDATE;

	CHECK(ev);
	CHECK(ev->kind == kinds[e->kind]);
	CHECK(ev->address == e->address);
	CHECK(ev->size == e->size && ev->unit == e->size);
	CHECK(!memcmp(updates ? ev->old : ev->value, &e->value[0], e->size));
	CHECK(!updates || !memcmp(ev->value, &e->value[1], e->size));
	CHECK(line_is(s, ev, e->line));
	take(s);
}

static void match_hook(struct stream *s, const struct log_entry *e, u64 at)
{
	const struct trace_event *ev = peek(s);
	static const u8 kinds[LOG_HOOKS] = {
		[LOG_HOOK_READ] = EV_READ,
		[LOG_HOOK_WRITE] = EV_WRITE,
		[LOG_HOOK_ATOMIC_READ] = EV_ATOMIC_READ,
		[LOG_HOOK_ATOMIC_WRITE] = EV_ATOMIC_WRITE,
		[LOG_HOOK_ATOMIC_UPDATE] = EV_ATOMIC_UPDATE,
	};

	CHECK(ev);
	CHECK(ev->kind == kinds[e->kind]);
	CHECK(ev->address == e->address);
	/* x87 instructions access ten bytes */
	CHECK(ev->size == e->size || (ev->size == 10 && e->size == 16));
	take(s);
}

static u64 bits_at(const u8 *bytes, u64 first, u32 count)
{
	u64 v = 0;

	for (u32 i = 0; i < count; i++)
		v |= (u64)(bytes[(first + i) / 8] >> (first + i) % 8 & 1) << i;
	return v;
}

/*
 * The recorded access may be to any unit that contains the bit-field. A write may be recorded as a
 * read of the unit and a write.
 */
static void match_bits(struct stream *s, const struct log_entry *e, u64 at)
{
	const struct trace_event *ev = peek(s);
	u8 before[16];
	u64 first = 0, unit = 0;

	CHECK(ev);
	CHECK(ev->size <= 16);
	if (e->kind == LOG_BITS_WRITE && ev->kind == EV_READ) {
		first = ev->address;
		unit = ev->size;
		memcpy(before, ev->value, unit);
		CHECK(line_is(s, ev, e->line));
		take(s);
		ev = peek(s);
		CHECK(ev);
		CHECK(ev->address == first && ev->size == unit);
	}
	CHECK(ev->kind == (e->kind == LOG_BITS_READ ? EV_READ : EV_WRITE));
	u64 bit = e->address * 8 + e->bit;
	CHECK(ev->address * 8 <= bit && (ev->address + ev->size) * 8 >= bit + e->width);
	bit -= ev->address * 8;
	CHECK(bits_at(ev->value, bit, e->width) == e->value[0]);
	for (u64 i = 0; i < ev->size * 8 && e->kind == LOG_BITS_WRITE; i++)
		if (i < bit || i >= bit + e->width) /* neighbouring bits must keep their values */
			CHECK(unit && bits_at(ev->value, i, 1) == bits_at(before, i, 1));
	CHECK(line_is(s, ev, e->line));
	take(s);
}

/* The accesses to a range may be recorded in several pieces, but each byte only once. */
static void match_range(struct stream *s, const struct log_entry *e, u64 at, const u8 *contents)
{
	u8 *read = calloc(1, e->size + 1u), *written = calloc(1, e->size + 1u);
	u64 left = e->size * (e->kind == LOG_COPY ? 2u : 1u);

	while (left) {
		const struct trace_event *ev = peek(s);
		CHECK(ev);
		bool is_read = ev->kind == EV_READ;
		CHECK(is_read ? e->kind == LOG_COPY : ev->kind == EV_WRITE);
		u64 from = ev->address - (is_read ? e->value[1] : e->address);
		CHECK(from < e->size && ev->size <= e->size - from);
		for (u64 i = 0; i < ev->size; i++) {
			CHECK(!(is_read ? read : written)[from + i]++);
			CHECK(byte_of(ev, ev->value, i) == contents[from + i]);
		}
		CHECK(line_is(s, ev, e->line));
		left -= ev->size;
		take(s);
	}
	free(read);
	free(written);
}

static u64 match_stream(struct stream *s, const struct log *log, u32 i)
{
	u64 count = log->threads[i].entries;

	for (u64 at = 0; at < count; at++) {
		const struct log_entry *e = &log->entries[i][at];
		if (e->kind < LOG_HOOKS)
			match_hook(s, e, at);
		else if (e->kind == LOG_COPY || e->kind == LOG_FILL)
			match_range(s, e, at, log->bytes[i] + e->value[0]);
		else if (e->kind == LOG_BITS_READ || e->kind == LOG_BITS_WRITE)
			match_bits(s, e, at);
		else
			match_scalar(s, e, at);
	}
	const struct trace_event *more = peek(s);
	if (more)
		fail("%s\nis not in the log, which ends after %llu entries", show(s, more),
		     (unsigned long long)count);
	return count;
}

/* Reads all streams in the order of the schedule. */
static void walk_schedule(const struct trace *trace, const struct log *memory)
{
	struct trace_order *order = trace_order_open(trace);
	struct stream s = { .trace = trace, .memory = memory };
	struct trace_event ev;

	while (trace_order_next(order, &ev)) {
		s.number = ev.stream;
		if (is_ours(memory, &ev))
			step_memory(&s, &ev);
	}
	trace_order_close(order);
}

static void check_end(const struct log *memory)
{
	for (u32 i = 0; i < memory->head.ranges; i++) {
		const struct range *r = &memory->ranges[i];
		for (u64 k = 0; r->contents && k < r->size; k++)
			if (r->contents[k] != r->now[k])
				fail("0x%llx holds %02x at the end, but %02x was the last byte "
				     "recorded",
				     (unsigned long long)(r->address + k), r->contents[k],
				     r->now[k]);
	}
}

int main(int argc, char **argv)
{
	struct trace *trace;
	struct err err = { 0 };
	u64 entries = 0, accesses = 0;
	u32 used = 0;

	if (argc < 3)
		fail("compare TRACE LOG [MEMORY]");
	struct log log = read_log(argv[2]), memory = read_log(argv[argc > 3 ? 3 : 2]);
	if (!trace_open(argv[1], &trace, &err))
		fail("%s", err.text);
	if (trace_problem_count(trace))
		fail("%s", trace_problem(trace, 0));
	bool logged = has_entries(&log), alone = trace_stream_count(trace) == 1;
	for (u32 i = 0; i < trace_stream_count(trace); i++) {
		struct stream s = { trace,
				    &memory,
				    trace_cursor_open(trace, i),
				    trace_stream(trace, i)->number,
				    alone,
				    0,
				    false,
				    { 0 } };
		if (logged && s.number < log.head.threads) {
			entries += match_stream(&s, &log, s.number);
			used++;
		} else {
			while (peek(&s))
				take(&s);
		}
		accesses += s.taken;
		trace_cursor_close(s.cursor);
	}
	for (u32 i = 0; i < log.head.threads; i++)
		if (logged && log.threads[i].entries && trace_find_stream(trace, i) == TRACE_NONE)
			fail("stream %u was not recorded", i);
	if (!alone && trace_has_schedule(trace))
		walk_schedule(trace, &memory);
	if (alone || trace_has_schedule(trace))
		check_end(&memory);
	trace_close(trace);
	printf("%u streams, %llu entries, %llu accesses\n", used, (unsigned long long)entries,
	       (unsigned long long)accesses);
	return 0;
}
