/*
 * Tests recordings of controlled runs: steps, the file `schedule`, the order that it gives, and
 * errors in it.
 */
#include "trace_make.h"

#include "event/control.h"
#include "trace/check.h"
#include "trace/order.h"

/* Expects the order of the trace, as "T0.0 T1.0 …": thread and index of each event. */
static void expect_order(const struct make_dir *dir, const char *expected)
{
	struct trace *trace = make_open(dir);
	struct trace_order *order = trace_order_open(trace);
	struct trace_event ev;
	char text[512];
	size_t length = 0;

	while (trace_order_next(order, &ev)) {
		assert_false(trace_order_was_forced(order));
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%u.%d",
					   length ? " " : "", ev.stream,
					   ev.index == TRACE_NO_INDEX ? -1 : (int)ev.index);
		assert_true(length < sizeof text);
	}
	trace_order_close(order);
	trace_close(trace);
	assert_string_equal(text, expected);
}

/* ---- steps -------------------------------------------------------------------------------- */

static void steps_are_counted(void **state)
{
	static const struct make_line lines[] = {
		{ 0, { .kind = EV_READ, .time = 1, .a = 8, .n = 1, .bytes = "a", .size = 1 } },
		{ 0, { .kind = EV_ENTER, .time = 1 } },
		{ 0, { .kind = EV_COPY, .time = 1, .a = 16, .b = 8, .n = 1 } },
		{ 0, { .kind = EV_UNMODELLED, .time = 1, .bytes = "x", .size = 1 } },
		{ 0, { .kind = EV_REQUEST, .time = 2, .sequence = 1, .a = 24 } },
		{ 0, { .kind = EV_ACQUIRE, .time = 3, .sequence = 2, .a = 24 } },
		{ 0, { .kind = EV_DOWN_REQUEST, .time = 4, .sequence = 1, .a = 32 } },
		{ 0, { .kind = EV_JOIN_REQUEST, .time = 5, .n = 1 } },
		{ 0, { .kind = EV_FILL, .time = 5, .a = 40, .n = 100, .m = 7 } },
		{ 0, { .kind = EV_READ_REQUEST, .time = 6, .sequence = 1, .a = 48 } },
		{ 0, { .kind = EV_PROBE, .time = 6, .bytes = "p()", .size = 3 } },
		{ 0, { .kind = EV_EXIT, .time = 6 } },
		{ 0, { .kind = EV_SYNC, .time = 7 } },
	};
	static const uint64_t expected[] = { 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5 };
	struct make_dir dir = make_recording(lines, sizeof lines / sizeof lines[0], NULL, 0);
	struct trace *trace = make_open(&dir);
	struct trace_cursor *c = trace_cursor_open(trace, 0);
	struct trace_event ev;
	struct err err;

	(void)state;
	assert_false(trace_has_schedule(trace));
	for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
		assert_true(trace_next(c, &ev, &err));
		if (ev.step != expected[i])
			fail_msg("event %zu, %s: step %d", i, event_name(ev.kind), (int)ev.step);
	}
	assert_false(trace_next(c, &ev, &err));
	trace_cursor_close(c);
	trace_close(trace);
	make_remove(&dir);
}

/* ---- order -------------------------------------------------------------------------------- */

/* The clock does not tell which thread was first, and for accesses nothing else does. */
static const struct make_line racers[] = {
	{ 0, { .kind = EV_CREATE, .time = 1, .n = 1 } },
	{ 0, { .kind = EV_WRITE, .time = 1, .a = 8, .n = 1 } },
	{ 0, { .kind = EV_WRITE, .time = 1, .a = 9, .n = 1 } },
	{ 0, { .kind = EV_REQUEST, .time = 9, .sequence = 2, .a = 24 } },
	{ 0, { .kind = EV_ACQUIRE, .time = 10, .sequence = 4, .a = 24 } },
	{ 1, { .kind = EV_BEGIN, .time = 4, .n = 0 } },
	{ 1, { .kind = EV_ACQUIRE, .time = 5, .sequence = 1, .a = 24 } },
	{ 1, { .kind = EV_WRITE, .time = 5, .a = 8, .n = 1 } },
	{ 1, { .kind = EV_RELEASE, .time = 11, .sequence = 3, .a = 24 } },
	{ 1, { .kind = EV_END, .time = 12 } },
};
#define RACERS (sizeof racers / sizeof racers[0])

