/*
 * Tests patterns of properties on text traces: the examples of the paper, the meaning of each
 * operator, and leads. Random patterns are in the model test (test/model/patterns).
 */
#include "predict/pattern/pattern_form.h"
#include "predict/driver/predict.h"
#include "spec/spec.h"
#include "trace_make.h"

#include <inttypes.h>

/*
 * Returns findings as "predicted use:1.0 auth:0.1; …": thread and index of each event, '-' after a
 * request.
 */
static char *describe(const struct finding *findings, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s%s", i ? "; " : "", finding_status_name(findings[i].status));
		for (size_t k = 0; k < findings[i].events.count; k++) {
			const struct finding_event *e = &findings[i].events.items[k];

			fprintf(out, " %s:%" PRIu32 ".%" PRIu64 "%s",
				findings[i].property->events[e->named].name, e->id.stream,
				e->id.index, e->before ? "-" : "");
		}
	}
	fclose(out);
	return text;
}

static struct spec_file *parse(const char *property)
{
	struct spec_messages messages = { 0 };
	struct spec_file *file = spec_parse("test.prop", property, &messages);

	if (!file)
		fail_msg("%s", messages.list.items[0].shown);
	spec_messages_free(&messages);
	return file;
}

static uint64_t apart; /* pairs too far apart for one window, as reported by the last prediction */

static void expect_with(const char *lines, const char *property, struct predict_options options,
			const char *expected, const char *leads)
{
	struct make_dir dir = make_dir();
	struct spec_file *file = parse(property);
	struct predict_result result = { 0 };
	struct property_set set = { 0 };
	struct trace *trace;
	char path[128], *found, *led;
	struct err err = { "" };

	make_file(&dir, "text.std", lines, strlen(lines));
	snprintf(path, sizeof path, "%s/text.std", dir.path);
	if (!trace_open(path, &trace, &err) || !property_read(trace, &file, 1, &set, &err))
		fail_msg("%s", err.text);
	options.properties = &set;
	if (!predict_run(trace, &options, &result, &err))
		fail_msg("%s", err.text);
	if (result.stats.rejected)
		fail_msg("%s", result.faults.items[0]);
	apart = result.stats.apart;
	found = describe(result.findings.items, result.findings.count);
	led = describe(result.leads.items, result.leads.count);
	assert_string_equal(found, expected);
	assert_string_equal(led, leads);
	free(found);
	free(led);
	predict_result_free(&result);
	property_set_free(&set);
	spec_free(file);
	trace_close(trace);
	make_remove(&dir);
}

static const struct predict_options usual = {
	.every = true, .window = PREDICT_WINDOW, .jobs = 1, .steps = PREDICT_STEPS
};

static void expect(const char *lines, const char *property, const char *expected)
{
	expect_with(lines, property, usual, expected, "");
}

/* ---- the paper ------------------------------------------------------------------------------- */

/*
 * Figure 2: a collection has two iterators. The updating thread creates one of them after its
 * update; this one does not match.
 */
static void iterator(void **state)
{
	(void)state;
	expect("A|probe c:update(c1)|\nA|fork(B)|\nA|probe c:create(c1,i1)|\nA|probe c:next(i1)|\n"
	       "B|probe c:update(c1)|\nB|probe c:create(c1,i2)|\nB|probe c:next(i2)|\n",
	       "property P(void *c, void *i) {\n"
	       "event create = probe c:create(c, i); event update = probe c:update(c);\n"
	       "event next_ = probe c:next(i); pattern: create next_* update+ next_; }",
	       "predicted create:0.2 update:1.0 next_:0.3");
}

static const char atomicity[] =
	"property P(void *o) { event begin = probe m:b(o); event end = probe m:e(o);\n"
	"event rd = read s; event wr = write s;\n"
	"pattern: begin(t1,<r1) rd(t1) wr(t2) wr(t1) end(t1,>r1); }";

/*
 * Figure 5: the values fix the order, so there is only a lead, which needs a run. With locks there
 * is not even a lead.
 */
static void figure_5(void **state)
{
	struct predict_options options = usual;

	(void)state;
	options.every = false;
	options.leads = true;
	expect_with("A|probe m:b(o)|1\nA|r(s)=0|2\nA|w(s)=1|3\nA|probe m:e(o)|4\n"
		    "A|probe m:b(o)|1\nA|r(s)=1|2\nA|w(s)=2|3\nA|probe m:e(o)|4\n"
		    "B|probe m:b(o)|1\nB|r(s)=2|2\nB|w(s)=3|3\nB|probe m:e(o)|4\n",
		    atomicity, options, "", "warning begin:1.0 rd:1.1 wr:0.6 wr:1.2 end:1.3");
	expect_with(
		"A|acq(l)|\nA|probe m:b(o)|1\nA|r(s)=0|2\nA|w(s)=1|3\nA|probe m:e(o)|4\nA|rel(l)|\n"
		"A|acq(l)|\nA|probe m:b(o)|1\nA|r(s)=1|2\nA|w(s)=2|3\nA|probe m:e(o)|4\nA|rel(l)|\n"
		"B|acq(l)|\nB|probe m:b(o)|1\nB|r(s)=2|2\nB|w(s)=3|3\nB|probe "
		"m:e(o)|4\nB|rel(l)|\n",
		atomicity, options, "", "");
}

