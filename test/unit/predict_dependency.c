/*
 * Tests the dependency graph and its windows: by hand, and on random traces compared with figure 11
 * of the paper, taken literally, with our more precise ends.
 */
#include "predict/warnings/dependency.h"

#include "base/mem.h"
#include "trace_make.h"

#include <inttypes.h>

struct run {
	struct make_dir dir;
	struct trace *trace;
	struct dependency *dependency;
	dependency_threads window;
};

static void start(struct run *run, const char *text)
{
	char path[128];
	struct err err;

	*run = (struct run){ .dir = make_dir() };
	make_file(&run->dir, "text.std", text, strlen(text));
	snprintf(path, sizeof path, "%s/text.std", run->dir.path);
	if (!trace_open(path, &run->trace, &err))
		fail_msg("%s", err.text);
	run->dependency = dependency_open(run->trace);
}

static void stop(struct run *run)
{
	vec_free(&run->window);
	dependency_close(run->dependency);
	trace_close(run->trace);
	make_remove(&run->dir);
}

/* Expects the window of one thread, as "0:3 2:all". */
static void expect_window(struct run *run, uint32_t thread, uint64_t end, const char *wanted)
{
	struct dependency_thread seed = { thread, end };
	char text[256] = "";

	dependency_thread_set(run->dependency, &seed, 1, &run->window);
	for (size_t i = 0; i < run->window.count; i++) {
		const struct dependency_thread *t = &run->window.items[i];
		size_t used = strlen(text);

		if (t->end == DEPENDENCY_ALL)
			snprintf(text + used, sizeof text - used, "%s%" PRIu32 ":all", i ? " " : "",
				 t->thread);
		else
			snprintf(text + used, sizeof text - used, "%s%" PRIu32 ":%" PRIu64,
				 i ? " " : "", t->thread, t->end);
	}
	assert_string_equal(text, wanted);
}

/* ---- by hand ------------------------------------------------------------------------------- */

/* Main creates three threads and reads all results. The first two threads share x. */
static const char pairs[] = "T0|fork(T1)|1\n"
			    "T0|fork(T2)|2\n"
			    "T0|fork(T3)|3\n"
			    "T1|w(x)=1|4\n"
			    "T2|r(x)=1|5\n"
			    "T2|w(y)=1|6\n"
			    "T3|w(z)=1|7\n"
			    "T1|end()|8\n"
			    "T2|end()|9\n"
			    "T3|end()|10\n"
			    "T0|join(T1)|11\n"
			    "T0|join(T2)|12\n"
			    "T0|join(T3)|13\n"
			    "T0|r(y)=1|14\n"
			    "T0|r(z)=1|15\n";

static void creators_and_writers(void **state)
{
	struct run run;

	(void)state;
	start(&run, pairs);
	/* main is included only up to the creation: the reads after it add no threads */
	expect_window(&run, 1, DEPENDENCY_ALL, "0:1 1:all");
	expect_window(&run, 2, DEPENDENCY_ALL, "0:2 1:1 2:all");
	expect_window(&run, 3, DEPENDENCY_ALL, "0:3 3:all");
	/* before its read the second thread depends on no other thread */
	expect_window(&run, 2, 0, "");
	expect_window(&run, 3, 1, "0:3 3:1");
	/*
	 * all of main: it depends on the threads that it joins and on the writers of what it reads
	 */
	expect_window(&run, 0, DEPENDENCY_ALL, "0:all 1:2 2:3 3:2");
	/* a thread that is not in the trace */
	expect_window(&run, 17, DEPENDENCY_ALL, "");
	stop(&run);
}

/*
 * A thread depends on the thread whose post or signal let it continue, but not on a thread that
 * used the same lock.
 */
