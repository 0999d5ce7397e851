/* Tests the text form: round trips, normalisation, and error messages. */
#include "trace_make.h"

#include "trace/export.h"
#include "trace/import.h"

static const char *test_dir(void)
{
	const char *dir = getenv("SOOTH_TEST");

	return dir ? dir : "test";
}

/* Returns the text form of a trace; the caller frees it. */
static char *export(const char *path)
{
	struct trace *trace = NULL;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	if (!trace_open(path, &trace, &err) || !export_text(trace, out, &err))
		fail_msg("%s", err.text);
	fclose(out);
	trace_close(trace);
	return text;
}

static char *read_file(const char *path)
{
	struct file_view view;
	struct err err;
	char *text;

	if (!file_map(path, &view, &err))
		fail_msg("%s", err.text);
	text = strndup((const char *)view.data, view.size);
	file_unmap(&view);
	return text;
}

/* Imports a text to a directory, and returns the text that the directory exports to. */
static char *through_directory(const char *path)
{
	struct make_dir dir = make_dir();
	struct import_image image;
	struct err err;
	char *text;

	make_remove(&dir);
	if (!import_text(path, &image, &err) || !import_save(&image, dir.path, &err))
		fail_msg("%s", err.text);
	import_free(&image);
	text = export(dir.path);
	make_remove(&dir);
	return text;
}

static void expect_text(const char *name, const char *expected)
{
	char path[1024], want[1024];
	char *a, *b, *c;

	snprintf(path, sizeof path, "%s/traces/%s", test_dir(), name);
	snprintf(want, sizeof want, "%s/traces/%s", test_dir(), expected);
	a = export(path);
	b = through_directory(path);
	c = read_file(want);
	assert_string_equal(a, c);
	assert_string_equal(b, c);
	free(a);
	free(b);
	free(c);
}

static void round_trips(void **state)
{
	(void)state;
	expect_text("plain.std", "plain.std");
	expect_text("everything.std", "everything.std");
	expect_text("loose.std", "loose.normal.std");
	expect_text("loose.normal.std", "loose.normal.std");
}

static void expect_error(const char *line, unsigned column, const char *message)
{
	struct make_dir dir = make_dir();
	char path[128], text[512], where[160];
	struct trace *trace = NULL;
	struct err err = { 0 };

	snprintf(path, sizeof path, "%s/text.std", dir.path);
	snprintf(text, sizeof text, "T1|w(x)=1|\n%s\n", line);
	snprintf(where, sizeof where, "%s:2:%u: ", path, column);
	make_file(&dir, "text.std", text, strlen(text));
	if (trace_open(path, &trace, &err))
		fail_msg("accepted: %s", line);
	assert_null(trace);
	if (strncmp(err.text, where, strlen(where)))
		fail_msg("not at %s but: %s", where, err.text);
	if (!strstr(err.text, message))
		fail_msg("expected \"%s\" in: %s", message, err.text);
	assert_non_null(strstr(err.text, "^"));
	make_remove(&dir);
}

static void errors(void **state)
{
	(void)state;
	expect_error("T1", 3, "expected '|'");
	expect_error("|w(x)|", 1, "expected a thread");
	expect_error("T1||", 4, "expected an operation");
	expect_error("T1|jump(x)|", 4, "unknown operation 'jump'");
	expect_error("T1|w(x|3", 7, "expected ')'");
	expect_error("T1|w(x)5|", 8, "expected '='");
	expect_error("T1|w(x)=|", 9, "expected a value");
	expect_error("T1|w()|", 4, "expected w(name)");
	expect_error("T1|w(x)=pi|", 9, "expected a number");
	expect_error("T1|w(x@1)=256|", 11, "does not fit");
	expect_error("T1|w(x@1)=-129|", 11, "does not fit");
	expect_error("T1|w(x@16)=5|", 12, "hex digits");
	expect_error("T1|w(x@16)=0x112233445566778899aabbccddeeff0011|", 12, "more bytes");
	expect_error("-|init(x@0)=5|", 8, "expected a size from 1");
	expect_error("T1|u(x)=5|", 10, "old,new");
	expect_error("T1|r(x,often)|", 8, "flag");
	expect_error("T1|ra(x,often)|", 9, "memory order");
	expect_error("T1|acq(m)=3|", 11, "result");
	expect_error("T1|tryacq(m)|", 4, "result");
	expect_error("T1|rel(m)=1|", 11, "cannot have a result");
	expect_error("T1|wait(c)|", 4, "(condition,mutex)");
	expect_error("T1|barrier(b)|", 4, "(name,number)");
	expect_error("T1|barrier(b,two)|", 14, "expected a number");
	expect_error("T1|fence(loud)|", 4, "memory order");
	expect_error("T1|send(c)=loud|", 12, "result");
	expect_error("T1|map(p)|", 4, "(name,number)");
	expect_error("T1|fdopen(x)|", 11, "descriptor number");
	expect_error("T1|fduse(0x40000000)|", 10, "descriptor number");
	expect_error("T1|misuse(badly,m)|", 11, "kind of misuse");
	expect_error("T1|misuse(notheld)|", 4, "(kind,object)");
	expect_error("T1|misuse(closed,m)|", 18, "descriptor number");
	expect_error("T1|call|", 8, "name");
	expect_error("-|w(x)=1|", 3, "only the operations init, at and points");
	expect_error("-|at(x,0x10)|", 6, "before its first use");
	expect_error("-|at(y,0)|", 8, "address");
	expect_error("T1|w(0x800000000000)=1|", 6, "below 2^47");
	expect_error("T1|alloc(x,100000)|", 10, "64 KiB");
	expect_error("T1|handler(T1,10)|", 12, "its own thread name");
}

