/*
 * Tests that src/predict/deadlock/deadlock.c and stuck.c find exactly the deadlocks and lost
 * signals that are listed with each small trace, by thread and index of each blocked event.
 */
#include "trace_make.h"

#include "predict/driver/predict.h"

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Writes findings as "deadlock A1 B2, lost-signal …", in alphabetical order. */
static void describe(const struct trace *trace, const struct predict_result *result, char *text,
		     size_t room)
{
	char lines[32][128];
	size_t used = 0;

	assert_true(result->findings.count <= 32);
	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *finding = &result->findings.items[i];
		char events[16][32];
		int n = snprintf(lines[i], sizeof lines[i], "%s%s",
				 finding->status == FINDING_OBSERVED ? "observed " : "",
				 finding_kind_name(finding->kind));

		assert_true(finding->events.count <= 16);
		for (size_t k = 0; k < finding->events.count; k++) {
			struct event_id id = finding->events.items[k].id;

			snprintf(events[k], sizeof events[k], "%s%d",
				 trace_thread_name(trace, id.stream), (int)id.index);
		}
		qsort(events, finding->events.count, sizeof *events, compare_texts);
		for (size_t k = 0; k < finding->events.count; k++)
			n += snprintf(lines[i] + n, sizeof lines[i] - (size_t)n, " %s", events[k]);
	}
	qsort(lines, result->findings.count, sizeof *lines, compare_texts);
	text[0] = '\0';
	for (size_t i = 0; i < result->findings.count; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "", lines[i]);
}

static void expect_with(const char *source, const struct predict_options *options,
			const char *expected)
{
	struct make_dir dir = make_dir();
	struct predict_result result;
	struct trace *trace;
	struct err err;
	char path[128], text[2048];

	snprintf(path, sizeof path, "%s/text.std", dir.path);
	make_file(&dir, "text.std", source, strlen(source));
	if (!trace_open(path, &trace, &err) || !predict_run(trace, options, &result, &err))
		fail_msg("%s", err.text);
	describe(trace, &result, text, sizeof text);
	if (strcmp(text, expected))
		fail_msg("%s\nexpected: %s\nfound:    %s", source, expected, text);
	if (result.faults.count)
		fail_msg("%s\n%s", source, result.faults.items[0]);
	assert_int_equal(result.stats.rejected + result.stats.unknown + result.stats.not_asked, 0);
	predict_result_free(&result);
	trace_close(trace);
	make_remove(&dir);
}

static const struct predict_options all = {
	.only = PREDICT_DEADLOCK | PREDICT_LOST_SIGNAL,
	.every = true,
	.window = 1000,
	.jobs = 1,
};

static void expect(const char *source, const char *expected)
{
	expect_with(source, &all, expected);
}

static void expect_window(const char *source, uint32_t window, const char *expected)
{
	struct predict_options options = all;

	options.window = window;
	expect_with(source, &options, expected);
}

/* Expects one finding for each set of sites. */
static void expect_places(const char *source, const char *expected)
{
	struct predict_options options = all;

	options.every = false;
	expect_with(source, &options, expected);
}

#define NEST(t, a, b) t "|acq(" a ")|\n" t "|acq(" b ")|\n" t "|rel(" b ")|\n" t "|rel(" a ")|\n"

