/*
 * Tests grammars on text traces: which events form a word, where words end, violations, and what
 * remains in memory.
 */
#include "property_make.h"

#include "monitor/grammar/grammar_run.h"
#include "monitor/grammar/grammar_tokens.h"

/* ---- shown ----------------------------------------------------------------------------------- */

static const char *const faults[] = { "no continuation", "incomplete", "assertion" };

/* Prints a violation as "P.1 main.3 of T2: incomplete, 4 events", with its message. */
static void print_found(FILE *out, const struct trace *trace, const struct spec_property *property,
			const struct grammar_found *found)
{
	fprintf(out, "%s.%u %s%s.%" PRIu64 "%s of ", property->name, found->formula,
		found->before ? "-" : "", trace_thread_name(trace, found->event.stream),
		found->event.index, found->at_end ? " end" : "");
	if (found->stream != UINT32_MAX)
		fputs(trace_thread_name(trace, found->stream), out);
	for (size_t p = 0; p < found->binding.count; p++) {
		if (p == property->view_parameter)
			print_value(out, &found->binding.items[p]);
	}
	if (found->stream == UINT32_MAX && !found->binding.count)
		fputs("all", out);
	fprintf(out, ": %s, %" PRIu64 "\n", faults[found->violation.fault], found->session_length);
	assert_true(found->session.count > 0 && found->session.count <= GRAMMAR_RUN_SHOWN);
	assert_int_equal(found->session.items[found->session.count - 1].index, found->event.index);
	assert_true(found->session.count == found->session_length ||
		    (found->session.count == GRAMMAR_RUN_SHOWN &&
		     found->session_length > GRAMMAR_RUN_SHOWN));
}

struct judged {
	struct trace *trace;
	struct spec_file *file;
	VEC(struct grammar *) grammars;
	VEC(const struct spec_property *) properties;
	struct grammar_run_result result;
};

static void open_grammars(struct judged *j)
{
	struct spec_messages messages = { 0 };

	for (const struct spec_property *p = j->file->properties; p; p = p->next) {
		*vec_push(&j->properties) = p;
		for (const struct spec_formula *f = p->formulas; f; f = f->next) {
			struct grammar *grammar = NULL;

			if (f->formalism == SPEC_GRAMMAR) {
				grammar = grammar_open(j->file, p, f, &messages);
				if (!grammar)
					fail_msg("%s", messages.list.items[0].shown);
			}
			*vec_push(&j->grammars) = grammar;
		}
	}
	spec_messages_free(&messages);
}

static struct judged judge(const char *properties, const char *text, bool ended)
{
	struct judged j = { .trace = make_trace(text), .file = make_file(properties) };
	struct err err;

	open_grammars(&j);
	if (!grammar_run(j.trace, &j.file, 1, j.grammars.items, ended, &j.result, &err))
		fail_msg("%s", err.text);
	return j;
}

static void judged_free(struct judged *j)
{
	grammar_run_free(&j->result);
	for (size_t i = 0; i < j->grammars.count; i++)
		grammar_close(j->grammars.items[i]);
	vec_free(&j->grammars);
	vec_free(&j->properties);
	spec_free(j->file);
	trace_close(j->trace);
}

static char *show(const struct judged *j)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < j->result.found.count; i++) {
		const struct grammar_found *found = &j->result.found.items[i];

		print_found(out, j->trace, j->properties.items[found->property], found);
	}
	for (size_t i = 0; i < j->result.unjudged.count; i++) {
		const struct grammar_unjudged *unjudged = &j->result.unjudged.items[i];

		fprintf(out, "left %s.%u: %s\n", j->properties.items[unjudged->property]->name,
			unjudged->formula, unjudged->why);
	}
	fclose(out);
	return text;
}

static void expect_judged(const char *properties, const char *text, bool ended,
			  const char *expected)
{
	struct judged j = judge(properties, text, ended);
	char *shown = show(&j);

	assert_string_equal(shown, expected);
	free(shown);
	judged_free(&j);
}

/* ---- views ----------------------------------------------------------------------------------- */

