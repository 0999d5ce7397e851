/* Tests what `trace check` accepts and what it refuses. */
#include "trace_make.h"

#include "trace/check.h"

static void check_text(const char *text, struct check_report *report)
{
	struct make_dir dir = make_dir();
	struct trace *trace = NULL;
	struct err err;
	char path[128];

	snprintf(path, sizeof path, "%s/text.std", dir.path);
	make_file(&dir, "text.std", text, strlen(text));
	if (!trace_open(path, &trace, &err))
		fail_msg("%s", err.text);
	trace_check(trace, report);
	trace_close(trace);
	make_remove(&dir);
}

static void good(const char *text)
{
	struct check_report report;

	check_text(text, &report);
	if (report.violation_count)
		fail_msg("%s: %s", text, report.violations.items[0]);
	check_report_free(&report);
}

static void bad(const char *text, const char *message)
{
	struct check_report report;

	check_text(text, &report);
	if (!report.violation_count)
		fail_msg("accepted: %s", text);
	if (!strstr(report.violations.items[0], message))
		fail_msg("expected \"%s\" in: %s", message, report.violations.items[0]);
	check_report_free(&report);
}

static void locks(void **state)
{
	(void)state;
	good("A|acq(m)|\nA|acq(m)|\nA|rel(m)|\nA|rel(m)|\nB|acq(m)|\n");
	bad("A|acq(m)|\nB|acq(m)|\n", "B event 0 (line 2): takes lock");
	bad("A|acq(m)|\nA|acq(m)|\nA|rel(m)|\nB|acq(m)|\n", "while stream 0 holds it");
	good("A|acq(m)|\nB|rel(m)|\nB|acq(m)|\n"); /* a note: it is misuse, but possible */
	good("A|racq(m)|\nB|racq(m)|\nA|rrel(m)|\nB|rrel(m)|\nB|acq(m)|\n");
	bad("A|racq(m)|\nB|acq(m)|\n", "for writing");
	bad("A|acq(m)|\nB|racq(m)|\n", "for reading");
	good("A|acq(m)|\nA|end|\nB|acq(m)|\n"); /* possible with a robust mutex */
}

static void conditions(void **state)
{
	(void)state;
	good("A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\nA|woken(c,m)|\nA|rel(m)|"
	     "\n");
	bad("A|wait(c,m)|\n", "does not hold");
	bad("A|acq(m)|\nB|wait(c,m)|\n", "which stream 0 holds");
	bad("A|acq(m)|\nA|woken(c,m)|\n", "without waiting");
	bad("A|acq(m)|\nA|wait(c,m)|\nA|rel(m)|\n", "while it waits");
	bad("A|acq(m)|\nA|wait(c,m)|\nA|r(x)|\n", "while it waits");
	bad("A|acq(m)|\nA|wait(c,m)|\nA|woken(c,l)|\n", "waits with another");
	bad("A|oncebegin(o)|\nB|onceend(o)|\n", "which it does not run");
	bad("H|r(x)|\nA|r(x)|\nH|handler(A,10)|\nH|handlerend|\n", "not running");
	bad("A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nA|woken(c,m)|\n", "wakes up with lock");
}

static void threads(void **state)
{
	(void)state;
	good("A|fork(B)|\nB|begin|\nB|end|\nA|join(B)|\n");
	bad("A|fork(B)|\nA|fork(B)|\n", "second time");
	bad("B|w(x)|\nA|fork(B)|\n", "had events before");
	bad("B|w(x)|\nB|begin|\n", "had events before");
	bad("A|fork(B)|\nB|w(x)|\nA|join(B)|\nB|w(x)|\n", "after it was joined");
}