static void cycles(void **state)
{
	(void)state;
	expect(NEST("A", "l", "m") NEST("B", "m", "l"), "deadlock A1 B1");
	expect(NEST("A", "l", "m") NEST("B", "l", "m"), "");
	expect(NEST("A", "l", "m") NEST("A", "m", "l"), "");
	expect(NEST("A", "k", "l") NEST("B", "l", "m") NEST("C", "m", "k"), "deadlock A1 B1 C1");
	/* one finding for each pair of executions */
	expect(NEST("A", "l", "m") NEST("A", "l", "m") NEST("B", "m", "l"),
	       "deadlock A1 B1, deadlock A5 B1");
	/* a gate lock; then a gate lock that is held only for reading */
	expect("A|acq(g)|\n" NEST("A", "l", "m") "A|rel(g)|\nB|acq(g)|\n" NEST("B", "m",
									       "l") "B|rel(g)|\n",
	       "");
	expect("A|racq(g)|\n" NEST("A", "l", "m") "A|rrel(g)|\nB|racq(g)|\n" NEST(
		       "B", "m", "l") "B|rrel(g)|\n",
	       "deadlock A2 B2");
	/* the threads are ordered by a fork, by a join, by a value */
	expect(NEST("A", "l", "m") "A|fork(B)|\n" NEST("B", "m", "l"), "");
	expect("A|fork(B)|\n" NEST("B", "m", "l") "A|join(B)|\n" NEST("A", "l", "m"), "");
	expect(NEST("A", "l", "m") "A|w(x)=1|\nB|r(x)=1|\n" NEST("B", "m", "l"), "");
	/* a try never waits */
	expect("A|acq(l)|\nA|tryacq(m)=1|\nA|rel(m)|\nA|rel(l)|\n" NEST("B", "m", "l"), "");
	expect("A|acq(l)|\nA|acq(m)=timed|\nA|rel(m)|\nA|rel(l)|\n" NEST("B", "m", "l"), "");
	/* the holder takes the lock again */
	expect("A|acq(l)|\nA|acq(m)|\nA|acq(l)|\nA|rel(l)|\nA|rel(m)|\nA|rel(l)|\n" NEST("B", "m",
											 "l"),
	       "deadlock A1 B1");
}

static void cycles_of_other_things(void **state)
{
	(void)state;
	/* readers and a writer; two readers */
	expect("A|racq(l)|\nA|acq(m)|\nA|rel(m)|\nA|rrel(l)|\n" NEST("B", "m", "l"),
	       "deadlock A1 B1");
	expect("A|racq(l)|\nA|acq(m)|\nA|rel(m)|\nA|rrel(l)|\n"
	       "B|acq(m)|\nB|racq(l)|\nB|rrel(l)|\nB|rel(m)|\n",
	       "");
	/* a thread that joins while it holds a lock that the joined thread needs */
	expect("M|fork(A)|\nA|acq(l)|\nA|rel(l)|\nM|acq(l)|\nM|join(A)|\nM|rel(l)|\n",
	       "deadlock A0 M2");
	/* a once whose routine needs a lock that a caller holds */
	expect("A|oncebegin(o)|\nA|acq(l)|\nA|rel(l)|\nA|onceend(o)|\n"
	       "B|acq(l)|\nB|once(o)|\nB|rel(l)|\n",
	       "deadlock A1 B1");
	/* a woken thread that needs its mutex back while it holds another lock */
	expect("A|acq(k)|\nA|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\n"
	       "A|woken(c,m)|\nA|rel(m)|\nA|rel(k)|\n" NEST("B", "m", "k"),
	       "deadlock A1 B4, deadlock A3 B4, lost-signal A3");
}

static void hanging(void **state)
{
	(void)state;
	expect("A|acq(l)|\nA|req(l)|\n", "observed deadlock A1");
	expect("A|acq(l)|\nB|acq(m)|\nA|req(m)|\nB|req(l)|\n", "observed deadlock A1 B1");
	expect("M|fork(A)|\nM|acq(l)|\nM|jreq(A)|\nA|req(l)|\n", "observed deadlock A0 M2");
	expect("M|fork(A)|\nA|sreq(s)|\nM|jreq(A)|\n", "observed deadlock A0 M1");
	/* the lock that B requests is free: B was only slow */
	expect("A|acq(l)|\nB|req(l)|\nA|rel(l)|\n", "");
	/* the holder has ended */
	expect("A|acq(l)|\nB|req(l)|\n", "observed deadlock B0");
}

