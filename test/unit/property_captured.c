/*
 * Tests the values that events have for grammars: locals, functions and the thread, both from
 * property_read() and from the reader that returns one event at a time.
 */
#include "property_make.h"

/* ---- shown ----------------------------------------------------------------------------------- */

static void print_captured(FILE *out, const struct spec_value *value)
{
	switch (value->type) {
	case SPEC_VALUE_UNKNOWN: fputs(value->cut ? "lost" : "-", out); break;
	case SPEC_VALUE_INT: fprintf(out, "%" PRId64, value->number); break;
	case SPEC_VALUE_REAL: fprintf(out, "%g", value->real); break;
	default: fprintf(out, "'%.*s'%s", (int)value->length, value->text, value->cut ? "..." : "");
	}
}

/* Prints an event as "put k=3 what='a' main>step T1": locals, caller>callee, thread. */
static void print_event(FILE *out, const struct spec_event *event,
			const struct spec_value *captured)
{
	const struct spec_value *more = captured + event->local_count;

	fputs(event->name, out);
	for (uint32_t l = 0; l < event->local_count; l++) {
		fprintf(out, " %s=", event->locals[l]);
		print_captured(out, &captured[l]);
	}
	fputc(' ', out);
	print_captured(out, &more[PROPERTY_CALLER]);
	fputc('>', out);
	print_captured(out, &more[PROPERTY_CALLEE]);
	fprintf(out, " T%" PRId64 "\n", more[PROPERTY_TID].number);
}

static char *show_set(const struct property_events *events)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < events->events.count; i++) {
		const struct property_event *e = &events->events.items[i];

		print_event(out, &events->property->events[e->event],
			    &events->captured.items[e->captured]);
	}
	fclose(out);
	return text;
}

static char *show_stream(const struct trace *trace, struct spec_file *file)
{
	struct property_reader *reader = property_reader_open(trace, &file, 1);
	struct property_step step;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (property_reader_next(reader, &step)) {
		if (step.kind != PROPERTY_HAPPENED || step.property)
			continue;
		print_event(out, &file->properties->events[step.event.event], step.captured);
	}
	fclose(out);
	property_reader_close(reader);
	return text;
}

/* Expects the events of the first property of the file. */
static void expect_captured(const struct trace *trace, struct spec_file *file, const char *expected)
{
	struct property_set set;
	struct err err;
	char *shown;

	if (!property_read(trace, &file, 1, &set, &err))
		fail_msg("%s", err.text);
	shown = show_set(&set.properties.items[0]);
	assert_string_equal(shown, expected);
	free(shown);
	shown = show_stream(trace, file);
	assert_string_equal(shown, expected);
	free(shown);
	property_set_free(&set);
}

static void expect_text(const char *properties, const char *text, const char *expected)
{
	struct trace *trace = make_trace(text);
	struct spec_file *file = make_file(properties);

	expect_captured(trace, file, expected);
	spec_free(file);
	trace_close(trace);
}

/* ---- text traces ----------------------------------------------------------------------------- */

static void texts(void **state)
{
	(void)state;
	expect_text("property P(struct t *o) {\n"
		    "  view object o;\n"
		    "  event put = call put(o, k, what);\n"
		    "  event got = return get(o, _) = v;\n"
		    "  event w = write o->n = v;\n"
		    "  event l = acquire o->m, acquire big;\n"
		    "  event r = release o->m, release big;\n"
		    "  event says = probe app:says(o, d);\n"
		    "  grammar { S : put S | got S | w S | l S | r S | says S | ; }\n"
		    "}\n",
		    "T1|call main()|1\n"
		    "T1|acq(o1.m)|2\n"
		    "T1|call put(o1,3,\"a b\")|3\n"
		    "T1|w(o1.n)=7|4\n"
		    "T1|ret put|5\n"
		    "T1|call get(o1,4)|6\n"
		    "T1|ret get=-1|7\n"
		    "T1|rel(o1.m)|8\n"
		    "T1|fork(T2)|9\n"
		    "T2|tryacq(big)=1|10\n"
		    "T2|call put(o1,x,?)|11\n"
		    "T2|probe says(o1,1.5)|12\n"
		    "T2|rel(big)|13\n",
		    "l 'main'>'lock' T0\n"
		    "put k=3 what='a b' 'main'>'put' T0\n"
		    "w v=7 'put'>- T0\n"
		    "got v=-1 'main'>'get' T0\n"
		    "r 'main'>'unlock' T0\n"
		    "l ->'trylock' T1\n"
		    "put k='x' what=lost ->'put' T1\n"
		    "says d=1.5 'put'>'says' T1\n"
		    "r 'put'>'unlock' T1\n");
}