/* A lock and a variable with the same name are two objects, and both keep the name. */
static void names_by_class(void **state)
{
	struct make_dir dir = make_dir();
	struct trace_cursor *cursor;
	struct trace_event ev[2];
	struct trace *trace = NULL;
	struct err err = { 0 };
	char path[128];

	(void)state;
	snprintf(path, sizeof path, "%s/text.std", dir.path);
	make_file(&dir, "text.std", "T1|w(1)|\nT1|acq(1)|\n", 20);
	assert_true(trace_open(path, &trace, &err));
	cursor = trace_cursor_open(trace, 0);
	assert_true(trace_next(cursor, &ev[0], &err));
	assert_true(trace_next(cursor, &ev[1], &err));
	assert_int_not_equal(ev[0].address, ev[1].address);
	assert_string_equal(trace_object_name(trace, ev[0].address), "1");
	assert_string_equal(trace_object_name(trace, ev[1].address), "1");
	assert_int_equal(ev[1].time, 2);
	trace_cursor_close(cursor);
	trace_close(trace);
	make_remove(&dir);
}

/*
 * Accesses that the program asks to ignore: by address range, and from one point of a thread to
 * another.
 */
static void ignored(void **state)
{
	static const struct {
		enum event_kind kind;
		uint64_t at;
		const char *says;
		bool is_ignored;
	} events[] = {
		{ EV_WRITE, 0x1000, NULL, false },
		{ EV_WRITE, 0x2007, NULL, true },
		{ EV_READ, 0x2008, NULL, false },
		{ EV_PROBE, 0, "sooth:ignore_reads(1)", false },
		{ EV_READ, 0x1000, NULL, true },
		{ EV_WRITE, 0x1000, NULL, false },
		{ EV_PROBE, 0, "sooth:ignore_reads(1)", false },
		{ EV_PROBE, 0, "sooth:ignore_reads(0)", false },
		{ EV_ATOMIC_READ, 0x1000, NULL, true },
		{ EV_PROBE, 0, "sooth:ignore_reads(0)", false },
		{ EV_READ, 0x1000, NULL, false },
		{ EV_PROBE, 0, "sooth:ignore_reads", false },
		{ EV_PROBE, 0, "sooth:ignore_writes(1)", false },
		{ EV_READ, 0x1000, NULL, false },
		{ EV_ATOMIC_UPDATE, 0x1000, NULL, true },
	};
	struct trace_writer *writer = trace_writer_open();
	struct make_dir dir = make_dir();
	struct trace_cursor *cursor;
	struct trace_event ev;
	struct trace *trace;
	struct err err;
	size_t size;
	uint8_t *log;

	(void)state;
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
		trace_write(writer, 0,
			    &(struct write_record){ .kind = events[i].kind,
						    .a = events[i].at,
						    .n = 1,
						    .bytes = (const uint8_t *)events[i].says,
						    .size = events[i].says ? strlen(events[i].says)
									   : 0 });
	log = trace_writer_finish(writer, &size);
	make_file(&dir, "events.0", log, size);
	make_file(&dir, "benign", "2004 4\n2000 6\n\nx\n3000", 21);
	free(log);
	trace = make_open(&dir);
	cursor = trace_cursor_open(trace, 0);
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
		assert_true(trace_next(cursor, &ev, &err));
		assert_int_equal(ev.kind, events[i].kind);
		assert_int_equal((ev.flags & EF_IGNORED) != 0, events[i].is_ignored);
	}
	trace_cursor_close(cursor);
	trace_close(trace);
	make_remove(&dir);
}

