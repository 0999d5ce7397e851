/*
 * Tests grammars on the schedules of predictions. The width of the lattice is limited to 1, so the
 * lattice contains only the recorded run. Anything else that is found was found on a schedule.
 */
#include "property_make.h"

#include "monitor/observe/observe.h"

static const char property[] =
	"property Circle(mutex m) { view global;\n"
	" event want = request m; event take = acquire m; event drop = release m;\n"
	" grammar (wants = {}, has = {}) {\n"
	"  S : want { wants[want.tid] = want.m } S\n"
	"   | take { wants[take.tid] = nil; bump(has, take.tid, take.m, 1) } S\n"
	"   | drop { bump(has, drop.tid, drop.m, -1) } S\n"
	"   | { g = graph()\n"
	"       for t, m in pairs(wants) do for u, h in pairs(has) do\n"
	"         if u ~= t and h[m] then g:edge(t, u) end end end }\n"
	"     assert(g.acyclic) ; } }\n";
static const char run[] = "A|fork(B)|\n"
			  "A|acq(x)|a:1\nA|acq(y)|a:2\nA|rel(y)|a:3\nA|rel(x)|a:4\n"
			  "B|begin|\n"
			  "B|acq(y)|b:1\nB|acq(x)|b:2\nB|rel(x)|b:3\nB|rel(y)|b:4\n";

struct observed {
	struct trace *trace;
	struct spec_file *file;
	struct property_set set;
	struct observe_result result;
};

static void observe(struct observed *o, const struct observe_schedule *schedule, size_t count)
{
	struct err err = { "" };

	o->trace = make_trace(run);
	o->file = make_file(property);
	assert_true(property_read(o->trace, &o->file, 1, &o->set, &err));
	if (!observe_run(o->trace, &o->set,
			 &(struct observe_options){ .breadth = 1,
						    .jobs = 1,
						    .files = &o->file,
						    .file_count = 1,
						    .schedules = schedule,
						    .schedule_count = count },
			 &o->result, &err))
		fail_msg("%s", err.text);
	if (o->result.faults.count)
		fail_msg("%s", o->result.faults.items[0]);
}

static void close_observed(struct observed *o)
{
	observe_result_free(&o->result);
	property_set_free(&o->set);
	spec_free(o->file);
	trace_close(o->trace);
}

static void not_on_the_recorded_run(void **state)
{
	struct observed o = { 0 };

	(void)state;
	observe(&o, NULL, 0);
	assert_int_equal(o.result.findings.count, 0);
	close_observed(&o);
}

/*
 * Expects one finding on a schedule after which each thread holds one lock and is at the request
 * for the other lock.
 */
static void expect_circle(const struct observe_schedule *schedule)
{
	struct observed o = { 0 };
	const struct observe_finding *f;

	observe(&o, schedule, 1);
	assert_int_equal(o.result.findings.count, 1);
	f = &o.result.findings.items[0];
	assert_false(f->observed);
	assert_true(f->before);
	assert_int_equal(f->sentence->violation.fault, GRAMMAR_ASSERTION);
	assert_int_equal(f->sentence->session_length, 6);
	close_observed(&o);
}

static void on_a_schedule(void **state)
{
	static const struct event_id steps[] = { { 0, 1 }, { 1, 1 } };

	(void)state;
	expect_circle(&(struct observe_schedule){ .steps = steps, .step_count = 2 });
}

static void on_a_schedule_with_a_start(void **state)
{
	static const struct event_id start[] = { { 0, 2 } }, steps[] = { { 1, 1 } };

	(void)state;
	expect_circle(&(struct observe_schedule){ start, 1, steps, 1 });
}

/* One of the threads gets both locks: no deadlock on this schedule. */
static void on_a_good_schedule(void **state)
{
	static const struct event_id steps[] = { { 0, 2 } };
	struct observed o = { 0 };

	(void)state;
	observe(&o, &(struct observe_schedule){ .steps = steps, .step_count = 1 }, 1);
	assert_int_equal(o.result.findings.count, 0);
	close_observed(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_on_the_recorded_run),
		cmocka_unit_test(on_a_schedule),
		cmocka_unit_test(on_a_schedule_with_a_start),
		cmocka_unit_test(on_a_good_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
