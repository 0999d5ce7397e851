/*
 * Tests, on recordings made by hand, when a replay confirms a finding: only if the finding itself
 * happened, at its own sites. Also tests the plans that lead to a finding, and the explanations if
 * a replay fails.
 */
#include "trace_make.h"

#include "base/mem.h"
#include "explore/confirm/divergence.h"
#include "explore/confirm/plan_finding.h"
#include "explore/confirm/verify.h"

#define WRITE_SITE 0x1000
#define READ_SITE 0x2000
#define OTHER_SITE 0x3000
#define LOCK_SITE 0x4000

static void add_event(struct finding *f, uint32_t stream, uint64_t index, uint8_t kind,
		      uint32_t waits_for)
{
	*vec_push(&f->events) = (struct finding_event){ .id = { stream, index },
							.kind = kind,
							.waits_for = waits_for };
}

/* ---- races ----------------------------------------------------------------------------------- */

/*
 * T1 writes bytes 8 to 11 and then 12 to 15. T2 reads bytes 8 to 11, then reads another address,
 * and copies from 8 to 40.
 */
static const struct make_line racers[] = {
	{ 0, { .kind = EV_CREATE, .time = 1, .n = 1 } },
	{ 0, { .kind = EV_CREATE, .time = 2, .n = 2 } },
	{ 1, { .kind = EV_BEGIN, .time = 3, .n = 0 } },
	{ 1, { .kind = EV_WRITE, .pc = WRITE_SITE, .time = 3, .a = 8, .n = 4 } },
	{ 1, { .kind = EV_WRITE, .pc = OTHER_SITE, .time = 3, .a = 12, .n = 4 } },
	{ 1, { .kind = EV_END, .time = 4 } },
	{ 2, { .kind = EV_BEGIN, .time = 5, .n = 0 } },
	{ 2, { .kind = EV_READ, .pc = READ_SITE, .time = 5, .a = 8, .n = 4 } },
	{ 2, { .kind = EV_READ, .pc = OTHER_SITE, .time = 5, .a = 8, .n = 4 } },
	{ 2, { .kind = EV_COPY, .pc = READ_SITE, .time = 5, .a = 40, .b = 8, .n = 4 } },
	{ 2, { .kind = EV_END, .time = 6 } },
};
#define RACERS (sizeof racers / sizeof racers[0])

static const struct control_slice adjacent[] = { { 0, 2 }, { 1, 1 }, { 2, 1 }, { 1, 2 },
						 { 2, 2 }, { 1, 4 }, { 2, 5 } };

struct meeting {
	uint32_t a_step, b_step; /* steps of T1 and T2 */
	bool met;
	const struct control_slice *runs;
	size_t count;
	uint64_t a_key, b_key; /* sites of the finding */
};

static bool shows(const struct meeting *m)
{
	struct make_dir dir = make_recording(racers, RACERS, m->runs, m->count * sizeof *m->runs);
	struct trace *trace = make_open(&dir);
	struct finding finding = { .kind = FINDING_RACE };
	struct control control = { .stop_count = 2, .stops_met = m->met };
	struct outcome outcome = { .result = CONTROL_ENDED, .control = &control };
	const uint64_t keys[] = { m->a_key, m->b_key };
	bool shown;

	add_event(&finding, 1, 1, EV_WRITE, ORDER_NONE);
	add_event(&finding, 2, 1, EV_READ, ORDER_NONE);
	control.stops[0] = (struct control_stop){ .thread = 1, .actual_step = m->a_step };
	control.stops[1] = (struct control_stop){ .thread = 2, .actual_step = m->b_step };
	shown = verify_finding(&finding, keys, &outcome, trace);
	finding_free(&finding);
	trace_close(trace);
	make_remove(&dir);
	return shown;
}