#define LOCKS                                                                                      \
	"  event get = acquire m;\n"                                                               \
	"  event put = release m;\n"

static void by_thread(void **state)
{
	(void)state;
	expect_judged(
		"property P(mutex m) {\n"
		"  view thread;\n" LOCKS "  grammar { S : get S put S | ; }\n"
		"}\n",
		"T1|acq(a)|1\nT2|acq(b)|2\nT1|acq(c)|3\nT2|rel(a)|4\nT2|rel(b)|5\nT1|rel(c)|6\n",
		false, "P.1 T1.0 of T1: incomplete, 1\nP.1 T2.0 of T2: incomplete, 1\n");
	/* the run was cut, so only prefixes are judged: this is a prefix of a complete word */
	expect_judged(
		"property P(mutex m) {\n"
		"  view thread until end;\n" LOCKS "  grammar { S : get S put S | ; }\n"
		"}\n",
		"T1|acq(a)|1\nT2|acq(b)|2\nT1|acq(c)|3\nT2|rel(b)|4\nT2|rel(c)|5\nT1|rel(a)|6\n",
		true, "P.1 T2.2 of T2: no continuation, 3\nP.1 T1.2 end of T1: incomplete, 3\n");
}

/*
 * The word of an object contains the events of all threads: one thread acquires and another
 * releases.
 */
static void by_object(void **state)
{
	(void)state;
	expect_judged("property P(mutex m) {\n"
		      "  view object m;\n" LOCKS
		      "  grammar { S : P S | ; P : get R ; R : put assert(put.tid < 2) | ; }\n"
		      "}\n",
		      "T1|acq(a)|1\nT2|acq(b)|2\nT3|rel(a)|3\nT2|rel(b)|4\nT1|acq(a)|5\n", false,
		      "P.1 T3.0 of a: assertion, 2\n");
}

static void global(void **state)
{
	(void)state;
	expect_judged("property P(mutex m) {\n"
		      "  view global;\n" LOCKS "  grammar { S : G S | ; G : get Q ; Q : put | ; }\n"
		      "}\n",
		      "T1|acq(a)|1\nT1|rel(a)|2\nT2|acq(b)|3\nT1|acq(a)|4\nT2|rel(b)|5\n", false,
		      "");
	expect_judged("property P {\n"
		      "  event a = call f(x);\n"
		      "  event b = call g(x);\n"
		      "  grammar { S : a b assert(a.x == b.x) S | a | ; }\n"
		      "}\n",
		      "T1|call f(1)|1\nT2|call g(1)|2\nT1|call f(\"t\")|3\nT2|call g(\"u\")|4\n",
		      false, "P.1 T2.1 of all: assertion, 4\n");
}