/* If several points of one event match one anchor, they are one event with the locals of all. */
static void merged(void **state)
{
	(void)state;
	expect_text("property P {\n"
		    "  event e = call f(a, _), call f(_, b), call g(c);\n"
		    "  grammar { S : e S | ; }\n"
		    "}\n",
		    "T1|call f(1,2)|1\nT1|call g(3)|2\n",
		    "e a=1 b=2 c=- ->'f' T0\n"
		    "e a=- b=- c=3 'f'>'g' T0\n");
}

/* The implicit locals `tid` and `atomic` that filters use are there as well. */
static void implicit(void **state)
{
	(void)state;
	expect_text("property P {\n"
		    "  event e = write x = v if (tid >= 0 && atomic == 0);\n"
		    "  event u = write x = v if (atomic);\n"
		    "  grammar { S : e S | u S | ; }\n"
		    "}\n",
		    "T1|w(x)=1|1\nT2|w(x)=2|2\nT1|u(x)=2,3|3\n",
		    "e v=1 tid=0 atomic=0 ->- T0\n"
		    "e v=2 tid=1 atomic=0 ->- T1\n"
		    "u v=3 atomic=1 ->- T0\n");
}

/*
 * Events at one anchor have the order of the property, also if they start lifetimes, and for the
 * read and the write of an update.
 */
static void in_order(void **state)
{
	(void)state;
	expect_text("property P(struct t *o) {\n"
		    "  view object o;\n"
		    "  event first = write *o = v;\n"
		    "  event second = read *o = v;\n"
		    "  event third = call f(o, k);\n"
		    "  event fourth = call f(o, k) new o;\n"
		    "  grammar { S : first S | second S | third S | fourth S | ; }\n"
		    "}\n",
		    "T1|u(x)=1,2|1\nT1|call f(x,5)|2\n",
		    "first v=2 ->- T0\n"
		    "second v=1 ->- T0\n"
		    "third k=5 ->'f' T0\n"
		    "fourth k=5 ->'f' T0\n");
}

/* ---- recordings ------------------------------------------------------------------------------ */

static const char program_text[] =
	"#include <pthread.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"struct obj { int n; pthread_mutex_t m; pthread_rwlock_t rw; double rate; };\n"
	"static pthread_once_t once = PTHREAD_ONCE_INIT;\n"
	"static char text[300];\n"
	"static int step(struct obj *o, int k, const char *what, double d)\n"
	"{\n"
	"	o->n += k;\n"
	"	o->rate = d;\n"
	"	if (what && what[0] == 'z')\n"
	"		puts(what);\n"
	"	if (k <= 1000)\n"
	"		return o->n;\n"
	"	k = step(o, k - 1000, 0, d);\n"
	"	return k < 0 ? 0 : k;\n"
	"}\n"
	"static inline int middle(struct obj *o, unsigned char k)\n"
	"{\n"
	"	int r;\n"
	"	pthread_mutex_lock(&o->m);\n"
	"	r = step(o, k, \"middle\", 0.5);\n"
	"	pthread_mutex_unlock(&o->m);\n"
	"	free(malloc(k));\n"
	"	return r;\n"
	"}\n"
	"__attribute__((noinline)) int outer(struct obj *o)\n"
	"{\n"
	"	return middle(o, 200) + step(o, -4, text, 1.5);\n"
	"}\n"
	"static int compare(const void *a, const void *b)\n"
	"{\n"
	"	return step((struct obj *)a, 1, \"compare\", 2) - *(int *)b;\n"
	"}\n"
	"static void init(void) { memset(text, 'x', sizeof text - 1); }\n"
	"static void *thread(void *p)\n"
	"{\n"
	"	struct obj *o = p;\n"
	"	outer(o);\n"
	"	if (!pthread_rwlock_tryrdlock(&o->rw))\n"
	"		pthread_rwlock_unlock(&o->rw);\n"
	"	return NULL;\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	struct obj *o = calloc(2, sizeof *o);\n"
	"	pthread_t t;\n"
	"	pthread_once(&once, init);\n"
	"	pthread_mutex_init(&o->m, 0);\n"
	"	pthread_rwlock_init(&o->rw, 0);\n"
	"	pthread_create(&t, 0, thread, o);\n"
	"	pthread_join(t, 0);\n"
	"	step(o, 1001, 0, 3);\n"
	"	qsort(o, 2, sizeof *o, compare);\n"
	"	free(o);\n"
	"	return 0;\n"
	"}\n";

