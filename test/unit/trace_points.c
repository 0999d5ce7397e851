/*
 * Tests points of text traces: calls with arguments, returns that match their call, and texts that
 * are kept unchanged.
 */
#include "trace_make.h"

#include "trace/export.h"
#include "trace/point.h"

static void put_value(char **p, const struct trace_value *v)
{
	static const char letters[] = "vsupSfBo";

	*p += sprintf(*p, "%c", v->known || v->type == POINT_VOID ? letters[v->type] : '?');
	if (!v->known)
		return;
	if (v->type == POINT_STRING || v->type == POINT_BYTES)
		*p += sprintf(*p, "%.*s%s", (int)v->length, v->text, v->cut ? "…" : "");
	else if (v->type == POINT_FLOAT)
		*p += sprintf(*p, "%g", v->number);
	else if (v->type != POINT_VOID)
		*p += sprintf(*p, "%lld", (long long)v->bits);
}

/* Prints all points of the trace, one per line. */
static void tell(const struct trace *trace, char *out)
{
	*out = 0;
	for (uint32_t i = 0; i < trace_stream_count(trace); i++) {
		struct trace_cursor *cursor = trace_cursor_open(trace, i);
		struct trace_event ev;
		struct trace_point point;
		struct err err;

		while (trace_next(cursor, &ev, &err)) {
			if (!trace_read_point(cursor, &ev, &point))
				continue;
			out += sprintf(out, "%u %s%s%s(", point.kind,
				       point.library ? point.library : "", point.library ? "!" : "",
				       point.function);
			for (uint32_t k = 0; k < point.count; k++) {
				out += sprintf(out, "%s", k ? "," : "");
				put_value(&out, &point.arguments[k]);
			}
			out += sprintf(out, ")");
			if (point.kind == POINT_RETURN)
				put_value(&out, &point.result);
			out += sprintf(out, "\n");
		}
		trace_cursor_close(cursor);
	}
}

static struct trace *open_text(const struct make_dir *dir, const char *text)
{
	struct trace *trace = NULL;
	struct err err = { 0 };
	char path[128];

	snprintf(path, sizeof path, "%s/text.std", dir->path);
	make_file(dir, "text.std", text, strlen(text));
	if (!trace_open(path, &trace, &err))
		fail_msg("%s", err.text);
	return trace;
}

/* Expects the same points from the text and from its exported form. */
static void expect(const char *text, const char *expected)
{
	struct make_dir dir = make_dir();
	struct trace *trace = open_text(&dir, text);
	char words[4096], *again = NULL;
	size_t size = 0;
	struct err err;
	FILE *out;

	tell(trace, words);
	assert_string_equal(words, expected);
	out = open_memstream(&again, &size);
	assert_true(export_text(trace, out, &err));
	fclose(out);
	trace_close(trace);
	trace = open_text(&dir, again);
	tell(trace, words);
	assert_string_equal(words, expected);
	trace_close(trace);
	free(again);
	make_remove(&dir);
}

static void values(void **state)
{
	(void)state;
	expect("T1|call f(1, -2,0x10 ,name,\"a, b\",1.5,NULL,?)|a.c:1\n",
	       "0 f(s1,s-2,p16,Sname,Sa, b,f1.5,p0,?)\n");
	expect("T1|call f()|\nT1|call g|\n", "0 f()\n0 g()\n");
	expect("T1|probe app:n(3,\"x\")|\n", "3 app:n(s3,Sx)\n");
	expect("T1|call f(18446744073709551615,1e3,12ab,-,\"\\\"%7C%25\\101\")|\n",
	       "0 f(u-1,f1000,S12ab,S-,S\"|%A)\n");
	expect("T1|call f(x\"4142\",x\"4\",\"cut\"...,\"open)|\n", "0 f(BAB,?,Scut…,?)\n");
	expect("T1|call f(1,2,3,4,5,6,7,8,9,10,11,12,13)|\n",
	       "0 f(s1,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11,s12)\n");
}

static void returns(void **state)
{
	(void)state;
	expect("T1|call f(1)|\nT1|call g(2)|\nT1|ret g=5|\nT1|ret f=\"x\"|\n",
	       "0 f(s1)\n0 g(s2)\n2 g(s2)s5\n2 f(s1)Sx\n");
	/* g never returned; a return without an open call; no result; recursion */
	expect("T1|call f(1)|\nT1|call g(2)|\nT1|ret f=5|\nT1|ret g=1|\nT1|ret f|\n",
	       "0 f(s1)\n0 g(s2)\n2 f(s1)s5\n2 g()s1\n2 f()v\n");
	expect("T1|call f(1)|\nT1|call f(2)|\nT1|ret f=2|\nT1|ret f=1|\n",
	       "0 f(s1)\n0 f(s2)\n2 f(s2)s2\n2 f(s1)s1\n");
	/* calls of different threads are independent */
	expect("T1|call f(1)|\nT2|call f(2)|\nT1|ret f=1|\nT2|ret f=2|\n",
	       "0 f(s1)\n2 f(s1)s1\n0 f(s2)\n2 f(s2)s2\n");
	expect("T1|call f(1)|\nT1|ret f(7)=3|\n", "0 f(s1)\n2 f(s7)s3\n");
}

static void point_lines(void **state)
{
	(void)state;
	expect("-|points|\nT1|call f()|\nT1|point exec f(1)|\nT1|point call "
	       "\"libc.so.6\":close(3)|\n"
	       "T1|point return \"libc.so.6\":close(3)=-1|\nT1|ret f|\n",
	       "1 f(s1)\n0 libc.so.6!close(s3)\n2 libc.so.6!close(s3)s-1\n");
	expect("T1|point probe app:x(\"q\")|\nT1|point return f(1)|\n", "3 app:x(Sq)\n2 f(s1)v\n");
}

static void wrong_lines(void **state)
{
	struct make_dir dir = make_dir();
	struct trace *trace = NULL;
	struct err err = { 0 };
	char path[128];

	(void)state;
	snprintf(path, sizeof path, "%s/text.std", dir.path);
	make_file(&dir, "text.std", "T1|point jump f(1)|\n", 20);
	assert_false(trace_open(path, &trace, &err));
	assert_non_null(strstr(err.text, "1:10: expected call, exec"));
	make_remove(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
		cmocka_unit_test(returns),
		cmocka_unit_test(point_lines),
		cmocka_unit_test(wrong_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