/* ---- random traces ------------------------------------------------------------------------ */

static void random_record(struct make_random *r, struct write_record *w, uint8_t *bytes)
{
	static const enum event_kind kinds[] = {
		EV_READ,       EV_WRITE,     EV_ATOMIC_READ,  EV_ATOMIC_WRITE, EV_ATOMIC_UPDATE,
		EV_FENCE,      EV_COPY,	     EV_FILL,	      EV_ALLOC,	       EV_FREE,
		EV_CREATE,     EV_BEGIN,     EV_END,	      EV_JOIN,	       EV_LOCK_INIT,
		EV_REQUEST,    EV_ACQUIRE,   EV_RELEASE,      EV_ACQUIRE_FAIL, EV_READ_ACQUIRE,
		EV_WAIT,       EV_WOKEN,     EV_SIGNAL,	      EV_SEM_INIT,     EV_POST,
		EV_DOWN,       EV_DOWN_FAIL, EV_ARRIVE,	      EV_PASS,	       EV_ONCE,
		EV_UNMODELLED, EV_STOP,	     EV_JOIN_REQUEST, EV_SYNC,	       EV_SEND,
		EV_RECEIVE,    EV_MAP,	     EV_UNMAP,	      EV_FD_OPEN,      EV_FD_CLOSE,
		EV_FD_USE,     EV_MISUSE,    EV_OPAQUE,
	};

	w->kind = kinds[make_below(r, sizeof kinds / sizeof kinds[0])];
	w->sequence = w->time;
	w->a = 0x10000 + make_below(r, 40) * 4;
	w->b = 0x20000 + make_below(r, 40) * 4;
	w->n = make_below(r, 4);
	w->m = make_below(r, 2) + 1; /* 1 or 2 is a valid mode for all kinds except those below */
	w->bytes = bytes;
	w->size = 0;
	switch (w->kind) {
	case EV_WAIT: w->m = make_below(r, 2) * EVENT_TIMED; break;
	case EV_WOKEN:
	case EV_SEND:
	case EV_RECEIVE:
	case EV_PASS: w->m = make_below(r, 2); break;
	case EV_FD_OPEN:
	case EV_FD_CLOSE:
	case EV_FD_USE: w->a = EVENT_FD + make_below(r, 9); break;
	case EV_MISUSE: w->m = make_below(r, EVENT_MISUSE_CLOSED); break;
	case EV_ATOMIC_READ:
	case EV_ATOMIC_WRITE:
	case EV_ATOMIC_UPDATE:
	case EV_FENCE:
		w->m = make_below(r, 6) |
		       (w->kind == EV_FENCE ? 0 : make_below(r, 32) << EVENT_ORDER_BITS);
		break;
	case EV_READ:
	case EV_WRITE: w->m = make_below(r, 32); break;
	default: break;
	}
	if (strchr(event_fields(w->kind), '*')) {
		w->n = make_below(r, 3) ? 1ull << make_below(r, 5) : make_below(r, 40);
		w->size = make_below(r, 5) ? w->n * (w->kind == EV_ATOMIC_UPDATE ? 2 : 1) : 0;
	}
	for (unsigned i = 0; i < 96; i++)
		bytes[i] = make_below(r, 3) ? (uint8_t)make_random(r) : bytes[i ? i - 1 : 0];
}

static void random_traces(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct make_random r = { seed };
		struct trace_writer *writer = trace_writer_open();
		struct make_dir dir = make_dir();
		uint8_t bytes[96];
		uint8_t *events;
		size_t size;
		char path[128];
		char *first, *second, *third;

		for (unsigned i = 0; i < 300; i++) {
			struct write_record w = { .time = i + 1 };

			random_record(&r, &w, bytes);
			trace_write(writer, (uint32_t)make_below(&r, 4), &w);
		}
		events = trace_writer_finish(writer, &size);
		make_file(&dir, "events.0", events, size);
		free(events);
		first = export(dir.path);
		make_file(&dir, "text.std", first, strlen(first));
		snprintf(path, sizeof path, "%s/text.std", dir.path);
		second = export(path);
		third = through_directory(path);
		assert_string_equal(first, second);
		assert_string_equal(first, third);
		free(first);
		free(second);
		free(third);
		make_remove(&dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),	  cmocka_unit_test(errors),
		cmocka_unit_test(names_by_class), cmocka_unit_test(ignored),
		cmocka_unit_test(random_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
