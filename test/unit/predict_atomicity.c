/*
 * Tests atomicity violations on text traces: what is found and what is not, for each rule of
 * doc/prediction.md (Atomicity).
 */
#include "predict/atomicity/atomicity_regions.h"
#include "predict/driver/predict.h"

#include "trace_make.h"

#define BEGIN "T1|probe sooth:atomic_begin(r)|begin\n"
#define END "T1|probe sooth:atomic_end(r)|end\n"
#define LOCKED(thread, lock, op) thread "|acq(" lock ")|\n" op thread "|rel(" lock ")|\n"

/* `found`: the status and the events (thread:index) of each finding, in the order of the report. */
struct example {
	const char *name, *text, *found;
};

static const struct example examples[] = {
	/* ---- the four patterns of one variable ---- */
	{ "R-W-W", BEGIN "T1|r(x)=0|a\nT1|w(x)=1|b\n" END "T2|w(x)=2|c\n",
	  "predicted 0:1 1:0 0:2" },
	{ "R-W-R", BEGIN "T1|r(x)=0|a\nT1|r(x)=0|b\n" END "T2|w(x)=2|c\n",
	  "predicted 0:1 1:0 0:2" },
	{ "W-W-R", BEGIN "T1|w(x)=1|a\nT1|r(x)=1|b\n" END "T2|w(x)=2|c\n",
	  "predicted 0:1 1:0 0:2" },
	{ "W-R-W, whose read must see what it saw",
	  BEGIN "T1|w(x)=1|a\nT1|w(x)=1|b\n" END "T2|r(x)=1|c\n", "predicted 0:1 1:0 0:2" },
	{ "W-R-W, whose read saw what was not there yet",
	  BEGIN "T1|w(x)=1|a\nT1|w(x)=2|b\n" END "T2|r(x)=2|c\n", "" },
	{ "reads do not tear reads", BEGIN "T1|r(x)=0|a\nT1|r(x)=0|b\n" END "T2|r(x)=0|c\n", "" },
	{ "the recorded run has it", BEGIN "T1|r(x)=0|a\nT2|w(x)=2|c\nT1|w(x)=1|b\n" END,
	  "observed 0:1 1:0 0:2" },
	{ "parts of a variable", BEGIN "T1|r(x@8)=0|a\nT1|w(x@8)=1|b\n" END "T2|w(x@1)=7|c\n",
	  "predicted 0:1 1:0 0:2" },
	/* ---- locks ---- */
	{ "a lock for each access",
	  BEGIN LOCKED("T1", "m", "T1|r(x)=0|a\n") LOCKED("T1", "m", "T1|w(x)=1|b\n")
		  END LOCKED("T2", "m", "T2|w(x)=2|c\n"),
	  "predicted 0:2 1:1 0:5" },
	{ "one lock for both",
	  BEGIN LOCKED("T1", "m", "T1|r(x)=0|a\nT1|w(x)=1|b\n")
		  END LOCKED("T2", "m", "T2|w(x)=2|c\n"),
	  "" },
	/* ---- two variables ---- */
	{ "both moved in between",
	  "-|init(x)=6|\n-|init(y)=4|\n" BEGIN LOCKED("T1", "m", "T1|r(x)=6|a\n") LOCKED(
		  "T1", "m", "T1|r(y)=4|b\n") END LOCKED("T2", "m", "T2|w(x)=5|c\nT2|w(y)=5|d\n"),
	  "predicted 0:2 1:1 1:2 0:5" },
	{ "in the other order there is no cycle",
	  BEGIN "T1|w(x)=6|a\nT1|w(y)=4|b\n" END "T2|w(y)=5|d\nT2|w(x)=5|c\n", "" },
	/* ---- regions ---- */
	{ "behind the end", BEGIN "T1|r(x)=0|a\n" END "T1|w(x)=1|b\nT2|w(x)=2|c\n", "" },
	{ "never ended", BEGIN "T1|r(x)=0|a\nT1|w(x)=1|b\nT2|w(x)=2|c\n", "predicted 0:1 1:0 0:2" },
	{ "ended by another name",
	  BEGIN "T1|r(x)=0|a\nT1|probe sooth:atomic_end(other)|\n"
		"T1|w(x)=1|b\n" END "T2|w(x)=2|c\n",
	  "predicted 0:1 1:0 0:3" },
	{ "nested ones of one name",
	  BEGIN BEGIN "T1|r(x)=0|a\n" END "T1|w(x)=1|b\n" END "T2|w(x)=2|c\n",
	  "predicted 0:2 1:0 0:4" },
	{ "without the application",
	  "T1|probe atomic_begin(r)|\nT1|r(x)=0|a\nT1|w(x)=1|b\n"
	  "T1|probe atomic_end(r)|\nT2|w(x)=2|c\n",
	  "" },
	{ "without a name",
	  "T1|probe sooth:atomic_begin()|\nT1|r(x)=0|a\nT1|w(x)=1|b\n"
	  "T1|probe sooth:atomic_end()|\nT2|w(x)=2|c\n",
	  "" },
	/* ---- what is no mistake ---- */
	{ "it waits in the middle: a join",
	  "T1|fork(T2)|\n" BEGIN "T1|r(x)=0|a\nT2|w(x)=2|c\nT1|join(T2)|\nT1|w(x)=1|b\n" END, "" },
	{ "it waits in the middle: a condition",
	  BEGIN "T1|acq(m)|\nT1|r(x)=0|a\nT1|wait(c,m)|\nT2|acq(m)|\nT2|w(x)=2|c\nT2|notify(c)|\n"
		"T2|rel(m)|\nT1|woken(c,m)|\nT1|r(x)=2|b\nT1|rel(m)|\n" END,
	  "" },
	{ "it waits in the middle: a semaphore",
	  BEGIN "T1|r(x)=0|a\nT2|w(x)=2|c\nT2|post(s)|\nT1|down(s)|\nT1|w(x)=1|b\n" END, "" },
	{ "it learns: a flag",
	  BEGIN "T1|r(x)=0|a\nT2|w(x)=2|c\nT2|w(f)=1|f\nT1|r(f)=1|g\n"
		"T1|w(x)=1|b\n" END,
	  "observed 0:1 1:0 1:1 0:2" },
	{ "it learns: of that alone",
	  BEGIN "T1|w(x)=7|a\nT2|r(x)=7|c\nT2|w(f)=1|f\nT1|r(f)=1|g\n"
		"T1|w(x)=1|b\n" END,
	  "observed 0:1 1:0 1:1 0:2" },
	{ "a loop that polls", BEGIN "T1|r(x)=0|a\nT1|r(x)=0|a\nT2|w(x)=2|c\nT1|r(x)=2|a\n" END,
	  "" },
	{ "nothing changes", "T1|w(x)=2|z\n" BEGIN "T1|r(x)=2|a\nT1|r(x)=2|b\n" END "T2|w(x)=2|c\n",
	  "" },
	{ "counters", BEGIN "T1|u(x)=0,1|a\nT1|u(x)=1,2|b\n" END "T2|u(x)=2,3|c\n", "" },
	/* ---- critical sections ---- */
	{ "lock A and lock B",
	  LOCKED("T1", "A", "T1|r(x)=0|a\nT1|w(x)=1|b\n") LOCKED("T3", "A", "T3|w(x)=5|d\n")
		  LOCKED("T2", "B", "T2|w(x)=2|c\n"),
	  "predicted 0:1 2:1 0:2" },
	{ "only one thread has it",
	  LOCKED("T1", "A", "T1|r(x)=0|a\nT1|w(x)=1|b\n") LOCKED("T2", "B", "T2|w(x)=2|c\n"), "" },
	{ "a log with its own lock",
	  LOCKED("T1", "A", LOCKED("T1", "B", "T1|r(x)=0|a\n") LOCKED("T1", "B", "T1|w(x)=1|b\n"))
		  LOCKED("T3", "A", LOCKED("T3", "B", "T3|w(x)=5|d\n"))
			  LOCKED("T2", "B", "T2|w(x)=2|c\n"),
	  "" },
	{ "a wait ends the section",
	  "T1|acq(A)|\nT1|r(x)=0|a\nT1|wait(c,A)|\nT2|w(x)=2|c\n" LOCKED(
		  "T3", "A",
		  "T3|r(x)=2|d\n") "T3|notify(c)|\nT1|woken(c,A)|\nT1|w(x)=1|b\nT1|rel(A)|\n",
	  "" },
};