static void sync_objects(void **state)
{
	struct run run;

	(void)state;
	start(&run, "T0|post(s)|1\n"
		    "T1|down(s)|2\n"
		    "T1|acq(m)|3\n"
		    "T1|rel(m)|4\n"
		    "T2|acq(m)|5\n"
		    "T2|wait(c,m)|6\n"
		    "T3|acq(m)|7\n"
		    "T3|rel(m)|8\n"
		    "T3|notify(c)|9\n"
		    "T2|woken(c,m)|10\n"
		    "T2|rel(m)|11\n");
	expect_window(&run, 1, DEPENDENCY_ALL, "0:1 1:all");
	expect_window(&run, 2, DEPENDENCY_ALL, "2:all 3:3");
	stop(&run);
}

/* The second lifetime of a block has no dependency on the first. */
static void lives(void **state)
{
	struct run run;

	(void)state;
	start(&run, "T0|alloc(p,8)|1\n"
		    "T0|w(p)=1|2\n"
		    "T0|free(p)|3\n"
		    "T1|alloc(p,8)|4\n"
		    "T1|w(p)=2|5\n"
		    "T2|r(p)=2|6\n");
	expect_window(&run, 2, DEPENDENCY_ALL, "1:2 2:all");
	stop(&run);
}

/* ---- random -------------------------------------------------------------------------------- */

#define THREADS 6
#define EVENTS 24
#define VARIABLES 5

struct random_event {
	/* the variable, or VARIABLES + number of the created thread */
	uint32_t thread, index, what;
	bool write;
};

static size_t make_events(struct make_random *r, struct random_event *events, char *text)
{
	uint32_t counts[THREADS] = { 0 }, known = 1;

	for (size_t i = 0; i < EVENTS; i++) {
		struct random_event *e = &events[i];

		e->thread = (uint32_t)make_below(r, known);
		e->index = counts[e->thread]++;
		e->write = make_below(r, 3) == 0;
		if (known < THREADS && make_below(r, 4) == 0) {
			e->what = VARIABLES + known++;
			text += sprintf(text, "T%u|fork(T%u)|%zu\n", e->thread, e->what - VARIABLES,
					i);
		} else {
			e->what = (uint32_t)make_below(r, VARIABLES);
			text += sprintf(text, "T%u|%c(x%u)|%zu\n", e->thread, e->write ? 'w' : 'r',
					e->what, i);
		}
	}
	return EVENTS;
}

/* One round of the definition: extends the window by all direct dependencies. */
static bool extend(const struct random_event *events, uint64_t end[THREADS])
{
	bool changed = false;

	for (size_t i = 0; i < EVENTS; i++) {
		for (size_t k = 0; k < EVENTS; k++) {
			const struct random_event *a = &events[i], *b = &events[k];
			bool creates = a->what >= VARIABLES && end[a->what - VARIABLES] > 0;
			bool gives = a->what < VARIABLES && a->write && b->what == a->what &&
				     !b->write && a->thread != b->thread &&
				     b->index < end[b->thread];

			if ((creates || gives) && end[a->thread] <= a->index) {
				end[a->thread] = a->index + 1;
				changed = true;
			}
		}
	}
	return changed;
}

static void random_traces(void **state)
{
	struct make_random random = { 20 };

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct random_event events[EVENTS];
		char text[EVENTS * 32];
		struct run run;

		make_events(&random, events, text);
		start(&run, text);
		for (uint32_t seed = 0; seed < THREADS; seed++) {
			uint64_t end[THREADS] = { 0 };
			struct dependency_thread from = { seed, 1 + make_below(&random, 6) };
			size_t found = 0;

			if (trace_find_stream(run.trace, seed) == TRACE_NONE)
				continue;
			end[seed] = from.end;
			while (extend(events, end))
				;
			dependency_thread_set(run.dependency, &from, 1, &run.window);
			for (uint32_t t = 0; t < THREADS; t++) {
				if (!end[t])
					continue;
				assert_true(found < run.window.count);
				assert_int_equal(run.window.items[found].thread, t);
				assert_int_equal(run.window.items[found].end, end[t]);
				found++;
			}
			assert_int_equal(found, run.window.count);
		}
		stop(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creators_and_writers),
		cmocka_unit_test(sync_objects),
		cmocka_unit_test(lives),
		cmocka_unit_test(random_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