/* Each lifetime of an object has its own word, which ends with the lifetime. */
static void lives(void **state)
{
	static const char property[] = "property P(struct t *o) {\n"
				       "  view object o until end;\n"
				       "  event open = call open(o);\n"
				       "  event close = call close(o);\n"
				       "  grammar { S : open close ; }\n"
				       "}\n";
	static const char text[] =
		"T1|alloc(o,8)|1\nT1|call open(o)|2\nT1|free(o)|3\nT1|alloc(o,8)|4\n"
		"T1|call open(o)|5\nT1|call close(o)|6\nT1|call open(p)|7\n";

	(void)state;
	expect_judged(property, text, true,
		      "P.1 T1.1 end of o: incomplete, 1\nP.1 T1.6 end of p: incomplete, 1\n");
	/* if the run was cut, the ends of its words are not judged */
	expect_judged(property, text, false, "");
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void sessions(void **state)
{
	static const char property[] = "property P {\n"
				       "  view thread;\n"
				       "  event a = call a();\n"
				       "  event b = call b(n);\n"
				       "  event stop = call stop(n) reset(n > 0);\n"
				       "  grammar { S : A stop ; A : a A | b A | ; }\n"
				       "}\n";

	(void)state;
	expect_judged(property,
		      "T1|call a()|1\nT1|call b(1)|2\nT1|call stop(1)|3\nT1|call a()|4\n"
		      "T2|call stop(2)|5\nT1|call stop(0)|6\nT1|call b(2)|7\n",
		      true, "P.1 T1.5 of T1: no continuation, 3\n");
}

/* The report shows the last events of a long session, in order. */
static void long_session(void **state)
{
	struct judged j;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (unsigned i = 0; i < 999; i++)
		fprintf(out, "T1|call a()|%u\n", i);
	fprintf(out, "T1|call b()|1\nT1|call a()|1\n");
	fclose(out);
	j = judge("property P {\n"
		  "  event a = call a();\n"
		  "  event b = call b();\n"
		  "  grammar { S : a S | ; }\n"
		  "}\n",
		  text, true);
	assert_int_equal(j.result.found.count, 1);
	assert_int_equal(j.result.found.items[0].session_length, 1000);
	assert_int_equal(j.result.found.items[0].session.count, GRAMMAR_RUN_SHOWN);
	for (size_t i = 0; i < GRAMMAR_RUN_SHOWN; i++)
		assert_int_equal(j.result.found.items[0].session.items[i].index, 800 + i);
	judged_free(&j);
	free(text);
}

/* ---- what is left ---------------------------------------------------------------------------- */

/* After an error in Lua only this grammar stops; other grammars and properties are still judged. */
static void errors(void **state)
{
	struct judged j = judge("property P {\n"
				"  view thread;\n"
				"  event a = call a(x);\n"
				"  grammar { S : a { v = nothing.here } S | ; }\n"
				"  grammar { S : a assert(a.x < 2) S | ; }\n"
				"}\n"
				"property Q {\n"
				"  event a = call a(x);\n"
				"  grammar { S : a A | ; A : a | ; }\n"
				"}\n",
				"T1|call a(1)|1\nT2|call a(2)|2\nT1|call a(1)|3\n", true);
	char *shown = show(&j);

	(void)state;
	assert_non_null(strstr(shown, "P.2 T2.0 of T2: assertion, 1\n"));
	assert_non_null(strstr(shown, "Q.1 T1.1 of all: no continuation, 3\n"));
	assert_non_null(strstr(shown, "left P.1: test.prop:4:"));
	assert_int_equal(j.result.unjudged.count, 1);
	assert_int_equal(j.result.found.count, 2);
	assert_int_equal(j.result.events, 6);
	free(shown);
	judged_free(&j);
}

/*
 * Grammars with events that may be missing are not judged, because a missing event would look like
 * a violation.
 */
static void unseen(void **state)
{
	(void)state;
	expect_judged("property P {\n"
		      "  event a = call a();\n"
		      "  event b = call b(x) if (x > 1);\n"
		      "  grammar { S : a b S | a | ; }\n"
		      "}\n",
		      "T1|call a()|1\nT1|call b(?)|2\nT1|call a()|3\n", true,
		      "left P.1: a missing event would look like a violation: event b: "
		      "call b(x): its filter could not be decided (1 time)\n");
	expect_judged("property P {\n"
		      "  event a = call a();\n"
		      "  event b = call b();\n"
		      "  grammar { S : a b S | a | ; }\n"
		      "}\n",
		      "T1|call a()|1\nT1|call a()|3\n", true,
		      "left P.1: a missing event would look like a violation: event b: call b(): "
		      "the trace has no function with this name\n");
}

/* An unrecorded value that the grammar uses proves nothing; other words are judged. */
static void unrecorded(void **state)
{
	(void)state;
	expect_judged(
		"property P {\n"
		"  view thread;\n"
		"  event a = call a(x, y);\n"
		"  grammar { S : a assert(a.x == 1) S | ; }\n"
		"}\n",
		"T1|call a(?,1)|1\nT2|call a(2,1)|2\nT3|call a(1,?)|3\n", true,
		"P.1 T2.0 of T2: assertion, 1\n"
		"left P.1: event a: the value of `x` was not recorded, or not completely, and "
		"the grammar uses it\n");
}

/* ---- many ------------------------------------------------------------------------------------ */

/* The words of short-lived objects are freed with the objects. */
static void many_objects(void **state)
{
	struct judged j;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		fprintf(out,
			"T1|alloc(o%u,8)|1\nT1|call open(o%u)|2\nT2|call close(o%u)|3\n"
			"T1|free(o%u)|4\n",
			i % 10, i % 10, i % 10, i % 10);
	fclose(out);
	j = judge("property P(struct t *o) {\n"
		  "  view object o until end;\n"
		  "  event open = call open(o);\n"
		  "  event close = call close(o);\n"
		  "  grammar (n = {}) { S : open { n[1] = open.o } close assert(n[1] == close.o) ; "
		  "}\n"
		  "}\n",
		  text, true);
	assert_int_equal(j.result.found.count, 0);
	assert_int_equal(j.result.unjudged.count, 0);
	assert_int_equal(j.result.words, 100000);
	assert_int_equal(j.result.events, 200000);
	assert_in_range(j.result.most, 1, 11);
	judged_free(&j);
	free(text);
}

/* If many words are wrong in the same way, only some are reported; each word is reported once. */
static void many_violations(void **state)
{
	struct judged j;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		fprintf(out, "T1|alloc(o,8)|1\nT1|call close(o)|3\nT1|call close(o)|3\n");
	fprintf(out, "T1|call open(x)|4\nT1|call open(x)|4\n");
	fclose(out);
	j = judge("property P(struct t *o) {\n"
		  "  view object o;\n"
		  "  event open = call open(o);\n"
		  "  event close = call close(o);\n"
		  "  grammar { S : open close ; }\n"
		  "}\n",
		  text, true);
	assert_int_equal(j.result.found.count, 65);
	assert_int_equal(j.result.words, 101);
	judged_free(&j);
	free(text);
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void print_script_value(FILE *out, const struct script_value *value)
{
	switch (value->type) {
	case SCRIPT_NIL: fputs("nil", out); break;
	case SCRIPT_INTEGER: fprintf(out, "%" PRId64, value->integer); break;
	case SCRIPT_REAL: fprintf(out, "%.1f", value->real); break;
	case SCRIPT_TEXT: fprintf(out, "'%.*s'", (int)value->length, value->text); break;
	}
}

static void tokens(void **state)
{
	struct trace *trace = make_trace("T1|call put(o1,-3,\"k\",2.5)|1\nT2|acq(o2.m)|2\n");
	struct spec_file *file = make_file("property P(struct t *o, double d, string s) {\n"
					   "  view object o;\n"
					   "  event put = call put(o, tid, s, d);\n"
					   "  event lock = acquire o->m;\n"
					   "  grammar { S : put S | lock S | ; }\n"
					   "}\n");
	struct property_set set;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	(void)state;
	assert_true(property_read(trace, &file, 1, &set, &err));
	for (size_t i = 0; i < set.properties.items[0].events.count; i++) {
		const struct property_event *event = &set.properties.items[0].events.items[i];
		grammar_token_values values = { 0 };
		uint32_t count;
		const char **names = grammar_attributes(file->properties, event->event, &count);

		grammar_tokens_of_event(&set.properties.items[0], event, &values);
		for (uint32_t k = 0; k < count; k++) {
			fprintf(out, "%s=", names[k]);
			print_script_value(out, &values.items[k]);
			fputc(k + 1 < count ? ' ' : '\n', out);
		}
		vec_free(&values);
		free(names);
	}
	fclose(out);
	assert_string_equal(text, "o='o1' d=2.5 s='k' tid=-3 callee='put' caller=nil\n"
				  "o='o2' d=nil s=nil tid=1 callee='lock' caller=nil\n");
	free(text);
	property_set_free(&set);
	spec_free(file);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_thread),	   cmocka_unit_test(by_object),
		cmocka_unit_test(global),	   cmocka_unit_test(lives),
		cmocka_unit_test(sessions),	   cmocka_unit_test(long_session),
		cmocka_unit_test(errors),	   cmocka_unit_test(unseen),
		cmocka_unit_test(unrecorded),	   cmocka_unit_test(many_objects),
		cmocka_unit_test(many_violations), cmocka_unit_test(tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
