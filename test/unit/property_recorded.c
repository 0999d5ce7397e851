/* Tests each kind of point on a recording of a program built with sooth cc. */
#include "property_make.h"

/* ---- the program, and what is asked ---------------------------------------------------------- */

static const char program_text[] =
	"#include <pthread.h>\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"struct limits { int least, most; };\n"
	"struct conn { short fd; pthread_mutex_t m; struct limits lim; float rate; int list[4]; "
	"};\n"
	"typedef struct { int n; struct conn *c; } pair_t;\n"
	"struct { int a; struct limits limits; } config;\n"
	"struct conn *shared;\n"
	"pair_t *pair;\n"
	"unsigned char flags[3];\n"
	"double sum;\n"
	"_Atomic int ticks;\n"
	"pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;\n"
	"__attribute__((noinline)) int conn_open(const char *name, struct conn **out)\n"
	"{\n"
	"	*out = calloc(1, sizeof **out);\n"
	"	(*out)->fd = -(short)strlen(name);\n"
	"	pthread_mutex_init(&(*out)->m, 0);\n"
	"	return 0;\n"
	"}\n"
	"__attribute__((noinline)) void conn_use(struct conn *c, double d, const char *what)\n"
	"{\n"
	"	pthread_mutex_lock(&big);\n"
	"	pthread_mutex_lock(&c->m);\n"
	"	c->lim.most = -2;\n"
	"	c->rate = 1.5f;\n"
	"	c->list[1] = 4;\n"
	"	config.limits.most = 9;\n"
	"	flags[1] = 255;\n"
	"	sum += d;\n"
	"	ticks++;\n"
	"	pthread_mutex_unlock(&c->m);\n"
	"	pthread_mutex_unlock(&big);\n"
	"	printf(\"%s %g\\n\", what, sum);\n"
	"}\n"
	"static void *thread(void *p)\n"
	"{\n"
	"	conn_use(p, 0.5, \"thread\");\n"
	"	return NULL;\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	pthread_t t;\n"
	"	conn_open(\"abc\", &shared);\n"
	"	pair = malloc(sizeof *pair);\n"
	"	pair->n = 7;\n"
	"	pair->c = shared;\n"
	"	pthread_create(&t, NULL, thread, shared);\n"
	"	pthread_join(t, NULL);\n"
	"	conn_use(pair->c, 2, \"main\");\n"
	"	memset(&config, 0, sizeof config);\n"
	"	free(shared);\n"
	"	fclose(fopen(\"/dev/null\", \"r\"));\n"
	"	return 0;\n"
	"}\n";

static const char property_text[] =
	"property Functions(struct conn *c, string s) {\n"
	"  event open = return conn_open(name, *c) = 0 if (strcmp(name, \"abc\") == 0);\n"
	"  event use = call conn_u*(c, d, s) if (d > 1);\n"
	"  event body = exec conn_use(c, ...);\n"
	"  event freed = call \"libc*\":free(c);\n"
	"  event nobody = call nobody(c);\n"
	"  event wrong = call conn_use(c);\n"
	"  pattern: open use body freed nobody wrong;\n"
	"}\n"
	"property Fields(struct conn *c, pair_t *q) {\n"
	"  event fd = write c->fd = -3;\n"
	"  event most = write c->lim.most = v if (v < 0);\n"
	"  event lim = write c->lim;\n"
	"  event rate = write c->rate = v if (v > 1.4 && v < 1.6);\n"
	"  event list = write c->list;\n"
	"  event n = write q->n = 7;\n"
	"  event lock = acquire c->m holding big;\n"
	"  event none = read c->nothing;\n"
	"  pattern: fd most lim rate list n lock none;\n"
	"}\n"
	"property Globals {\n"
	"  event most = write config.limits.most = v if (v == 9 || v == 0);\n"
	"  event flag = write flags[1] = 255;\n"
	"  event sum = write sum = v if (v > 0);\n"
	"  event tick = write ticks = v if (atomic && v == 2);\n"
	"  event seen = read ticks = 0;\n"
	"  event lock = release big;\n"
	"  event none = read nothing;\n"
	"  pattern: most flag sum tick seen lock none;\n"
	"}\n"
	"property Files(FILE *f) {\n"
	"  event open = return fopen(_, _) = f;\n"
	"  event close = return fclose(f) = 0;\n"
	"  pattern: open close;\n"
	"}\n";

static void write_text(const char *path, const char *text)
{
	struct err err;

	if (!file_write(path, text, strlen(text), &err))
		fail_msg("%s", err.text);
}

/* ---- what is found --------------------------------------------------------------------------- */

/*
 * Returns the events without indices, which depend on the compiler, and with objects numbered in
 * the order in which they appear.
 */