/* A deadlock pattern matches before the second lock of either thread is taken. */
static void deadlock(void **state)
{
	static const char property[] =
		"property D(mutex l1, mutex l2) { event r12 = request l2 holding l1;\n"
		"event r21 = request l1 holding l2; pattern: r12(t1) || r21(t2); }";
	struct predict_options options = usual;

	(void)state;
	options.every = false;
	expect_with("A|acq(x)|1\nA|acq(y)|2\nA|rel(y)|3\nA|rel(x)|4\n"
		    "B|acq(y)|5\nB|acq(x)|6\nB|rel(x)|7\nB|rel(y)|8\n",
		    property, options, "predicted r12:0.1- r21:1.1-", "");
	expect("A|acq(g)|\nA|acq(x)|\nA|acq(y)|\nA|rel(y)|\nA|rel(x)|\nA|rel(g)|\n"
	       "B|acq(g)|\nB|acq(y)|\nB|acq(x)|\nB|rel(x)|\nB|rel(y)|\nB|rel(g)|\n",
	       property, "");
}

/* A request that was never granted was made at once, and is still open when D is created. */
static void hanging(void **state)
{
	(void)state;
	expect("A|req(x)|\nB|fork(C)|\nB|fork(D)|\n",
	       "property P(mutex m) { event req = request m; event spawns = spawn;\n"
	       "pattern: (req || spawns) spawns; }",
	       "observed req:0.0- spawns:1.0 spawns:1.1");
	expect("A|req(x)|\nB|fork(C)|\nB|fork(D)|\n",
	       "property P(mutex m) { event req = request m; event spawns = spawn;\n"
	       "pattern: spawns (req || spawns); }",
	       "observed spawns:1.0 req:0.0- spawns:1.1");
}

/*
 * In a group (`||`) the creation of the thread must come first, too. Two events of a group may
 * share an anchor.
 */
static void groups(void **state)
{
	(void)state;
	expect("A|acq(x)|\nB|fork(C)|\nA|rel(x)|\nC|racq(x)|\n",
	       "property P(mutex m) { event req = request m; event rel = release m;\n"
	       "pattern: req || rel; }",
	       "observed req:2.0- rel:0.1");
	expect("A|acq(x)|\nB|req(x)|\nC|probe e:a(o)|\n",
	       "property P(void *o, mutex m) { event a = probe e:a(o); event req = request m;\n"
	       "event acq = acquire m; pattern: (req || a) (req || acq); }",
	       "predicted req:0.0- a:2.0 req:1.0- acq:0.0");
	expect("A|fork(B)|\nC|fork(D)|\n",
	       "property P { event s = spawn; pattern: (s(t1) || s(t2)) | (s(t1) & s(t2)); }",
	       "observed s:0.0 s:2.0; observed s:2.0 s:0.0");
}

/* ---- windows --------------------------------------------------------------------------------- */

#define FILLER "C|w(y)=1|\nC|w(y)=2|\nD|r(y)=2|\nD|r(y)=2|\nC|w(y)=3|\nD|r(y)=3|\n"
#define OUC                                                                                        \
	"property P(void *o) { event open = probe e:o(o); event use = probe e:u(o);\n"             \
	"event close = probe e:c(o); pattern: open close use; }"

/*
 * Events before a window have happened. Pairs in which such an event would have to come after one
 * of the window are counted.
 */
static void past(void **state)
{
	struct predict_options options = usual;

	(void)state;
	options.window = 6;
	expect_with("A|probe e:o(q)|\nA|probe e:o(o)|\n" FILLER FILLER
		    "B|probe e:u(o)|\nA|probe e:c(o)|\n",
		    OUC, options, "predicted open:0.1 close:0.2 use:3.0", "");
	assert_int_equal(apart, 0);
	expect_with("A|probe e:o(o)|\n" FILLER "A|probe e:c(o)|\n" FILLER "B|probe e:u(o)|\n", OUC,
		    options, "observed open:0.0 close:0.1 use:3.0", "");
	expect_with("A|probe e:o(o)|\nB|probe e:u(o)|\n" FILLER FILLER "A|probe e:c(o)|\n", OUC,
		    options, "", "");
	assert_int_equal(apart, 1);
	options.window = 100;
	expect_with("A|probe e:o(o)|\nB|probe e:u(o)|\n" FILLER FILLER "A|probe e:c(o)|\n", OUC,
		    options, "predicted open:0.0 close:0.1 use:1.0", "");
}

