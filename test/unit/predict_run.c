/*
 * Tests the whole prediction on text traces: findings, their counts and witnesses; and that neither
 * the number of threads nor the size of windows adds false findings.
 */
#include "predict/driver/predict.h"

#include "base/mem.h"
#include "trace_make.h"

struct run {
	struct make_dir dir;
	struct trace *trace;
	struct predict_options options;
	struct predict_result result;
};

static void start(struct run *run, const char *text)
{
	char path[128];
	struct err err;

	*run = (struct run){ .dir = make_dir() };
	run->options = (struct predict_options){
		.only = PREDICT_ALL, .window = PREDICT_WINDOW, .jobs = 1, .steps = PREDICT_STEPS
	};
	make_file(&run->dir, "text.std", text, strlen(text));
	snprintf(path, sizeof path, "%s/text.std", run->dir.path);
	if (!trace_open(path, &run->trace, &err))
		fail_msg("%s", err.text);
}

static void predict(struct run *run)
{
	struct err err;

	predict_result_free(&run->result);
	if (!predict_run(run->trace, &run->options, &run->result, &err))
		fail_msg("%s", err.text);
	if (run->result.stats.rejected)
		fail_msg("%s", run->result.faults.items[0]);
	assert_int_equal(run->result.stats.unknown, 0);
}

static void stop(struct run *run)
{
	predict_result_free(&run->result);
	trace_close(run->trace);
	make_remove(&run->dir);
}

static void expect_event(const struct finding_event *event, uint32_t stream, uint64_t index)
{
	assert_int_equal(event->id.stream, stream);
	assert_int_equal(event->id.index, index);
}

/* ---- one race ------------------------------------------------------------------------------ */

static const char hidden[] = "T0|fork(T1)|a.c:1\n"
			     "T0|acq(l)|a.c:2\n"
			     "T0|w(x)=1|a.c:3\n"
			     "T0|rel(l)|a.c:4\n"
			     "T0|w(y)=1|a.c:5\n"
			     "T1|acq(l)|a.c:6\n"
			     "T1|r(z)=0|a.c:7\n"
			     "T1|rel(l)|a.c:8\n"
			     "T1|acq(k)|a.c:9\n"
			     "T1|w(x)=2|a.c:10\n"
			     "T1|rel(k)|a.c:11\n";

/* The threads took the lock one after the other, but nothing forces this order. */
static void hidden_race(void **state)
{
	const struct finding *finding;
	struct run run;

	(void)state;
	start(&run, hidden);
	predict(&run);
	assert_int_equal(run.result.findings.count, 1);
	finding = &run.result.findings.items[0];
	assert_int_equal(finding->kind, FINDING_RACE);
	assert_int_equal(finding->status, FINDING_PREDICTED);
	assert_int_equal(finding->count, 1);
	assert_false(finding->environment);
	assert_int_equal(finding->events.count, 2);
	expect_event(&finding->events.items[0], 0, 2);
	expect_event(&finding->events.items[1], 1, 4);
	assert_int_equal(finding->events.items[0].held.count, 1);
	assert_int_equal(finding->events.items[0].held.items[0].taken.index, 1);
	assert_int_equal(finding->events.items[1].held.count, 1);
	assert_int_equal(finding->events.items[1].held.items[0].taken.index, 3);
	assert_int_equal(finding->start.count, 0);
	/*
	 * fork, all of T1 up to its write, T0 up to its own: each event of a text trace is a step
	 */
	assert_int_equal(finding->steps.count, 6);
	assert_int_equal(finding->steps.items[0].index, 0);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(finding->steps.items[1 + i].stream, 1);
		assert_int_equal(finding->steps.items[1 + i].index, i);
	}
	assert_int_equal(finding->steps.items[5].stream, 0);
	assert_int_equal(finding->steps.items[5].index, 1);
	assert_int_equal(run.result.stats.threads, 2);
	assert_int_equal(run.result.stats.events, 11);
	assert_int_equal(run.result.stats.candidates, 1);
	stop(&run);
}

static void only_what_is_wanted(void **state)
{
	struct run run;

	(void)state;
	start(&run, hidden);
	run.options.only = PREDICT_DEADLOCK | PREDICT_LOST_SIGNAL;
	predict(&run);
	assert_int_equal(run.result.findings.count, 0);
	assert_int_equal(run.result.stats.candidates, 0);
	stop(&run);
}

/* T2 is created only after T0 has read a value that T1 wrote after its own write. */
static void not_created_is_not_next(void **state)
{
	struct run run;

	(void)state;
	start(&run, "T1|w(x)=1|a.c:1\n"
		    "T1|w(y)=1|a.c:2\n"
		    "T0|r(y)=1|a.c:3\n"
		    "T0|fork(T2)|a.c:4\n"
		    "T2|w(x)=2|a.c:5\n");
	run.options.only = PREDICT_RACE;
	predict(&run);
	/* only the race on y */
	assert_int_equal(run.result.findings.count, 1);
	expect_event(&run.result.findings.items[0].events.items[0], 0, 1);
	stop(&run);
}

/* ---- many ------------------------------------------------------------------------------------ */