static void races(void **state)
{
	static const struct control_slice apart[] = { { 0, 2 }, { 2, 1 }, { 1, 4 }, { 2, 5 } };
	static const struct control_slice between[] = { { 0, 1 }, { 1, 1 }, { 2, 1 }, { 1, 2 },
							{ 0, 2 }, { 2, 2 }, { 1, 4 }, { 2, 5 } };
	static const struct control_slice copying[] = { { 0, 2 }, { 2, 3 }, { 1, 1 },
							{ 1, 2 }, { 2, 5 }, { 1, 4 } };
	const struct meeting right = { 1, 1, true, adjacent, 7, WRITE_SITE, READ_SITE };
	struct meeting wrong;

	(void)state;
	assert_true(shows(&right));
	wrong = right;
	wrong.a_key = READ_SITE, wrong.b_key = WRITE_SITE; /* sites in the other order */
	assert_true(shows(&wrong));
	wrong = right;
	wrong.met = false;
	assert_false(shows(&wrong));
	wrong = right;
	wrong.b_key = OTHER_SITE;
	assert_false(shows(&wrong));
	wrong = right;
	wrong.runs = apart, wrong.count = 4; /* the writer continues before the reader is there */
	assert_false(shows(&wrong));
	wrong = right;
	wrong.runs = between, wrong.count = 8;
	assert_false(shows(&wrong));
	wrong = right;
	wrong.a_step = 2, wrong.a_key = OTHER_SITE; /* bytes that no other thread accesses */
	assert_false(shows(&wrong));
	wrong = right;
	/* the read that belongs to a copy */
	wrong.b_step = 3, wrong.runs = copying, wrong.count = 6;
	assert_true(shows(&wrong));
	wrong.a_step = 7; /* a step that was not recorded */
	assert_false(shows(&wrong));
}

/* The END of a thread just after its access does not separate the two accesses. */
static void an_end_is_nothing_between(void **state)
{
	static const struct make_line lines[] = {
		{ 0, { .kind = EV_CREATE, .time = 1, .n = 1 } },
		{ 1, { .kind = EV_BEGIN, .time = 3, .n = 0 } },
		{ 1, { .kind = EV_WRITE, .pc = WRITE_SITE, .time = 3, .a = 8, .n = 4 } },
		{ 1, { .kind = EV_END, .time = 4 } },
		{ 0, { .kind = EV_READ, .pc = READ_SITE, .time = 5, .a = 10, .n = 1 } },
	};
	static const struct control_slice runs[] = { { 0, 1 }, { 1, 3 }, { 0, 2 } };
	struct control_event events[] = {
		{ .thread = 0, .step = 0 },
		{ .thread = 1, .step = 0 },
		{ .thread = 1, .step = 1 },
		{ .thread = 1, .step = 2, .flags = CONTROL_EVENT_NO_CHOICE },
		{ .thread = 0, .step = 1 },
	};
	struct make_dir dir = make_recording(lines, 5, runs, 3 * sizeof runs[0]);
	struct trace *trace = make_open(&dir);
	struct finding finding = { .kind = FINDING_RACE };
	struct control control = { .stop_count = 2, .stops_met = 1 };
	struct outcome outcome = { .control = &control, .events = events, .event_count = 5 };
	const uint64_t keys[] = { WRITE_SITE, READ_SITE };

	(void)state;
	add_event(&finding, 1, 1, EV_WRITE, ORDER_NONE);
	add_event(&finding, 0, 1, EV_READ, ORDER_NONE);
	control.stops[0] = (struct control_stop){ .thread = 1, .actual_step = 1 };
	control.stops[1] = (struct control_stop){ .thread = 0, .actual_step = 1 };
	assert_true(verify_finding(&finding, keys, &outcome, trace));
	events[3].flags = 0; /* now another thread could run in between */
	assert_false(verify_finding(&finding, keys, &outcome, trace));
	finding_free(&finding);
	trace_close(trace);
	make_remove(&dir);
}

/* ---- threads that wait for ever -------------------------------------------------------------- */

static const struct make_line stuck[] = {
	{ 1, { .kind = EV_ACQUIRE, .pc = OTHER_SITE, .time = 1, .sequence = 1, .a = 8 } },
	{ 1, { .kind = EV_REQUEST, .pc = LOCK_SITE, .time = 2, .sequence = 2, .a = 16 } },
	{ 2, { .kind = EV_ACQUIRE, .pc = OTHER_SITE, .time = 1, .sequence = 1, .a = 16 } },
	{ 2, { .kind = EV_REQUEST, .pc = READ_SITE, .time = 2, .sequence = 2, .a = 8 } },
};