/* A request is no step, and belongs to the slice before it. */
static void the_schedule_decides(void **state)
{
	static const struct control_slice runs[] = {
		{ 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 5 }, { 0, 4 }
	};
	struct make_dir dir = make_recording(racers, RACERS, runs, sizeof runs);
	struct trace *trace = make_open(&dir);
	size_t count;

	(void)state;
	assert_true(trace_has_schedule(trace));
	assert_memory_equal(trace_schedule(trace, &count), runs, sizeof runs);
	assert_int_equal(count, 5);
	assert_int_equal(trace_switch_count(trace), 4);
	trace_close(trace);
	expect_order(&dir, "0.0 0.1 1.0 1.1 0.2 0.3 1.2 1.3 1.4 0.4");
	make_remove(&dir);
}

/* The program was killed: the last slice is missing, and unused space is there. */
static void the_rest_follows(void **state)
{
	static const struct control_slice runs[512] = { { 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 5 } };
	static const struct control_slice early[] = { { 0, 2 }, { 1, 2 } };
	struct make_dir dir = make_recording(racers, RACERS, runs, sizeof runs);

	(void)state;
	expect_order(&dir, "0.0 0.1 1.0 1.1 0.2 0.3 1.2 1.3 1.4 0.4");
	make_remove(&dir);
	/* much of the schedule is missing: numbers and times decide from there on */
	dir = make_recording(racers, RACERS, early, sizeof early);
	expect_order(&dir, "0.0 0.1 1.0 1.1 0.2 1.2 0.3 1.3 0.4 1.4");
	make_remove(&dir);
}

/* A handler is ordered where it interrupted its thread, before the thread's next step. */
static void handlers_cut_in(void **state)
{
	static const struct control_slice runs[] = { { 0, 1 }, { 1, 2 }, { 0, 2 } };
	struct make_dir dir = make_dir();
	struct trace_writer *w = trace_writer_open();
	struct write_record write = { .kind = EV_WRITE, .time = 1, .a = 8, .n = 1 };
	struct trace_position at;
	struct trace *trace;
	struct trace_cursor *c;
	struct trace_event ev;
	struct err err;
	uint8_t *events;
	size_t size;

	(void)state;
	trace_writer_set_host(w, 9, 0);
	trace_write(w, 0, &write);
	at = trace_writer_position(w, 0);
	trace_write(w, 0, &write);
	write.time = 3;
	trace_write(w, 1, &write);
	write.time = 8;
	trace_write(w, 1, &write);
	trace_write(
		w, 9,
		&(struct write_record){
			.kind = EV_HANDLER, .time = 5, .n = 10, .a = at.block, .b = at.offset });
	write.time = 6;
	trace_write(w, 9, &write);
	trace_write(w, 9, &(struct write_record){ .kind = EV_HANDLER_END, .time = 20 });
	events = trace_writer_finish(w, &size);
	make_file(&dir, "events.0", events, size);
	free(events);
	make_file(&dir, "schedule", runs, sizeof runs);
	expect_order(&dir, "0.0 1.0 9.-1 9.0 1.1 9.-1 0.1");
	trace = make_open(&dir);
	c = trace_cursor_open(trace, 2);
	while (trace_next(c, &ev, &err))
		assert_true(ev.step == TRACE_NO_STEP);
	trace_cursor_close(c);
	trace_close(trace);
	make_remove(&dir);
}

/* ---- damage ------------------------------------------------------------------------------- */

static void judge(const void *schedule, size_t bytes, const char *message)
{
	struct make_dir dir = make_recording(racers, RACERS, schedule, bytes);
	struct trace *trace = make_open(&dir);
	struct check_report report;

	trace_check(trace, &report);
	if (message && !report.violation_count)
		fail_msg("accepted; expected: %s", message);
	if (!message && report.violation_count)
		fail_msg("%s", report.violations.items[0]);
	if (message && !strstr(report.violations.items[0], message))
		fail_msg("expected \"%s\" in: %s", message, report.violations.items[0]);
	check_report_free(&report);
	trace_close(trace);
	make_remove(&dir);
}