/* Both threads repeat the same accesses: one pair of sites, many pairs of events. */
static void one_for_each_pair_of_sites(void **state)
{
	struct run run;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (int i = 0; i < 10; i++)
		fprintf(out, "T0|w(x)|a.c:1\nT1|w(x)|a.c:2\n");
	fclose(out);
	start(&run, text);
	predict(&run);
	assert_int_equal(run.result.findings.count, 1);
	assert_int_equal(run.result.findings.items[0].count, 1);
	assert_int_equal(run.result.stats.candidates, 100);
	assert_int_equal(run.result.stats.queries, 1);
	assert_int_equal(run.result.stats.same_sites, 99);

	run.options.every = true;
	predict(&run);
	assert_int_equal(run.result.findings.count, 100);
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(run.result.findings.items[i].count, 1);

	/* windows of 4 events that start two events apart: only near pairs are found */
	run.options.window = 4;
	predict(&run);
	assert_int_equal(run.result.findings.count, 10 + 2 * 9);
	assert_true(run.result.findings.items[20].start.count == 2);

	run.options.every = false;
	predict(&run);
	assert_int_equal(run.result.findings.count, 1);
	/* two pairs per window in the first batch of windows would be too many: one per window */
	assert_int_equal(run.result.findings.items[0].count, 9);
	stop(&run);
	free(text);
}

static uint64_t seed = 1;

static uint32_t pick(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/*
 * Makes a trace of three threads that write and read four variables, sometimes under one of two
 * locks.
 */
static char *random_text(uint32_t lines)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int owner[2] = { -1, -1 };
	uint32_t value[4] = { 0 };

	for (uint32_t i = 0; i < lines; i++) {
		int thread = (int)pick(3);
		uint32_t lock = pick(2), x = pick(4), place = pick(12);

		if (pick(3) == 0 && owner[lock] == thread) {
			fprintf(out, "T%d|rel(l%u)|a.c:%u\n", thread, lock, place);
			owner[lock] = -1;
		} else if (pick(3) == 0 && owner[lock] < 0) {
			fprintf(out, "T%d|acq(l%u)|a.c:%u\n", thread, lock, place);
			owner[lock] = thread;
		} else if (pick(2)) {
			fprintf(out, "T%d|r(x%u)=%u|a.c:%u\n", thread, x, value[x], place);
		} else {
			value[x] = pick(3);
			fprintf(out, "T%d|w(x%u)=%u|a.c:%u\n", thread, x, value[x], place);
		}
	}
	fclose(out);
	return text;
}

static void expect_same(const struct predict_result *a, const struct predict_result *b)
{
	assert_int_equal(a->findings.count, b->findings.count);
	for (size_t i = 0; i < a->findings.count; i++) {
		const struct finding *x = &a->findings.items[i], *y = &b->findings.items[i];

		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->count, y->count);
		assert_int_equal(x->events.count, y->events.count);
		for (size_t j = 0; j < x->events.count; j++)
			expect_event(&x->events.items[j], y->events.items[j].id.stream,
				     y->events.items[j].id.index);
		assert_int_equal(x->steps.count, y->steps.count);
		for (size_t j = 0; j < x->steps.count; j++) {
			assert_int_equal(x->steps.items[j].stream, y->steps.items[j].stream);
			assert_int_equal(x->steps.items[j].index, y->steps.items[j].index);
		}
	}
	assert_int_equal(a->stats.candidates, b->stats.candidates);
	assert_int_equal(a->stats.queries, b->stats.queries);
	assert_int_equal(a->stats.impossible, b->stats.impossible);
}

static void any_number_of_threads(void **state)
{
	char *text = random_text(3000);
	struct predict_result alone;
	struct run run;

	(void)state;
	start(&run, text);
	run.options.window = 60;
	predict(&run);
	assert_true(run.result.findings.count > 0);
	alone = run.result;
	run.result = (struct predict_result){ 0 };
	for (run.options.jobs = 2; run.options.jobs < 5; run.options.jobs++) {
		predict(&run);
		expect_same(&alone, &run.result);
	}
	predict_result_free(&alone);
	stop(&run);
	free(text);
}

static void no_time(void **state)
{
	char *text = random_text(3000);
	struct run run;

	(void)state;
	start(&run, text);
	run.options.window = 60;
	run.options.seconds = 1e-9;
	predict(&run);
	assert_int_equal(run.result.findings.count, 0);
	assert_true(run.result.stats.windows_left > 0);
	stop(&run);
	free(text);
}

/*
 * A thread waits for two locks, b and c, at two sites with the same locks held. Only one of the
 * sites can be in a cycle. Whatever numbers the sites have, the two must not be confused.
 */
static void two_places(void **state)
{
	(void)state;
	for (int padding = 0; padding < 16; padding++) {
		char text[2048];
		struct run run;
		int used = sprintf(text, "T0|acq(h)|\nT0|acq(g)|\nT0|acq(b)|first\nT0|rel(b)|\n");

		for (int i = 0; i < padding; i++)
			used += sprintf(text + used, "T0|r(x)|p%d\n", i);
		sprintf(text + used, "T0|acq(c)|second\nT0|rel(c)|\nT0|rel(g)|\nT0|rel(h)|\n"
				     "T1|acq(h)|\nT1|acq(b)|\nT1|acq(g)|\n"
				     "T1|rel(g)|\nT1|rel(b)|\nT1|rel(h)|\n"
				     "T1|acq(c)|\nT1|acq(g)|\nT1|rel(g)|\nT1|rel(c)|\n");
		start(&run, text);
		predict(&run);
		assert_int_equal(run.result.findings.count, 1);
		expect_event(&run.result.findings.items[0].events.items[0], 0,
			     4 + (uint64_t)padding);
		stop(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_race),
		cmocka_unit_test(only_what_is_wanted),
		cmocka_unit_test(not_created_is_not_next),
		cmocka_unit_test(one_for_each_pair_of_sites),
		cmocka_unit_test(any_number_of_threads),
		cmocka_unit_test(no_time),
		cmocka_unit_test(two_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
