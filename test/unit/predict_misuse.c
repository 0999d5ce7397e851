/*
 * Tests misuse on text traces (doc/prediction.md). Each case lists all misuse that must be found
 * with `every`: the kind, thread and index of the first event, and of the second (ALONE: there is
 * none).
 */
#include "predict_make.h"

#define ALONE 99

struct expected {
	enum event_misuse misuse;
	uint32_t thread, index, other_thread, other;
	enum finding_status status;
};

static bool is_it(const struct finding *f, const struct expected *x)
{
	const struct finding_event *e = f->events.items;

	if (f->kind != FINDING_MISUSE || f->misuse != x->misuse || f->status != x->status ||
	    e[0].id.stream != x->thread || e[0].id.index != x->index)
		return false;
	if (x->other_thread == ALONE)
		return f->events.count == 1;
	return f->events.count == 2 && e[1].id.stream == x->other_thread &&
	       e[1].id.index == x->other;
}

static void compare(const struct predict_result *result, const void *all, size_t count)
{
	const struct expected *wanted = all;
	size_t matched = 0, seen = 0;

	for (size_t i = 0; i < result->findings.count; i++) {
		const struct finding *f = &result->findings.items[i];

		if (finding_is_use_after_end(f))
			/* uses after the end of a lifetime: tested in predict_lifetime.c */
			continue;
		seen++;
		for (size_t k = 0; k < count; k++)
			matched += is_it(f, &wanted[k]);
		if (seen > count || matched < seen)
			print_message("found: sort %d, T%u %lu\n", (int)f->misuse,
				      f->events.items[0].id.stream,
				      (unsigned long)f->events.items[0].id.index);
	}
	assert_int_equal(matched, count);
	assert_int_equal(seen, count);
}

static void expect_with(unsigned only, const char *text, const struct expected *wanted,
			size_t count)
{
	predict_text(text, only, compare, wanted, count);
}

static void expect(const char *text, const struct expected *wanted, size_t count)
{
	expect_with(PREDICT_MISUSE, text, wanted, count);
}

/* ---- destroyed while in use ---------------------------------------------------------------- */

static void destroyed_while_held(void **state)
{
	static const struct expected held = {
		EVENT_MISUSE_DESTROY_IN_USE, 0, 1, 1, 0, FINDING_PREDICTED
	};

	(void)state;
	expect("T0|fork(T1)|\nT1|acq(m)|\nT1|rel(m)|\nT0|destroy(m)|\n", &held, 1);
	expect("T0|fork(T1)|\nT1|racq(m)|\nT1|rrel(m)|\nT0|destroy(m)|\n", &held, 1);
	/* ordered by a join; by a value; the destroying thread itself used the lock */
	expect("T0|fork(T1)|\nT1|acq(m)|\nT1|rel(m)|\nT0|join(T1)|\nT0|destroy(m)|\n", NULL, 0);
	expect("T0|fork(T1)|\nT1|acq(m)|\nT1|rel(m)|\nT1|w(x)=1|\nT0|r(x)=1|\nT0|destroy(m)|\n",
	       NULL, 0);
	expect("T0|acq(m)|\nT0|rel(m)|\nT0|destroy(m)|\n", NULL, 0);
}

/* A thread that has ended no longer holds a robust mutex. */
static void robust_destroyed(void **state)
{
	struct expected held = { EVENT_MISUSE_DESTROY_IN_USE, 0, 2, 1, 0, FINDING_PREDICTED };

	(void)state;
	expect("T0|init(m)=robust|\nT0|fork(T1)|\nT1|acq(m)|\nT1|end|\nT0|destroy(m)|\n", &held, 1);
	expect("T0|init(m)=robust|\nT0|fork(T1)|\nT1|acq(m)|\nT1|end|\nT0|join(T1)|\n"
	       "T0|destroy(m)|\n",
	       NULL, 0);
	held.status = FINDING_OBSERVED;
	expect("T0|init(m)=robust|\nT0|fork(T1)|\nT1|acq(m)|\nT0|destroy(m)|\nT1|end|\n", &held, 1);
}

static void destroyed_in_the_recorded_run(void **state)
{
	static const struct expected held = {
		EVENT_MISUSE_DESTROY_IN_USE, 0, 1, 1, 0, FINDING_OBSERVED
	};

	(void)state;
	expect("T0|fork(T1)|\nT1|acq(m)|\nT0|destroy(m)|\n", &held, 1);
}

static void destroyed_while_awaited(void **state)
{
	static const struct expected waits = {
		EVENT_MISUSE_DESTROY_IN_USE, 0, 2, 1, 1, FINDING_PREDICTED
	};

	(void)state;
	expect("T0|fork(T1)|\nT0|fork(T2)|\nT1|acq(m)|\nT1|wait(c,m)|\nT2|notify(c)|\n"
	       "T1|woken(c,m)|\nT1|rel(m)|\nT0|cdestroy(c)|\n",
	       &waits, 1);
	/*
	 * the destroying thread has sent the signal, and the wait had begun before, because its
	 * thread read x before it was written
	 */
	expect("T0|fork(T1)|\nT1|acq(m)|\nT1|r(x)=0|\nT1|wait(c,m)|\nT0|acq(m)|\nT0|w(x)=1|\n"
	       "T0|notify(c)|\nT0|rel(m)|\nT1|woken(c,m)|\nT1|rel(m)|\nT0|cdestroy(c)|\n",
	       NULL, 0);
}

