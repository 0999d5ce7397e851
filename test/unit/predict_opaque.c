/*
 * Code that is not recorded (OPAQUE): a finding must keep its order, a suspicion need not. On random
 * texts, findings and suspicions together are what is found if OPAQUE orders nothing.
 */
#include "predict_make.h"

#define LINES 24
#define ADDRESSES 3

struct found {
	enum finding_kind kind;
	struct event_id events[2];
};
typedef VEC(struct found) found_list;

static void add_found(found_list *list, const struct finding *f)
{
	assert_int_equal(f->events.count, 2);
	*vec_push(list) =
		(struct found){ f->kind, { f->events.items[0].id, f->events.items[1].id } };
}

static bool same_id(struct event_id a, struct event_id b)
{
	return a.stream == b.stream && a.index == b.index;
}

static bool has(const found_list *list, const struct found *x)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct found *y = &list->items[i];

		if (x->kind == y->kind &&
		    ((same_id(x->events[0], y->events[0]) && same_id(x->events[1], y->events[1])) ||
		     (same_id(x->events[0], y->events[1]) && same_id(x->events[1], y->events[0]))))
			return true;
	}
	return false;
}

/* Predicts races and cycles of locks. Leads that are no suspicions do not exist for these. */
static void predict(const char *text, found_list *findings, found_list *suspicions)
{
	struct make_dir dir = make_dir();
	struct predict_options options = { .only = PREDICT_RACE | PREDICT_DEADLOCK,
					   .every = true,
					   .window = PREDICT_WINDOW,
					   .jobs = 1,
					   .steps = PREDICT_STEPS };
	struct trace *trace = make_text(&dir, text);
	struct predict_result result;
	struct err err;

	if (!predict_run(trace, &options, &result, &err))
		fail_msg("%s", err.text);
	assert_int_equal(result.stats.rejected, 0);
	for (size_t i = 0; i < result.findings.count; i++) {
		if (result.findings.items[i].events.count == 2)
			add_found(findings, &result.findings.items[i]);
	}
	for (size_t i = 0; i < result.leads.count; i++) {
		assert_true(result.leads.items[i].unrecorded);
		assert_int_equal(result.leads.items[i].status, FINDING_WARNING);
		if (result.leads.items[i].events.count == 2)
			add_found(suspicions, &result.leads.items[i]);
	}
	predict_result_free(&result);
	trace_close(trace);
	make_remove(&dir);
}

/* One random run of two threads: every read has the value that is there. */
struct random_text {
	struct make_random r;
	char with[4096], without[4096]; /* without: a fence in place of OPAQUE */
	int memory[ADDRESSES], holder, depth[2];
};

static void put_line(struct random_text *t, const char *line, const char *instead)
{
	strcat(strcat(t->with, line), "\n");
	strcat(strcat(t->without, instead ? instead : line), "\n");
}

static void put_random_line(struct random_text *t)
{
	unsigned thread = (unsigned)make_below(&t->r, 2),
		 x = (unsigned)make_below(&t->r, ADDRESSES);
	char line[64], fence[64];

	snprintf(fence, sizeof fence, "T%u|fence(seq_cst)|", thread);
	switch (make_below(&t->r, 6)) {
	case 0:
		snprintf(line, sizeof line, "T%u|opaque(library)|", thread);
		put_line(t, line, fence);
		return;
	case 1:
		if (t->holder >= 0 && t->holder != (int)thread)
			return;
		snprintf(line, sizeof line, "T%u|%s(m)|", thread, t->holder < 0 ? "acq" : "rel");
		t->holder = t->holder < 0 ? (int)thread : -1;
		break;
	case 2:
	case 3:
		t->memory[x] = (int)make_below(&t->r, 3);
		snprintf(line, sizeof line, "T%u|w(x%u)=%d|", thread, x, t->memory[x]);
		break;
	default: snprintf(line, sizeof line, "T%u|r(x%u)=%d|", thread, x, t->memory[x]);
	}
	put_line(t, line, NULL);
}

static void findings_and_suspicions_are_all(void **state)
{
	uint64_t suspected = 0, sure = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct random_text t = { .r = { seed }, .holder = -1 };
		found_list findings = { 0 }, suspicions = { 0 }, all = { 0 }, none = { 0 };

		for (unsigned i = 0; i < LINES; i++)
			put_random_line(&t);
		predict(t.with, &findings, &suspicions);
		predict(t.without, &all, &none);
		assert_int_equal(none.count, 0);
		for (size_t i = 0; i < findings.count; i++) {
			if (!has(&all, &findings.items[i]))
				fail_msg("seed %lu: a finding that exists only with OPAQUE:\n%s",
					 seed, t.with);
		}
		for (size_t i = 0; i < suspicions.count; i++) {
			if (has(&findings, &suspicions.items[i]) ||
			    !has(&all, &suspicions.items[i]))
				fail_msg("seed %lu: suspicion %zu is wrong:\n%s", seed, i, t.with);
		}
		if (findings.count + suspicions.count != all.count)
			fail_msg("seed %lu: %zu + %zu, not %zu:\n%s", seed, findings.count,
				 suspicions.count, all.count, t.with);
		suspected += suspicions.count;
		sure += findings.count;
		vec_free(&findings);
		vec_free(&suspicions);
		vec_free(&all);
	}
	assert_true(suspected > 100 && sure > 100);
}

/* A queue of a library that is not recorded hands x over; y is not protected at all. */
static void handed_over(void **state)
{
	found_list findings = { 0 }, suspicions = { 0 };

	(void)state;
	predict("a|w(x)=1|\n"
		"a|opaque(queue)|\n"
		"b|opaque(queue)|\n"
		"b|r(x)=1|\n"
		"b|w(y)=1|\n"
		"a|w(y)=2|\n",
		&findings, &suspicions);
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.items[0].events[0].index, 2);
	assert_int_equal(suspicions.count, 1);
	assert_int_equal(suspicions.items[0].events[0].index, 0);
	vec_free(&findings);
	vec_free(&suspicions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handed_over),
		cmocka_unit_test(findings_and_suspicions_are_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