static void others(void **state)
{
	(void)state;
	good("A|sinit(s,1)|\nA|down(s)|\nB|post(s)|\nA|down(s)|\n");
	bad("A|sinit(s,1)|\nA|down(s)|\nA|down(s)|\n", "which is at 0");
	good("A|down(s)|\n"); /* the initial value is unknown */
	good("A|barrier(b,2)|\nB|barrier(b,2)|\nB|passed(b)=serial|\nA|passed(b)|\n");
	bad("A|barrier(b,2)|\nA|passed(b)|\n", "with 1 of 2 there");
	/* a handler holds the locks of its thread */
	good("A|init(m)=recursive|\nA|acq(m)|\nH|handler(A,10)|\nH|acq(m)|\nH|rel(m)|\nH|"
	     "handlerend|\n"
	     "A|rel(m)|\nB|acq(m)|\n");
	good("A|acq(m)|\nH|handler(A,10)|\nH|wait(c,m)|\n");
	bad("A|acq(m)|\nH|handler(B,10)|\nH|acq(m)|\n", "while stream 0 holds it");
	/*
	 * when one thread has passed, the barrier may end and begin again; the other thread passes
	 * after that
	 */
	good("A|barrier(b,2)|\nB|barrier(b,2)|\nB|passed(b)=serial|\nB|bdestroy(b)|\nB|binit(b,2)|"
	     "\n"
	     "B|barrier(b,2)|\nA|passed(b)|\n");
	bad("A|barrier(b,2)|\nB|barrier(b,2)|\nB|passed(b)=serial|\nB|bdestroy(b)|\nB|binit(b,2)|\n"
	    "B|barrier(b,2)|\nA|passed(b)|\nB|passed(b)|\n",
	    "with 1 of 2 there");
	bad("A|binit(b,3)|\nA|barrier(b,2)|\n", "made for 3");
	good("A|oncebegin(o)|\nA|onceend(o)|\nB|once(o)|\n");
	bad("A|oncebegin(o)|\nB|once(o)|\n", "being run");
	good("A|alloc(p,8)|\nB|free(p)|\nA|alloc(p,9)|\nA|free(p)|\n");
	bad("A|alloc(p,8)|\nA|free(p)|\nB|free(p)|\n", "which is already free");
}

static void atomics(void **state)
{
	(void)state;
	good("A|wa(x)=1|\nB|u(x)=1,2|\nA|ra(x)=2|\nA|ra(x@4)=2|\n");
	bad("A|wa(x)=1|\nB|ra(x)=2|\n", "did not write");
	bad("A|wa(x)=1|\nB|u(x)=0,2|\n", "did not write");
	good("A|wa(x)=1|\nB|w(x)=2|\nA|ra(x)=2|\n"); /* a plain write is in between */
	/* the value that the update wrote is not recorded */
	good("A|wa(x)=1|\nB|u(x)|\nA|ra(x)=2|\n");
	bad("A|wa(x)=1|\nB|ra(x)|\nA|ra(x)=2|\n", "did not write");
	good("A|wa(0x1000)=1|\nA|alloc(0x0ff0,64)|\nB|ra(0x1000)=2|\n");
	good("A|wa(0x1000)=1|\nA|wa(0x1004@4)=1|\nB|ra(0x1000)=4294967297|\n");
}

/* ---- traces whose order is known by numbers only ------------------------------------------ */

static void write_all(struct trace_writer *w, const struct write_record *records, size_t count,
		      const uint32_t *streams, struct check_report *report)
{
	struct make_dir dir = make_dir();
	struct trace *trace;
	uint8_t *events;
	size_t size;

	for (size_t i = 0; i < count; i++)
		trace_write(w, streams[i], &records[i]);
	events = trace_writer_finish(w, &size);
	make_file(&dir, "events.0", events, size);
	free(events);
	trace = make_open(&dir);
	trace_check(trace, report);
	trace_close(trace);
	make_remove(&dir);
}

/* Times are only hints, sequence numbers decide: here the clocks contradict the numbers. */
static void numbers_decide(void **state)
{
	static const struct write_record records[] = {
		{ .kind = EV_ACQUIRE, .a = 8, .sequence = 3, .time = 1 },
		{ .kind = EV_RELEASE, .a = 8, .sequence = 4, .time = 2 },
		{ .kind = EV_ACQUIRE, .a = 8, .sequence = 1, .time = 5 },
		{ .kind = EV_RELEASE, .a = 8, .sequence = 2, .time = 6 },
	};
	struct check_report report;

	(void)state;
	write_all(trace_writer_open(), records, 4, (uint32_t[]){ 0, 0, 1, 1 }, &report);
	assert_int_equal(report.violation_count, 0);
	assert_int_equal(report.events, 4);
	check_report_free(&report);
}