static void destroyed_before_all_have_come(void **state)
{
	static const struct expected both[] = {
		{ EVENT_MISUSE_DESTROY_IN_USE, 0, 2, 1, 0, FINDING_PREDICTED },
		{ EVENT_MISUSE_DESTROY_IN_USE, 0, 2, 2, 0, FINDING_PREDICTED },
	};

	(void)state;
	expect("T0|fork(T1)|\nT0|fork(T2)|\nT1|barrier(b,2)|\nT2|barrier(b,2)|\nT1|passed(b)|\n"
	       "T2|passed(b)|\nT0|bdestroy(b)|\n",
	       both, 2);
	expect("T0|fork(T1)|\nT1|barrier(b,2)|\nT0|barrier(b,2)|\nT1|passed(b)|\n"
	       "T0|passed(b)|\nT0|bdestroy(b)|\n",
	       NULL, 0);
}

/* ---- used before, joined and detached ------------------------------------------------------- */

static void used_before_it_begins(void **state)
{
	static const struct expected early = {
		EVENT_MISUSE_NOT_INIT, 0, 1, 1, 0, FINDING_PREDICTED
	};

	(void)state;
	expect("T0|fork(T1)|\nT0|init(m)=normal|\nT1|acq(m)|\nT1|rel(m)|\n", &early, 1);
	expect("T0|fork(T1)|\nT0|sinit(s,0)|\nT1|post(s)|\nT1|post(s)|\n", &early, 1);
	expect("T0|init(m)=normal|\nT0|fork(T1)|\nT1|acq(m)|\nT1|rel(m)|\n", NULL, 0);
	/* the lock had a lifetime before, so its memory is not uninitialised */
	expect("T0|fork(T1)|\nT0|init(m)=normal|\nT0|destroy(m)|\nT0|init(m)=normal|\nT1|acq(m)|\n"
	       "T1|rel(m)|\n",
	       NULL, 0);
}

static void joined_and_detached(void **state)
{
	static const struct expected both = { EVENT_MISUSE_JOIN_DETACHED, 1, 0, 0, 1,
					      FINDING_PREDICTED };

	(void)state;
	expect("T0|fork(T1)|\nT1|detach(T1)|\nT0|join(T1)|\n", &both, 1);
	expect("T0|fork(T1)|\nT1|w(x)=1|\nT0|join(T1)|\n", NULL, 0);
	/* the thread that joins must have been created */
	expect("T1|fork(T2)|\nT0|detach(T1)|\nT2|join(T1)|\n",
	       &(struct expected){ EVENT_MISUSE_JOIN_DETACHED, 2, 0, 1, 0, FINDING_PREDICTED }, 1);
}

/* ---- seen ------------------------------------------------------------------------------------ */

static void seen(void **state)
{
	static const struct expected all[] = {
		{ EVENT_MISUSE_NOT_HELD, 1, 0, ALONE, 0, FINDING_OBSERVED },
		{ EVENT_MISUSE_HELD_AT_END, 1, 2, ALONE, 0, FINDING_OBSERVED },
		{ EVENT_MISUSE_JOIN_TWICE, 0, 2, ALONE, 0, FINDING_OBSERVED },
	};

	(void)state;
	expect("T0|fork(T1)|\nT1|rel(m)|\nT1|acq(n)|\nT1|end()|\nT0|join(T1)|\n"
	       "T0|misuse(jointwice,T1)|\n",
	       all, 3);
	expect("T0|init(n)=robust|\nT0|fork(T1)|\nT1|acq(n)|\nT1|end()|\nT0|join(T1)|\n", NULL, 0);
}

static void not_looked_at_again(void **state)
{
	static const struct expected blind = { EVENT_MISUSE_NO_RECHECK, 1, 3, ALONE, 0,
					       FINDING_WARNING };
	static const char before[] = "T0|fork(T1)|\nT1|acq(m)|\nT1|r(x)=0|\nT1|wait(c,m)|\n"
				     "T0|acq(m)|\nT0|w(x)=1|\nT0|notify(c)|\nT0|rel(m)|\n"
				     "T1|woken(c,m)|\n";
	char text[512];

	(void)state;
	snprintf(text, sizeof text, "%sT1|w(y)=1|\nT1|rel(m)|\n", before);
	expect_with(PREDICT_MISUSE | PREDICT_GOODLOCK, text, &blind, 1);
	expect(text, NULL, 0);
	snprintf(text, sizeof text, "%sT1|r(x)=1|\nT1|rel(m)|\n", before);
	expect_with(PREDICT_MISUSE | PREDICT_GOODLOCK, text, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(destroyed_while_held),
		cmocka_unit_test(robust_destroyed),
		cmocka_unit_test(destroyed_in_the_recorded_run),
		cmocka_unit_test(destroyed_while_awaited),
		cmocka_unit_test(destroyed_before_all_have_come),
		cmocka_unit_test(used_before_it_begins),
		cmocka_unit_test(joined_and_detached),
		cmocka_unit_test(seen),
		cmocka_unit_test(not_looked_at_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