static void open_text(struct make_dir *dir, struct trace **trace, const char *text)
{
	*dir = make_dir();
	*trace = make_text(dir, text);
}

static void predict(const struct trace *trace, bool every, bool leads,
		    struct predict_result *result)
{
	struct predict_options options = { .only = PREDICT_ATOMICITY,
					   .window = PREDICT_WINDOW,
					   .jobs = 1,
					   .every = every,
					   .leads = leads,
					   .steps = PREDICT_STEPS };
	struct err err;

	if (!predict_run(trace, &options, result, &err))
		fail_msg("%s", err.text);
	if (result->stats.rejected)
		fail_msg("%s", result->faults.items[0]);
}

static void spell(const struct finding *f, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "%s", finding_status_name(f->status));

	assert_int_equal(f->kind, FINDING_ATOMICITY);
	for (size_t i = 0; i < f->events.count; i++)
		at += (size_t)snprintf(text + at, size - at, " %u:%u", f->events.items[i].id.stream,
				       (unsigned)f->events.items[i].id.index);
}

static void rule_by_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		const struct example *e = &examples[i];
		struct predict_result result;
		struct make_dir dir;
		struct trace *trace;
		char text[256] = "";

		open_text(&dir, &trace, e->text);
		predict(trace, false, false, &result);
		if (result.findings.count)
			spell(&result.findings.items[0], text, sizeof text);
		if (result.findings.count > 1 || strcmp(text, e->found))
			fail_msg("%s: %zu findings, \"%s\", expected \"%s\"", e->name,
				 result.findings.count, text, e->found);
		predict_result_free(&result);
		trace_close(trace);
		make_remove(&dir);
	}
}