/*
 * Another thread takes the mutex of a waiting thread: the wait has released it, although it has no
 * sequence number for the mutex.
 */
static void waits_release(void **state)
{
	static const struct write_record records[] = {
		{ .kind = EV_ACQUIRE, .a = 8, .sequence = 1, .time = 10 },
		{ .kind = EV_WAIT, .a = 16, .b = 8, .sequence = 1, .time = 20 },
		{ .kind = EV_WOKEN, .a = 16, .b = 8, .sequence = 3, .time = 21 },
		{ .kind = EV_RELEASE, .a = 8, .sequence = 4, .time = 22 },
		{ .kind = EV_ACQUIRE, .a = 8, .sequence = 2, .time = 15 },
		{ .kind = EV_SIGNAL, .a = 16, .sequence = 2, .time = 16 },
		{ .kind = EV_RELEASE, .a = 8, .sequence = 3, .time = 17 },
	};
	struct check_report report;

	(void)state;
	write_all(trace_writer_open(), records, 7, (uint32_t[]){ 0, 0, 0, 0, 1, 1, 1 }, &report);
	if (report.violation_count)
		fail_msg("%s", report.violations.items[0]);
	check_report_free(&report);
}

/*
 * Atomics: a value that no recorded operation wrote came from unrecorded code. A value that was
 * written too early or too late is wrong.
 */
static void unseen_writers(void **state)
{
	struct write_record records[] = {
		{ .kind = EV_ATOMIC_WRITE,
		  .a = 8,
		  .n = 1,
		  .sequence = 1,
		  .time = 1,
		  .bytes = "a",
		  .size = 1 },
		{ .kind = EV_ATOMIC_WRITE,
		  .a = 8,
		  .n = 1,
		  .sequence = 2,
		  .time = 2,
		  .bytes = "b",
		  .size = 1 },
		{ .kind = EV_ATOMIC_READ,
		  .a = 8,
		  .n = 1,
		  .sequence = 3,
		  .time = 3,
		  .bytes = "x",
		  .size = 1 },
	};
	struct check_report report;

	(void)state;
	write_all(trace_writer_open(), records, 3, (uint32_t[]){ 0, 0, 1 }, &report);
	assert_int_equal(report.violation_count, 0);
	assert_int_equal(report.note_count, 1);
	check_report_free(&report);
	records[2].bytes = "a";
	write_all(trace_writer_open(), records, 3, (uint32_t[]){ 0, 0, 1 }, &report);
	assert_int_equal(report.violation_count, 1);
	check_report_free(&report);
}

/* Sequence numbers that contradict the order within the threads. */
static void a_circle(void **state)
{
	static const struct write_record records[] = {
		{ .kind = EV_SIGNAL, .a = 8, .sequence = 2, .time = 1 },
		{ .kind = EV_SIGNAL, .a = 16, .sequence = 1, .time = 2 },
		{ .kind = EV_SIGNAL, .a = 16, .sequence = 2, .time = 1 },
		{ .kind = EV_SIGNAL, .a = 8, .sequence = 1, .time = 2 },
	};
	struct check_report report;

	(void)state;
	write_all(trace_writer_open(), records, 4, (uint32_t[]){ 0, 0, 1, 1 }, &report);
	assert_int_equal(report.violation_count, 1);
	assert_non_null(strstr(report.violations.items[0], "is not possible here"));
	check_report_free(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(locks),	 cmocka_unit_test(conditions),
		cmocka_unit_test(threads),	 cmocka_unit_test(others),
		cmocka_unit_test(atomics),	 cmocka_unit_test(numbers_decide),
		cmocka_unit_test(waits_release), cmocka_unit_test(unseen_writers),
		cmocka_unit_test(a_circle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
