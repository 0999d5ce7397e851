/* Tests the texts of reports on findings made by hand. The analyses are not tested here. */
#include "report/message.h"
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct made {
	char path[32];
	struct trace *trace;
	struct predict_result result;
	struct describe *describe;
};

static void open_text(struct made *m, const char *text)
{
	struct err err;
	FILE *file;
	int fd;

	*m = (struct made){ .path = "/tmp/report_words_XXXXXX" };
	fd = mkstemp(m->path);
	assert_true(fd >= 0);
	file = fdopen(fd, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	if (!trace_open(m->path, &m->trace, &err))
		fail_msg("%s", err.text);
}

static struct trace_event read_event(const struct trace *trace, uint32_t stream, uint64_t index)
{
	struct trace_cursor *cursor = trace_cursor_open(trace, trace_find_stream(trace, stream));
	struct trace_event ev;
	struct err err;

	do
		assert_true(trace_next(cursor, &ev, &err));
	while (ev.index != index);
	trace_cursor_close(cursor);
	return ev;
}

static struct finding *add_finding(struct made *m, enum finding_kind kind,
				   enum finding_status status)
{
	struct finding *f = vec_push(&m->result.findings);

	*f = (struct finding){ .kind = kind, .status = status, .count = 1 };
	return f;
}

static struct finding_event *add_event(struct made *m, uint32_t stream, uint64_t index,
				       uint32_t waits_for)
{
	struct finding *f = &m->result.findings.items[m->result.findings.count - 1];
	struct trace_event ev = read_event(m->trace, stream, index);
	struct finding_event *e = vec_push(&f->events);
	bool access = event_group(ev.kind) == EG_ACCESS || event_group(ev.kind) == EG_ATOMIC;

	*e = (struct finding_event){ .id = { stream, index },
				     .kind = ev.kind,
				     .address = ev.address,
				     .size = access ? ev.size : 0,
				     .waits_for = waits_for };
	return e;
}

static void add_held(struct made *m, struct finding_event *e, uint32_t stream, uint64_t index)
{
	struct trace_event ev = read_event(m->trace, stream, index);

	*vec_push(&e->held) = (struct finding_lock){ ev.address, { stream, index }, false };
}

static void add_step(struct made *m, uint32_t stream, uint64_t index)
{
	struct finding *f = &m->result.findings.items[m->result.findings.count - 1];

	*vec_push(&f->steps) = (struct event_id){ stream, index };
}

static void describe(struct made *m)
{
	m->describe = describe_open(&(struct describe_request){
		.trace = m->trace, .path = m->path, .result = &m->result, .rows = true });
}

static void close_text(struct made *m)
{
	if (m->describe)
		describe_close(m->describe);
	for (size_t i = 0; i < m->result.findings.count; i++)
		finding_free(&m->result.findings.items[i]);
	vec_free(&m->result.findings);
	trace_close(m->trace);
	unlink(m->path);
}

static void expect_message(struct made *m, size_t finding, const char *expected)
{
	assert_string_equal(message_make(m->describe, &m->result.findings.items[finding]),
			    expected);
}

/* ---- sentences ---------------------------------------------------------------------------- */

static void test_race(void **state)
{
	struct made m;

	(void)state;
	open_text(&m, "a|fork(b)|\na|w(x)=1|\nb|ra(x)=1|\nb|u(x)=1,2|\n");
	add_finding(&m, FINDING_RACE, FINDING_PREDICTED);
	add_event(&m, 0, 1, ORDER_NONE);
	add_event(&m, 1, 0, ORDER_NONE);
	add_finding(&m, FINDING_RACE, FINDING_PREDICTED);
	add_event(&m, 0, 1, ORDER_NONE);
	add_event(&m, 1, 1, ORDER_NONE);
	describe(&m);
	expect_message(
		&m, 0,
		"data race: write of x in a and atomic read of x in b can happen at the same "
		"time");
	expect_message(&m, 1,
		       "data race: write of x in a and atomic update of x in b can happen at the "
		       "same time");
	close_text(&m);
}

/* Each way to be blocked, alone: no thread of the finding holds the missing object. */
static void test_waits(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "b|sinit(s,0)|\na|down(s)|\n",
		  "deadlock: a can wait forever for a post of semaphore s" },
		{ "b|sinit(s,0)|\na|sreq(s)|\n",
		  "deadlock: a can wait forever for a post of semaphore s" },
		{ "b|w(x)|\na|join(b)|\n", "deadlock: a can wait forever for the end of b" },
		{ "b|w(x)|\na|jreq(b)|\n", "deadlock: a can wait forever for the end of b" },
		{ "b|binit(r,2)|\na|barrier(r,2)|\n",
		  "deadlock: a can wait forever for the other threads at barrier r" },
		{ "b|oncebegin(o)|\na|once(o)|\n",
		  "deadlock: a can wait forever for the end of the once routine o" },
		{ "b|w(x)|\na|acq(m)|\n", "deadlock: a can wait forever for m" },
		{ "b|w(x)|\na|wait(c,m)|\n", "deadlock: a can wait forever for a signal on c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct made m;

		open_text(&m, cases[i].text);
		add_finding(&m, FINDING_DEADLOCK, FINDING_PREDICTED);
		add_event(&m, 1, 0, ORDER_NONE);
		describe(&m);
		expect_message(&m, 0, cases[i].message);
		close_text(&m);
	}
}