static const char property_text[] =
	"property P(struct obj *o) {\n"
	"  view global;\n"
	"  event put = call step(o, k, what, d);\n"
	"  event got = return step(_, ...) = v;\n"
	"  event in = exec middle(o, k);\n"
	"  event w = write o->n = v;\n"
	"  event x = write o->rate = v;\n"
	"  event l = acquire o->m, acquire o->rw;\n"
	"  event u = release o->m, release o->rw;\n"
	"  event end = call free(o) if (tid == 0);\n"
	"  event other = exec compare(...), exec init(), exec thread(...);\n"
	"  grammar { S : put S | got S | in S | w S | x S | l S | u S | end S | other S | ; }\n"
	"}\n";

static void write_text(const char *path, const char *text)
{
	struct err err;

	if (!file_write(path, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

static char *expected_events(void)
{
	char xs[257], *text;

	memset(xs, 'x', 256);
	xs[256] = 0;
	if (asprintf(&text,
		     "other 'main'>'init' T0\n"
		     "other ->'thread' T1\n"
		     "in k=200 'outer'>'middle' T1\n"
		     "l 'middle'>'lock' T1\n"
		     "put k=200 what='middle' d=0.5 'middle'>'step' T1\n"
		     "w v=200 'step'>- T1\n"
		     "x v=0.5 'step'>- T1\n"
		     "got v=200 'middle'>'step' T1\n"
		     "u 'middle'>'unlock' T1\n"
		     "put k=-4 what='%s'... d=1.5 'outer'>'step' T1\n"
		     "w v=196 'step'>- T1\n"
		     "x v=1.5 'step'>- T1\n"
		     "got v=196 'outer'>'step' T1\n"
		     "l 'thread'>'tryrdlock' T1\n"
		     "u 'thread'>'unlock' T1\n"
		     "put k=1001 what=0 d=3 'main'>'step' T0\n"
		     "w v=1197 'step'>- T0\n"
		     "x v=3 'step'>- T0\n"
		     "put k=1 what=0 d=3 'step'>'step' T0\n"
		     "w v=1198 'step'>- T0\n"
		     "x v=3 'step'>- T0\n"
		     "got v=1198 'step'>'step' T0\n"
		     "got v=1198 'main'>'step' T0\n"
		     "other 'main'>'compare' T0\n"
		     "put k=1 what='compare' d=2 'compare'>'step' T0\n"
		     "w v=1199 'step'>- T0\n"
		     "x v=2 'step'>- T0\n"
		     "got v=1199 'compare'>'step' T0\n"
		     "end tid=0 'main'>'free' T0\n",
		     xs) < 0)
		abort();
	return text;
}

static void recorded(void **state)
{
	const char *const levels[] = { "-O0", "-O1", "-O2", "-O3" };
	struct spec_file *file = make_file(property_text);
	char *expected = expected_events();

	(void)state;
	write_text("captured.c", program_text);
	write_text("captured.prop", property_text);
	for (size_t i = 0; i < 4; i++) {
		struct trace *trace;
		struct err err;
		char command[300];

		snprintf(command, sizeof command,
			 "sooth-cc %s -g -pthread -o captured captured.c && rm -rf captured.sooth "
			 "&& sooth record --serial -p captured.prop -o captured.sooth ./captured",
			 levels[i]);
		assert_int_equal(system(command), 0);
		if (!trace_open("captured.sooth", &trace, &err))
			fail_msg("%s", err.text);
		expect_captured(trace, file, expected);
		trace_close(trace);
	}
	free(expected);
	spec_free(file);
}

/*
 * C++: names are those of the source. A lock that a guard of the library takes is taken by the
 * function that has the guard.
 */
static void recorded_classes(void **state)
{
	static const char source[] = "#include <mutex>\n"
				     "#include <vector>\n"
				     "#include <algorithm>\n"
				     "std::mutex big;\n"
				     "namespace bank {\n"
				     "template <class T> struct account {\n"
				     "	T sum = 0;\n"
				     "	__attribute__((noinline)) void pay(T n)\n"
				     "	{\n"
				     "		std::lock_guard<std::mutex> guard(big);\n"
				     "		sum += n;\n"
				     "	}\n"
				     "};\n"
				     "}\n"
				     "static bank::account<int> mine;\n"
				     "static void each(int n) { mine.pay(n); }\n"
				     "int main()\n"
				     "{\n"
				     "	std::vector<int> list{ 3, 4 };\n"
				     "	std::for_each(list.begin(), list.end(), each);\n"
				     "	mine.pay(5);\n"
				     "}\n";
	static const char property[] = "property P {\n"
				       "  event pay = call bank::*pay(_, n);\n"
				       "  event get = acquire big;\n"
				       "  event put = release big;\n"
				       "  grammar { S : pay S | get S | put S | ; }\n"
				       "}\n";
	const char *const levels[] = { "-O0", "-O2" };
	struct spec_file *file = make_file(property);

	(void)state;
	write_text("classes.cc", source);
	write_text("classes.prop", property);
	for (size_t i = 0; i < 2; i++) {
		struct trace *trace;
		struct err err;
		char command[300];

		snprintf(
			command, sizeof command,
			"sooth-c++ %s -g -pthread -o classes classes.cc && rm -rf classes.sooth && "
			"sooth record --serial -p classes.prop -o classes.sooth ./classes",
			levels[i]);
		assert_int_equal(system(command), 0);
		if (!trace_open("classes.sooth", &trace, &err))
			fail_msg("%s", err.text);
#define PAY(n, caller)                                                                             \
	"pay n=" n " '" caller "'>'bank::account<int>::pay' T0\n"                                  \
	"get 'bank::account<int>::pay'>'lock' T0\n"                                                \
	"put 'bank::account<int>::pay'>'unlock' T0\n"
		expect_captured(trace, file, PAY("3", "each") PAY("4", "each") PAY("5", "main"));
		trace_close(trace);
	}
	spec_free(file);
}

/* Strings that only a grammar uses are recorded; arguments written `_` are not. */
static void selected(void **state)
{
	struct spec_file *file = make_file("property P {\n"
					   "  event e = call f(a, _, *b), return g(c) = d;\n"
					   "  grammar { S : e S | ; }\n"
					   "}\n"
					   "property Q {\n"
					   "  event e = call f(a, _, b);\n"
					   "  pattern: e;\n"
					   "}\n");
	char *selection = property_selection(&file, 1);

	(void)state;
	assert_string_equal(selection, "call\t-\tf\ts1,3\nreturn\t-\tg\ts1,s0\ncall\t-\tf\n");
	free(selection);
	spec_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(merged),
		cmocka_unit_test(implicit),
		cmocka_unit_test(in_order),
		cmocka_unit_test(recorded),
		cmocka_unit_test(selected),
		cmocka_unit_test(recorded_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