/* ---- operators ------------------------------------------------------------------------------- */

#define AB "property P(void *o) { event a = probe e:a(o); event b = probe e:b(o); pattern: "

static void orders(void **state)
{
	(void)state;
	expect("A|probe e:a(o)|\nB|probe e:b(o)|\n", AB "a b; }", "observed a:0.0 b:1.0");
	expect("A|probe e:a(o)|\nB|probe e:b(o)|\n", AB "b a; }", "predicted b:1.0 a:0.0");
	expect("A|probe e:a(o)|\nA|probe e:b(o)|\n", AB "b a; }", "");
	expect("A|probe e:a(o)|\nB|probe e:b(q)|\n", AB "b a; }", "");
	expect("A|probe e:a(o)|\nA|fork(B)|\nB|probe e:b(o)|\n", AB "b a; }", "");
	expect("A|probe e:a(o)|\nB|probe e:b(o)|\n", AB "!(a b); }", "predicted a:0.0 b:1.0");
	expect("A|probe e:a(o)|\nA|probe e:b(o)|\n", AB "!(a b); }", "");
	expect("A|probe e:a(o)|\nB|probe e:b(o)|\n", AB "a(t) b(t); }", "");
	expect("A|probe e:a(o)|\nB|probe e:b(o)|\n", AB "(a a) | (b(t1)? b); }", "observed b:1.0");
}

/* The value of a read does not matter if no other event of the match comes after it. */
static void last_read(void **state)
{
	static const char property[] =
		"property P { event r = read x; event w = write x; pattern: w(t1) r(t2); }";

	(void)state;
	expect("B|r(x)=0|\nA|w(x)=1|\n", property, "predicted w:1.0 r:0.0");
	expect("B|r(x)=0|\nA|w(x)=1|\n",
	       "property P { event r = read x = 0; event w = write x; pattern: w(t1) r(t2); }", "");
}

static void lives(void **state)
{
	static const char property[] = "property P(void *o) { event n = probe e:n(o) new o;\n"
				       "event a = probe e:a(o); event z = probe e:z(o) end o;\n"
				       "event b = probe e:b(o); pattern: b a; }";

	(void)state;
	/* each of the two lifetimes of o has one event */
	expect("A|probe e:n(o)|\nA|probe e:a(o)|\nB|probe e:n(o)|\nB|probe e:b(o)|\n", property,
	       "");
	expect("A|probe e:n(o)|\nA|probe e:a(o)|\nB|probe e:b(o)|\n", property,
	       "predicted b:1.0 a:0.1");
}

/* ---- windows and sites ----------------------------------------------------------------------- */

static void sites(void **state)
{
	struct predict_options options = usual;

	(void)state;
	options.every = false;
	expect_with(
		"A|probe e:a(o)|f:1\nA|probe e:a(o)|f:1\nB|probe e:b(o)|f:2\nB|probe e:b(o)|f:2\n",
		AB "b a; }", options, "predicted b:1.0 a:0.1", "");
	/* two windows; the match is in the second */
	options.window = 4;
	expect_with("A|w(x)=1|f:3\nA|w(x)=1|f:3\nA|w(x)=1|f:3\nA|probe e:a(o)|f:1\nB|probe "
		    "e:b(o)|f:2\n",
		    AB "b a; }", options, "predicted b:1.0 a:0.3", "");
}

/* ---- normal forms ---------------------------------------------------------------------------- */

static void forms(void **state)
{
	struct spec_file *file = parse(AB "((a | b) (a | b)+ a*) & (b | !(a b)); }");
	form_list list = { 0 };

	(void)state;
	assert_true(form_make(file->properties->formulas->pattern, &list));
	assert_int_equal(list.count, 8);
	assert_int_equal(list.items[0].leaves.count, 3);
	assert_true(form_orders(&list.items[0], 0, 1));
	assert_false(form_orders(&list.items[0], 1, 2));
	assert_int_equal(list.items[1].leaves.count, 4);
	assert_int_equal(list.items[1].inverted.count, 1);
	assert_int_equal(list.items[1].inverted.items[0].first, 2);
	form_list_free(&list);
	spec_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(iterator), cmocka_unit_test(figure_5),	 cmocka_unit_test(deadlock),
		cmocka_unit_test(orders),   cmocka_unit_test(last_read), cmocka_unit_test(lives),
		cmocka_unit_test(sites),    cmocka_unit_test(forms),	 cmocka_unit_test(hanging),
		cmocka_unit_test(groups),   cmocka_unit_test(past),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