static const char hung[] = "t1|fork(t2)|\n"
			   "t1|acq(a)|\n"
			   "t2|acq(b)|\n"
			   "t2|req(a)|\n"
			   "t1|req(b)|\n"
			   "t2|w(x)=5|\n";

static void test_cycle(void **state)
{
	struct made m;

	(void)state;
	open_text(&m, hung);
	add_finding(&m, FINDING_DEADLOCK, FINDING_OBSERVED);
	add_event(&m, 0, 2, 1);
	add_event(&m, 1, 1, 0);
	add_finding(&m, FINDING_DEADLOCK, FINDING_PREDICTED);
	add_event(&m, 0, 2, 1);
	add_event(&m, 1, 1, ORDER_NONE);
	add_finding(&m, FINDING_DEADLOCK, FINDING_OBSERVED);
	add_event(&m, 0, 2, 0);
	describe(&m);
	expect_message(&m, 0,
		       "deadlock: t1 and t2 wait for each other forever: t1 for b, t2 for a");
	expect_message(&m, 1,
		       "deadlock: t1 and t2 can wait forever: t1 for b, which t2 holds, t2 for a");
	expect_message(&m, 2, "deadlock: t1 waits forever for b, which it holds itself");
	close_text(&m);
}

/* A woken thread that cannot get its mutex back waits for the mutex, not for a signal. */
static void test_woken(void **state)
{
	struct made m;
	struct finding_event *e;

	(void)state;
	open_text(&m,
		  "a|acq(m)|\na|wait(c,m)|\nb|notify(c)|\na|woken(c,m)|\nb|acq(m)|\nb|join(a)|\n");
	add_finding(&m, FINDING_DEADLOCK, FINDING_PREDICTED);
	add_event(&m, 0, 2, 1);
	e = add_event(&m, 1, 2, 0);
	add_held(&m, e, 1, 1);
	add_finding(&m, FINDING_LOST_SIGNAL, FINDING_PREDICTED);
	add_event(&m, 0, 2, ORDER_NONE);
	describe(&m);
	assert_string_equal(message_wait(m.describe, &m.result.findings.items[0], 0),
			    "m, which b holds");
	expect_message(
		&m, 1,
		"lost wake-up: a can wait forever on c: the signal can come before the wait");
	close_text(&m);
}

/* ---- the whole of it ---------------------------------------------------------------------- */