/*
 * One finding for each pair of sites of the region and of r2; with `every`, one for each set of
 * events.
 */
static void every_one(void **state)
{
	static const char twice[] =
		BEGIN "T1|r(x)=0|a\nT1|r(x)=0|b\nT1|w(x)=1|c\n" END "T2|w(x)=2|d\n";
	struct predict_result result;
	struct make_dir dir;
	struct trace *trace;

	(void)state;
	open_text(&dir, &trace, twice);
	predict(trace, false, false, &result);
	assert_int_equal(result.findings.count, 1);
	assert_string_equal(result.findings.items[0].region_name, "r");
	assert_int_equal(result.findings.items[0].region.stream, 0);
	assert_int_equal(result.findings.items[0].region.index, 0);
	predict_result_free(&result);
	predict(trace, true, false, &result);
	/* for a and b, a and c, b and c */
	assert_int_equal(result.findings.count, 3);
	predict_result_free(&result);
	trace_close(trace);
	make_remove(&dir);
}

/*
 * The value that was written depends on the value that was read, so the finding cannot be proved
 * from the recording: it is a lead.
 */
static void a_lead(void **state)
{
	static const char text[] =
		BEGIN LOCKED("T1", "m", "T1|r(x)=0|a\n") LOCKED("T1", "m", "T1|w(x)=1|b\n")
			END LOCKED("T2", "m", "T2|r(x)=1|c\nT2|w(x)=2|d\n");
	struct predict_result result;
	struct make_dir dir;
	struct trace *trace;
	char spelt[256];

	(void)state;
	open_text(&dir, &trace, text);
	predict(trace, false, true, &result);
	assert_int_equal(result.findings.count, 0);
	assert_int_equal(result.leads.count, 1);
	spell(&result.leads.items[0], spelt, sizeof spelt);
	assert_string_equal(spelt, "warning 0:2 1:2 0:5");
	predict_result_free(&result);
	trace_close(trace);
	make_remove(&dir);
}

static void regions_by_stream(void **state)
{
	static const char text[] =
		"T1|probe sooth:atomic_begin(a)|\nT2|probe sooth:atomic_begin(\"b\")|\n"
		"T1|probe sooth:atomic_begin(b)|\nT1|probe sooth:atomic_end(a)|\n"
		"T1|probe sooth:atomic_end(c)|\nT1|w(x)=1|\n";
	const struct region *r;
	struct regions regions;
	struct make_dir dir;
	struct trace *trace;
	size_t count;

	(void)state;
	open_text(&dir, &trace, text);
	regions_read(&regions, trace);
	r = regions_of(&regions, 0, &count);
	assert_int_equal(count, 2);
	assert_int_equal(r[0].begin, 0);
	assert_int_equal(r[0].end, 2);
	assert_int_equal(r[1].begin, 1);
	assert_int_equal(r[1].end, UINT64_MAX);
	assert_string_equal(intern_text(&regions.names, r[1].name), "b");
	assert_int_equal(regions_of(&regions, 1, &count)->name, r[1].name);
	assert_int_equal(count, 1);
	regions_of(&regions, 2, &count);
	assert_int_equal(count, 0);
	regions_free(&regions);
	trace_close(trace);
	make_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rule_by_rule),
		cmocka_unit_test(every_one),
		cmocka_unit_test(a_lead),
		cmocka_unit_test(regions_by_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