static void deadlocks(void **state)
{
	struct make_dir dir = make_recording(stuck, 4, NULL, 0);
	struct trace *trace = make_open(&dir);
	struct finding finding = { .kind = FINDING_DEADLOCK };
	struct control control = { 0 };
	struct control_blocked blocked[] = {
		{ .thread = 1,
		  .kind = EV_ACQUIRE,
		  .how = CONTROL_BY_OWNER,
		  .in_cycle = 1,
		  .site = LOCK_SITE },
		{ .thread = 2,
		  .kind = EV_ACQUIRE,
		  .how = CONTROL_BY_OWNER,
		  .in_cycle = 1,
		  .site = READ_SITE },
	};
	struct outcome outcome = { .result = CONTROL_DEADLOCK,
				   .control = &control,
				   .blocked = blocked,
				   .blocked_count = 2 };
	const uint64_t keys[] = { READ_SITE, LOCK_SITE }, others[] = { READ_SITE, OTHER_SITE };

	(void)state;
	add_event(&finding, 2, 1, EV_ACQUIRE, 1);
	add_event(&finding, 1, 1, EV_ACQUIRE, 0);
	assert_true(verify_finding(&finding, keys, &outcome, trace));
	assert_false(verify_finding(&finding, others, &outcome, trace));
	outcome.result = CONTROL_ENDED;
	assert_false(verify_finding(&finding, keys, &outcome, trace));
	outcome.result = CONTROL_DEADLOCK;
	blocked[1].in_cycle = 0; /* the thread is blocked, but not in the cycle */
	assert_false(verify_finding(&finding, keys, &outcome, trace));
	outcome.result = CONTROL_STUCK;
	assert_true(verify_finding(&finding, keys, &outcome, trace));
	blocked[0].site = OTHER_SITE; /* the scheduler reports another site than the recording */
	assert_false(verify_finding(&finding, keys, &outcome, trace));
	blocked[0].site = LOCK_SITE;
	blocked[0].how = CONTROL_BY_NOTHING; /* the thread could have continued */
	assert_false(verify_finding(&finding, keys, &outcome, trace));
	finding_free(&finding);
	trace_close(trace);
	make_remove(&dir);
}