static char *print_all(struct made *m)
{
	struct report report = { .trace = m->path, .describe = m->describe, .result = &m->result };
	struct report_numbers numbers = { 0 };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	report_print_findings(&report, &numbers, out);
	report_print_summary(&report, 1, out);
	fclose(out);
	return text;
}

/* No line is too long, however long the names are. */
static void test_width(void **state)
{
	static const char name[] =
		"a_name_that_nobody_would_give_to_a_variable_or_would_they_in_c++";
	char text[1024], *report;
	struct made m;

	(void)state;
	snprintf(text, sizeof text, "%s|fork(b)|\n%s|acq(%s)|\n%s|w(%s)=1|\nb|r(%s)=0|\n", name,
		 name, name, name, name, name);
	open_text(&m, text);
	add_finding(&m, FINDING_RACE, FINDING_PREDICTED);
	add_held(&m, add_event(&m, 0, 2, ORDER_NONE), 0, 1);
	add_event(&m, 1, 0, ORDER_NONE);
	add_step(&m, 0, 1);
	describe(&m);
	report = print_all(&m);
	for (char *line = report; *line; line += strcspn(line, "\n") + 1) {
		/* a name alone on a line may have any length, but columns may not */
		if (!strncmp(line, "    ", 4) && line[4] != 'h' && line[4] != ' ')
			assert_true(strcspn(line, "\n") <= 100);
	}
	free(report);
	close_text(&m);
}

static void test_columns(void **state)
{
	struct made m;
	char *report;

	(void)state;
	open_text(&m, hung);
	add_finding(&m, FINDING_DEADLOCK, FINDING_OBSERVED);
	add_held(&m, add_event(&m, 0, 2, 1), 0, 1);
	add_held(&m, add_event(&m, 1, 1, 0), 1, 0);
	add_step(&m, 0, 1);
	add_step(&m, 1, 0);
	describe(&m);
	report = print_all(&m);
	assert_non_null(strstr(report, "What happened:\n"
				       "    t1                                  t2\n"
				       "    create t2"));
	assert_non_null(strstr(report, "    >> blocked: acquire b"));
	assert_non_null(strstr(report, "Acquire the locks in the same order"));
	free(report);
	close_text(&m);
}

static void test_json(void **state)
{
	struct made m;
	struct report report;
	json_t *all, *finding, *event;

	(void)state;
	open_text(&m, hung);
	add_finding(&m, FINDING_DEADLOCK, FINDING_OBSERVED);
	add_held(&m, add_event(&m, 0, 2, 1), 0, 1);
	add_held(&m, add_event(&m, 1, 1, 0), 1, 0);
	add_step(&m, 0, 1);
	m.result.stats.unknown = 2;
	m.result.stats.not_asked = 3;
	describe(&m);
	report = (struct report){ .trace = m.path, .describe = m.describe, .result = &m.result };
	all = report_json(&report, 1, NULL, 0);
	assert_int_equal(json_integer_value(json_object_get(all, "unknown")), 5);
	finding = json_array_get(json_object_get(all, "findings"), 0);
	assert_string_equal(json_string_value(json_object_get(finding, "id")), "deadlock-1");
	assert_string_equal(json_string_value(json_object_get(finding, "status")), "observed");
	event = json_array_get(json_object_get(finding, "events"), 1);
	assert_string_equal(json_string_value(json_object_get(event, "op")), "acquire");
	assert_string_equal(json_string_value(json_object_get(event, "variable")), "a");
	assert_string_equal(json_string_value(json_object_get(event, "file")), m.path);
	assert_int_equal(json_integer_value(json_object_get(event, "line")), 4);
	assert_int_equal(json_array_size(json_object_get(event, "held")), 1);
	json_decref(all);
	close_text(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_race),  cmocka_unit_test(test_waits),
		cmocka_unit_test(test_cycle), cmocka_unit_test(test_woken),
		cmocka_unit_test(test_width), cmocka_unit_test(test_columns),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