static char *show_plainly(const struct property_events *events)
{
	uint64_t seen[16];
	size_t count = 0, size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < events->events.count; i++) {
		const struct property_event *e = &events->events.items[i];

		fprintf(out, "%s T%u", events->property->events[e->event].name, e->id.stream);
		for (uint32_t p = 0; p < events->parameters; p++) {
			uint32_t number = events->bindings.items[e->bindings + p];
			const struct property_value *value = &events->values.items[number];
			size_t k = 0;

			if (number == PROPERTY_NONE) {
				fprintf(out, " _");
			} else if (value->text) {
				fprintf(out, " %.*s", (int)value->length, value->text);
			} else {
				while (k < count && seen[k] != value->bits)
					k++;
				assert_true(k < 16);
				if (k == count)
					seen[count++] = value->bits;
				fprintf(out, " #%zu", k);
			}
		}
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

static void expect_recorded(const struct property_events *events, const char *shown_events,
			    const char *unseen)
{
	char *shown = show_plainly(events);

	assert_string_equal(shown, shown_events);
	free(shown);
	shown = show_unseen(events);
	assert_string_equal(shown, unseen);
	free(shown);
}

static struct property_set read_recording(const char *path, struct spec_file *file,
					  struct trace **trace)
{
	struct property_set set = { 0 };
	struct err err;

	if (!trace_open(path, trace, &err) || !property_read(*trace, &file, 1, &set, &err))
		fail_msg("%s", err.text);
	return set;
}

static void expect_all(const struct property_set *set)
{
	expect_recorded(&set->properties.items[0],
			"open T0 #0 _\n"
			"body T1 #0 _\n"
			"use T0 #0 main\n"
			"body T0 #0 _\n"
			"freed T0 #0 _\n",
			"event nobody: call nobody(c): nothing in the program matches\nevent "
			"wrong: call conn_use(c): argument count differs; use `...` for the rest "
			"(2 times)\nblind nobody\n");
	expect_recorded(&set->properties.items[1],
			"fd T0 #0 _\n"
			"n T0 _ #1\n"
			"lock T1 #0 _\n"
			"most T1 #0 _\n"
			"lim T1 #0 _\n"
			"rate T1 #0 _\n"
			"list T1 #0 _\n"
			"lock T0 #0 _\n"
			"most T0 #0 _\n"
			"lim T0 #0 _\n"
			"rate T0 #0 _\n"
			"list T0 #0 _\n",
			"event none: read c->nothing: no recorded code accesses a field `nothing` "
			"of `conn`\n"
			"blind none\n");
	expect_recorded(&set->properties.items[2],
			"most T1\nflag T1\nsum T1\nseen T1\nlock T1\n"
			"most T0\nflag T0\nsum T0\ntick T0\nlock T0\n"
			"most T0\n",
			"event none: read nothing: the program has no variable `nothing`\n"
			"blind none\n");
	expect_recorded(&set->properties.items[3], "open T0 #0\nclose T0 #0\n", "");
}

static void recorded(void **state)
{
	const char *const levels[] = { "-O0", "-O2" };
	struct spec_file *file = make_file(property_text);

	(void)state;
	write_text("asked.c", program_text);
	write_text("asked.prop", property_text);
	for (size_t i = 0; i < 2; i++) {
		struct property_set set;
		struct trace *trace;
		char command[256];

		snprintf(command, sizeof command,
			 "sooth-cc %s -g -pthread -o asked asked.c && rm -rf asked.sooth && sooth "
			 "record --serial -p asked.prop -o asked.sooth ./asked >output",
			 levels[i]);
		assert_int_equal(system(command), 0);
		set = read_recording("asked.sooth", file, &trace);
		expect_all(&set);
		property_set_free(&set);
		trace_close(trace);
	}
	spec_free(file);
}

/* Events recorded without a property, or for another one: the message says so. */
static void not_recorded(void **state)
{
	struct spec_file *file = make_file("property P(void *p) {\n"
					   "  event f = call calloc(p, _);\n"
					   "  event r = read nothing;\n"
					   "  pattern: f r;\n"
					   "}\n");
	struct property_set set;
	struct trace *trace;

	(void)state;
	assert_int_equal(
		system("rm -rf plain.sooth && sooth record -o plain.sooth ./asked >output"), 0);
	set = read_recording("plain.sooth", file, &trace);
	expect_recorded(&set.properties.items[0], "",
			"event f: call calloc(p, _): not recorded: the recording was made without "
			"properties (sooth record -p)\n"
			"event r: read nothing: the program has no variable `nothing`\n"
			"blind f\n"
			"blind r\n");
	property_set_free(&set);
	trace_close(trace);
	set = read_recording("asked.sooth", file, &trace);
	expect_recorded(
		&set.properties.items[0], "",
		"event f: call calloc(p, _): not recorded: the recording was made with other "
		"properties\n"
		"event r: read nothing: the program has no variable `nothing`\n"
		"blind f\n"
		"blind r\n");
	property_set_free(&set);
	trace_close(trace);
	spec_free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded),
		cmocka_unit_test(not_recorded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