static void what_check_demands(void **state)
{
	static const struct control_slice good[] = {
		{ 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 5 }, { 0, 4 }
	};
	static const struct control_slice back[] = { { 0, 2 }, { 1, 2 }, { 0, 1 }, { 1, 5 } };
	static const struct control_slice hole[] = { { 0, 2 }, { 0, 0 }, { 1, 2 } };
	static const struct control_slice more[] = {
		{ 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 6 }, { 0, 4 }
	};
	static const struct control_slice less[] = { { 0, 2 }, { 1, 2 }, { 0, 3 } };
	static const struct control_slice wrong[] = { { 0, 4 }, { 1, 5 } };

	(void)state;
	judge(good, sizeof good, NULL);
	judge(good, sizeof good - sizeof good[0], NULL); /* the last slice is not written */
	judge(good, sizeof good - 3, "offset 0x20: the file ends inside a slice");
	judge(back, sizeof back, "offset 0x10: thread 0 goes back from step 2 to 1");
	judge(hole, sizeof hole, "offset 0x8: thread 0 goes back from step 2 to 0");
	judge(more, sizeof more, "T1 does 6 steps in the schedule, but its stream has 5");
	judge(less, sizeof less, "T1 does 2 steps in the schedule, but its stream has 5");
	judge(wrong, sizeof wrong, "comes after number 4");
}

/* Whatever the file contains, the result is an order that has all events once. */
static void forged_schedules(void **state)
{
	struct make_random random = { 4711 };

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		struct control_slice runs[8];
		size_t count = make_below(&random, 8), events = 0;
		struct make_dir dir;
		struct trace *trace;
		struct trace_order *order;
		struct trace_event ev;

		for (size_t i = 0; i < count; i++)
			runs[i] = (struct control_slice){ (uint32_t)make_below(&random, 4),
							  (uint32_t)make_below(&random, 8) };
		dir = make_recording(racers, RACERS, runs, count * sizeof runs[0]);
		trace = make_open(&dir);
		order = trace_order_open(trace);
		while (trace_order_next(order, &ev))
			events++;
		assert_int_equal(events, RACERS);
		trace_order_close(order);
		trace_close(trace);
		make_remove(&dir);
	}
}

/* ---- paths -------------------------------------------------------------------------------- */

static void threads_have_paths(void **state)
{
	static const struct make_line lines[] = {
		{ 0, { .kind = EV_CREATE, .time = 1, .n = 1 } },
		{ 0, { .kind = EV_CREATE, .time = 2, .n = 4 } },
		{ 1, { .kind = EV_BEGIN, .time = 3, .n = 0 } },
		{ 1, { .kind = EV_CREATE, .time = 4, .n = 5 } }, /* created, but never ran */
		{ 4, { .kind = EV_BEGIN, .time = 5, .n = 0 } },
		{ 4, { .kind = EV_CREATE, .time = 6, .n = 0 } }, /* corrupt: … */
		{ 4, { .kind = EV_CREATE, .time = 6, .n = 4 } },
		{ 4, { .kind = EV_CREATE, .time = 6, .n = 3 } },
	};
	static const struct control_thread expected[] = {
		{ 0, 0 }, { 0, 0 }, { CONTROL_NONE, CONTROL_NONE }, { 4, 2 }, { 0, 1 }, { 1, 0 }
	};
	struct make_dir dir = make_recording(lines, sizeof lines / sizeof lines[0], NULL, 0);
	struct trace *trace = make_open(&dir);
	struct control_thread *threads;
	struct make_line far = { 0, { .kind = EV_CREATE, .time = 1, .n = CONTROL_THREADS } };
	uint32_t count;
	struct err err;

	(void)state;
	assert_true(trace_threads_by_path(trace, &threads, &count, &err));
	assert_int_equal(count, 6);
	assert_memory_equal(threads, expected, sizeof expected);
	free(threads);
	trace_close(trace);
	make_remove(&dir);
	dir = make_recording(&far, 1, NULL, 0);
	trace = make_open(&dir);
	assert_false(trace_threads_by_path(trace, &threads, &count, &err));
	assert_non_null(strstr(err.text, "at most 4096 threads"));
	trace_close(trace);
	make_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_counted),  cmocka_unit_test(the_schedule_decides),
		cmocka_unit_test(the_rest_follows),   cmocka_unit_test(handlers_cut_in),
		cmocka_unit_test(what_check_demands), cmocka_unit_test(forged_schedules),
		cmocka_unit_test(threads_have_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