static void nobody_goes_on(void **state)
{
	(void)state;
	/* the signal first, then the wait */
	expect("A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\nA|woken(c,m)|\nA|rel("
	       "m)|\n",
	       "lost-signal A2");
	/* the same with a variable that says that the signal was sent */
	expect("A|acq(m)|\nA|r(x)=0|\nA|wait(c,m)|\nB|acq(m)|\nB|w(x)=1|\nB|notify(c)|\nB|rel(m)|\n"
	       "A|woken(c,m)|\nA|rel(m)|\n",
	       "");
	/* a wait with a time-out never blocks for ever */
	expect("A|acq(m)|\nA|wait(c,m)=timed|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\n"
	       "A|woken(c,m)|\nA|rel(m)|\n",
	       "");
	/* another thread can continue: no thread is stuck before C is */
	expect("A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\nA|woken(c,m)|\nA|rel("
	       "m)|\n"
	       "A|fork(C)|\nC|w(x)=1|\n",
	       "lost-signal A2");
	/* each thread has one semaphore and needs the other */
	expect("-|init(x)=0|\nM|post(s)|\nM|post(t)|\nM|fork(A)|\nM|fork(B)|\n"
	       "A|down(s)|\nA|down(t)|\nA|post(s)|\nA|post(t)|\n"
	       "B|down(t)|\nB|down(s)|\nB|post(s)|\nB|post(t)|\nM|join(A)|\n",
	       "deadlock A1 B1 M4");
	/* a barrier that one thread cannot reach */
	expect("A|down(s)|\nA|barrier(b,2)|\nB|barrier(b,2)|\nA|passed(b)|\nB|passed(b)|\n", "");
}

static void windows(void **state)
{
	(void)state;
	/*
	 * the cycle is far back in the trace, and is reported once although two windows contain it
	 */
	expect_window("A|w(x)|\nA|w(x)|\nA|w(x)|\nA|w(x)|\n" NEST("A", "l", "m")
			      NEST("B", "m", "l"),
		      12, "deadlock A5 B1");
	expect_window(
		NEST("A", "l", "m") "A|w(x)|\nA|w(x)|\nA|w(x)|\nA|w(x)|\n" NEST("B", "m", "l"), 6,
		"");
	/* one thread has been blocked since an early window */
	expect_window(
		"A|acq(l)|\nB|acq(m)|\nA|req(m)|\nB|w(x)|\nB|w(x)|\nB|w(x)|\nB|w(x)|\nB|w(x)|\n"
		"B|w(x)|\nB|req(l)|\n",
		4, "observed deadlock A1 B7");
}

#define NEST_AT(t, a, b, place)                                                                    \
	t "|acq(" a ")|" place ":1\n" t "|acq(" b ")|" place ":2\n" t "|rel(" b ")|" place         \
	  ":3\n" t "|rel(" a ")|" place ":4\n"

static void places(void **state)
{
	char text[8192] = "";

	(void)state;
	/* repetitions of one site in a loop are one finding; two sites are two */
	expect_places(NEST_AT("A", "l", "m", "f") NEST_AT("A", "l", "m", "f")
			      NEST_AT("B", "m", "l", "g") NEST_AT("B", "m", "l", "g"),
		      "deadlock A1 B1");
	expect_places(NEST_AT("A", "l", "m", "f") NEST_AT("A", "l", "m", "h")
			      NEST_AT("B", "m", "l", "g"),
		      "deadlock A1 B1, deadlock A5 B1");
	/*
	 * of many executions of one site only the last is possible: B starts when A is nearly done
	 */
	for (int i = 0; i < 20; i++)
		strcat(text, NEST_AT("A", "l", "m", "f"));
	strcat(text, "A|w(x)=1|f:5\n" NEST_AT("A", "l", "m", "f") "B|r(x)=1|g:5\n");
	for (int i = 0; i < 20; i++)
		strcat(text, NEST_AT("B", "m", "l", "g"));
	expect_places(text, "deadlock A82 B2");
}

static void only(void **state)
{
	const char *text = "A|acq(m)|\nA|wait(c,m)|\nB|acq(m)|\nB|notify(c)|\nB|rel(m)|\n"
			   "A|woken(c,m)|\nA|rel(m)|\n" NEST("A", "l", "m") NEST("B", "m", "l");
	struct predict_options options = all;

	(void)state;
	expect(text, "deadlock A5 B4, lost-signal A2");
	options.only = PREDICT_DEADLOCK;
	expect_with(text, &options, "deadlock A5 B4");
	options.only = PREDICT_LOST_SIGNAL;
	expect_with(text, &options, "lost-signal A2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles),  cmocka_unit_test(cycles_of_other_things),
		cmocka_unit_test(hanging), cmocka_unit_test(nobody_goes_on),
		cmocka_unit_test(windows), cmocka_unit_test(places),
		cmocka_unit_test(only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