static void the_same_finding(void **state)
{
	struct finding a = { .kind = FINDING_RACE }, b = { .kind = FINDING_RACE };
	const uint64_t one[] = { 1, 2 }, crossed[] = { 2, 1 }, other[] = { 2, 2 };

	(void)state;
	add_event(&a, 1, 1, EV_WRITE, ORDER_NONE);
	add_event(&a, 2, 1, EV_READ, ORDER_NONE);
	add_event(&b, 7, 1, EV_READ, ORDER_NONE);
	add_event(&b, 8, 1, EV_WRITE, ORDER_NONE);
	assert_true(verify_same(&a, one, &b, one));
	assert_true(verify_same(&a, one, &b, crossed));
	assert_false(verify_same(&a, one, &b, other));
	b.kind = FINDING_DEADLOCK;
	assert_false(verify_same(&a, one, &b, one));
	finding_free(&a);
	finding_free(&b);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static void expect_runs(const struct plan *plan, const struct control_slice *runs, size_t count)
{
	assert_int_equal(plan->slices.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(plan->slices.items[i].thread, runs[i].thread);
		assert_int_equal(plan->slices.items[i].until, runs[i].until);
	}
}

static void plans_follow_witnesses(void **state)
{
	static const struct control_slice recorded[] = { { 0, 2 }, { 1, 4 }, { 2, 5 } };
	struct make_dir dir = make_recording(racers, RACERS, recorded, 3 * sizeof recorded[0]);
	struct trace *trace = make_open(&dir);
	struct finding finding = { .kind = FINDING_RACE };
	struct plan plan = { 0 };
	struct err err = { 0 };

	(void)state;
	add_event(&finding, 1, 1, EV_WRITE, ORDER_NONE);
	add_event(&finding, 2, 1, EV_READ, ORDER_NONE);
	*vec_push(&finding.start) = (struct event_id){ 0, 2 };
	*vec_push(&finding.steps) = (struct event_id){ 1, 0 };
	*vec_push(&finding.steps) = (struct event_id){ 2, 0 };
	assert_true(plan_finding(&plan, trace, &finding, false, &err));
	assert_int_equal(plan.stops.count, 2);
	assert_int_equal(plan.stops.items[0].thread, 1);
	assert_int_equal(plan.stops.items[0].step, 1);
	assert_int_equal(plan.stops.items[0].site, WRITE_SITE);
	assert_int_equal(plan.stops.items[1].thread, 2);
	assert_int_equal(plan.stops.items[1].site, READ_SITE);
	/*
	 * slices: the recorded order up to the window, the witness, then some steps after the stops
	 */
	expect_runs(
		&plan,
		(const struct control_slice[]){
			{ 0, 2 }, { 1, 1 }, { 2, 1 }, { 1, 1 }, { 2, 1 }, { 1, 257 }, { 2, 257 } },
		7);
	assert_true(plan_finding(&plan, trace, &finding, true, &err));
	assert_int_equal(plan.stops.items[0].thread, 2);
	plan_free(&plan);
	finding_free(&finding);
	trace_close(trace);
	make_remove(&dir);
}

/* ---- words ----------------------------------------------------------------------------------- */

static const struct make_line teller[] = {
	{ 1, { .kind = EV_BEGIN, .time = 1, .n = 0 } },
	{ 1,
	  { .kind = EV_READ,
	    .pc = READ_SITE,
	    .time = 1,
	    .a = 8,
	    .n = 1,
	    .bytes = "\1",
	    .size = 1 } },
	{ 1, { .kind = EV_WRITE, .pc = WRITE_SITE, .time = 1, .a = 16, .n = 1 } },
};

static void divergences(void **state)
{
	struct make_dir dir = make_recording(teller, 3, NULL, 0);
	struct trace *trace = make_open(&dir);
	struct run_outcome_source source = { trace, NULL };
	struct control control = { .diverged_slice = CONTROL_NONE };
	struct control_event events[] = {
		{ .thread = 1, .step = 0, .kind = EV_BEGIN },
		{ .thread = 1,
		  .step = 1,
		  .kind = EV_READ,
		  .size = 1,
		  .address = 8,
		  .other = 5,
		  .site = READ_SITE },
		{ .thread = 1, .step = 2, .kind = EV_END },
	};
	struct outcome outcome = {
		.result = CONTROL_ENDED, .control = &control, .events = events, .event_count = 3
	};
	struct control_blocked waits = { .thread = 1,
					 .step = 2,
					 .kind = EV_ACQUIRE,
					 .how = CONTROL_BY_OWNER,
					 .owner = 4,
					 .address = 0x20 };
	struct plan plan = { 0 };
	struct divergence d;

	(void)state;
	*vec_push(&plan.slices) = (struct control_slice){ 1, 3 };
	assert_true(divergence_explain(&d, &plan, &outcome, trace, &source));
	assert_int_equal(d.thread, 1);
	assert_int_equal(d.step, 2);
	assert_non_null(strstr(d.text, "does something else: end"));
	assert_non_null(strstr(d.text, "instead of write of 0x10"));
	assert_non_null(strstr(d.text, "reads 0x8 as 5 instead of 1"));
	/* the thread followed the plan until the run ended too early */
	outcome.event_count = 2;
	assert_true(divergence_explain(&d, &plan, &outcome, trace, &source));
	assert_non_null(strstr(d.text, "did not reach write of 0x10"));
	assert_non_null(strstr(d.text, "the run ended first"));
	outcome.blocked = &waits;
	outcome.blocked_count = 1;
	assert_true(divergence_explain(&d, &plan, &outcome, trace, &source));
	assert_non_null(strstr(d.text, "waits for 0x20, which T4 holds"));
	/* the whole run followed the plan: there is no divergence to explain */
	events[2] = (struct control_event){
		.thread = 1, .step = 2, .kind = EV_WRITE, .site = WRITE_SITE
	};
	outcome.event_count = 3;
	assert_false(divergence_explain(&d, &plan, &outcome, trace, &source));
	control.diverged_slice = 0;
	assert_true(divergence_explain(&d, &plan, &outcome, trace, &source));
	assert_non_null(strstr(d.text, "could not do write of 0x10"));
	plan_free(&plan);
	trace_close(trace);
	make_remove(&dir);
}

/*
 * A thread of the plan that waits for something that is not recorded has not diverged by itself: it
 * slept although it had the turn, or it is in the kernel before its last planned step.
 */
static void held_up_outside(void **state)
{
	struct control control = { .held_up_count = 1, .held_up = { 2 } };
	struct control_blocked blocked = { .thread = 1, .step = 5, .how = CONTROL_BY_CALL };
	struct outcome outcome = { .control = &control, .blocked = &blocked, .blocked_count = 1 };
	struct plan plan = { 0 };

	(void)state;
	plan_add_slice(&plan, 1, 3);
	plan_add_slice(&plan, 0, 7);
	plan_add_slice(&plan, 1, 5);
	assert_false(divergence_is_outside(&plan, &outcome)); /* T2 is not in the plan */
	blocked.step = 4;
	assert_true(divergence_is_outside(&plan, &outcome));
	blocked.how = CONTROL_BY_OWNER;
	assert_false(divergence_is_outside(&plan, &outcome));
	control.held_up[0] = 0;
	assert_true(divergence_is_outside(&plan, &outcome));
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(races),
		cmocka_unit_test(an_end_is_nothing_between),
		cmocka_unit_test(deadlocks),
		cmocka_unit_test(the_same_finding),
		cmocka_unit_test(plans_follow_witnesses),
		cmocka_unit_test(divergences),
		cmocka_unit_test(held_up_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
