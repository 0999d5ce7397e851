/*
 * What the plan asks for besides its runs: rules, stops, sleeps and choices.
 *
 * Nearly always there are none, or few. So rules are boiled down to two numbers for each thread, the
 * step it may not start (`hold`) and the step behind which a rule falls away (`watch`), computed anew
 * when one does.
 */
#include "runtime/turn_state.h"

#include "runtime/real.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static uint8_t *rule_over; /* for each rule */
#define FIRST_RULES 256u
static uint8_t first_rules[FIRST_RULES];

/* ---- rules ------------------------------------------------------------------------------------ */

static bool is_satisfied(const struct control_rule *rule)
{
	const struct turn_thread *before = &turn_threads[rule->before_thread];

	if (rule->before_step == CONTROL_NONE)
		return false;
	return before->step > rule->before_step || before->where == TURN_ENDED;
}

static bool is_valid(const struct control_rule *rule)
{
	return rule->before_thread < CONTROL_THREADS && rule->after_thread < CONTROL_THREADS;
}

static void find_holds(void)
{
	turn.rules_open = false;
	for (uint32_t i = 0; i < turn.prepared || i < turn.top; i++)
		turn_threads[i].hold = turn_threads[i].watch = CONTROL_NONE;
	for (uint32_t i = 0; i < turn.control->rule_count; i++) {
		const struct control_rule *rule = &turn.rules[i];
		if (rule_over[i] || !is_valid(rule))
			continue;
		if (is_satisfied(rule)) {
			rule_over[i] = 1;
			continue;
		}
		struct turn_thread *before = &turn_threads[rule->before_thread];
		struct turn_thread *after = &turn_threads[rule->after_thread];
		turn.rules_open = true;
		if (rule->after_step < after->hold)
			after->hold = rule->after_step;
		if (rule->before_step != CONTROL_NONE && rule->before_step < before->watch)
			before->watch = rule->before_step;
	}
}

/* ---- stops ------------------------------------------------------------------------------------ */

static struct control_stop *stop_at(uint32_t i)
{
	return &turn.control->stops[i];
}

/* The first stop from `from` on that is for this thread. */
static uint32_t next_stop(uint32_t thread, uint32_t from)
{
	for (uint32_t i = from; i < turn.control->stop_count; i++)
		if (stop_at(i)->thread == thread)
			return i;
	return CONTROL_NONE;
}

/* What memory holds at a stop, if it is there at all: the program may be about to crash on it. */
static uint64_t value_at(uint64_t address, uint64_t size)
{
	uint64_t value = 0;
	struct iovec to = { &value, size < sizeof(value) ? size : sizeof(value) };
	struct iovec from = { (void *)address, to.iov_len };

	if (to.iov_len)
		real()->syscall(SYS_process_vm_readv, (long)getpid(), &to, 1L, &from, 1L, 0L);
	return value;
}

static bool is_access(uint32_t kind)
{
	return event_group((enum event_kind)kind) == EG_ACCESS ||
	       event_group((enum event_kind)kind) == EG_ATOMIC;
}

static void describe_stop(struct control_stop *stop, const struct turn_thread *t)
{
	stop->reached = 1;
	stop->actual_step = t->step;
	stop->kind = t->want.kind;
	stop->address = t->want.object;
	stop->size = t->want.size;
}

/* All are there: what each is about to do stands in the file, and the tool may look. */
static void meet(void)
{
	struct control *control = turn.control;

	for (uint32_t i = 0; i < control->stop_count; i++) {
		struct control_stop *stop = stop_at(i);
		if (is_access(stop->kind))
			stop->value = value_at(stop->address, stop->size);
		turn_threads[stop->thread].stopped = false;
	}
	turn.stops_open = false;
	turn.meeting = 0;
	control->stops_met = 1;
	if (control->options & CONTROL_HOLD)
		turn_plan_hold();
}

void turn_plan_hold(void)
{
	struct control *control = turn.control;

	turn.held = true;
	__atomic_store_n(&control->held, 1, __ATOMIC_RELEASE);
	real()->syscall(SYS_futex, &control->held, (long)FUTEX_WAKE, 1L, 0L, 0L, 0L);
	while (__atomic_load_n(&control->held, __ATOMIC_ACQUIRE))
		real()->syscall(SYS_futex, &control->held, (long)FUTEX_WAIT, 1L, 0L, 0L, 0L);
	turn.held = false;
}

uint32_t turn_plan_meeting(void)
{
	while (turn.meeting < turn.control->stop_count) {
		const struct control_stop *stop = stop_at(turn.meeting);
		struct turn_thread *t = &turn_threads[stop->thread];
		if (t->where == TURN_STANDS && t->step == stop->actual_step && turn_ready(t))
			return stop->thread;
		turn.meeting++; /* it has done it, or cannot */
	}
	return CONTROL_NONE;
}

/* ---- sleeps ----------------------------------------------------------------------------------- */

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

static bool only_reads(uint32_t kind)
{
	return kind == EV_READ || kind == EV_ATOMIC_READ;
}

static bool is_fail(uint32_t kind)
{
	return kind == EV_ACQUIRE_FAIL || kind == EV_READ_FAIL || kind == EV_DOWN_FAIL;
}

/* The mutex of a wait counts as an object of its own. */
static bool touches(uint64_t object, uint32_t kind, uint64_t a, uint64_t b)
{
	return object == a || ((kind == EV_WAIT || kind == EV_WOKEN) && object == b);
}

bool turn_plan_depends(const struct turn_want *want, const struct control_event *event)
{
	bool memory = is_access(want->kind) || want->kind == EV_FREE;

	if (memory && (is_access(event->kind) || event->kind == EV_FREE)) {
		if (only_reads(want->kind) && only_reads(event->kind))
			return false;
		uint64_t size = want->kind == EV_FREE && !want->size ? 1 : want->size;
		if (overlap(want->object, size, event->address, event->size ? event->size : 1))
			return true;
		/* a copy reads what its second address names */
		return (event->kind == EV_COPY && !only_reads(want->kind) &&
			overlap(want->object, size, event->other, event->size)) ||
		       (want->kind == EV_COPY && !only_reads(event->kind) &&
			overlap(want->other, size, event->address, event->size));
	}
	if (want->kind == EV_JOIN)
		return event->kind == EV_END && event->thread == want->object;
	if (want->kind == EV_NONE || event_group(want->kind) == EG_THREAD || memory)
		return false;
	if (want->kind == EV_READ_ACQUIRE && event->kind == EV_READ_ACQUIRE)
		return false;
	if (want->how == EVENT_TRY && is_fail(event->kind))
		return false;
	switch (event_group((enum event_kind)event->kind)) {
	case EG_LOCK:
	case EG_CONDITION:
	case EG_SEMAPHORE:
	case EG_BARRIER:
	case EG_ONCE: break;
	default: return false;
	}
	return touches(event->address, want->kind, want->object, want->other) ||
	       ((event->kind == EV_WAIT || event->kind == EV_WOKEN) &&
		touches(event->other, want->kind, want->object, want->other));
}

static void wake(const struct control_event *event)
{
	bool woken = false;

	for (uint32_t i = 0; i < turn.control->sleep_count; i++) {
		struct turn_thread *t = &turn_threads[turn.sleeps[i]];
		if (!t->asleep || !turn_plan_depends(&t->want, event))
			continue;
		t->asleep = false;
		turn.asleep--;
		woken = true;
	}
	if (woken)
		turn_stand_anew();
}

void turn_plan_sleep(void)
{
	if (turn.sleeps_used)
		return;
	turn.sleeps_used = true;
	for (uint32_t i = 0; i < turn.control->sleep_count; i++) {
		struct turn_thread *t = &turn_threads[turn.sleeps[i]];
		if (turn.sleeps[i] >= CONTROL_THREADS || t->asleep || t->where != TURN_STANDS)
			continue;
		t->asleep = true;
		turn.asleep++;
	}
	if (turn.asleep)
		turn_stand_anew();
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void settle_plain(void)
{
	turn.plain = !turn.stops_open && !turn.rules_open && !turn.asleep &&
		     turn.meeting >= turn.control->stop_count && !turn.control->choice_count &&
		     (turn.sleeps_used || !turn.control->sleep_count);
}

/* Threads below `prepared` are named in the plan, or known, and have what it says of them. */
static void prepare(uint32_t thread)
{
	for (; thread < CONTROL_THREADS && turn.prepared <= thread; turn.prepared++) {
		struct turn_thread *t = &turn_threads[turn.prepared];
		t->hold = t->watch = t->stop = CONTROL_NONE;
	}
}

void turn_plan_start(void)
{
	struct control *control = turn.control;

	if (control->stop_count > CONTROL_STOPS)
		control->stop_count = CONTROL_STOPS;
	turn.prepared = 0;
	prepare(control->thread_count - 1);
	for (uint32_t i = 0; i < control->stop_count; i++)
		prepare(control->stops[i].thread);
	for (uint32_t i = 0; i < control->rule_count; i++) {
		prepare(turn.rules[i].before_thread);
		prepare(turn.rules[i].after_thread);
	}
	for (uint32_t i = control->stop_count; i-- > 0;) {
		stop_at(i)->reached = 0;
		if (stop_at(i)->thread < CONTROL_THREADS)
			turn_threads[stop_at(i)->thread].stop = i;
	}
	turn.stops_open = control->stop_count > 0;
	turn.meeting = CONTROL_NONE;
	rule_over = first_rules;
	if (control->rule_count > FIRST_RULES)
		rule_over = real()->calloc(control->rule_count, 1);
	if (control->rule_count)
		find_holds();
	settle_plain();
}

void turn_plan_arrived(struct turn_thread *t)
{
	if (!turn.stops_open || t->stop == CONTROL_NONE || t->want.pause)
		return;
	struct control_stop *stop = stop_at(t->stop);
	if (t->step < stop->step || (stop->site && stop->site != t->want.site))
		return;
	describe_stop(stop, t);
	t->stopped = true;
	t->stop = next_stop(turn_number(t), t->stop + 1);
	if (++turn.stops_reached == turn.control->stop_count) {
		meet();
		turn_stand_anew();
		settle_plain();
	}
}

void turn_plan_did(struct turn_thread *t, const struct control_event *event)
{
	if (t->step > t->watch || (event->kind == EV_END && turn.rules_open)) {
		find_holds();
		turn_stand_anew();
	}
	if (turn.asleep)
		wake(event);
	settle_plain();
}

bool turn_plan_give_up(void)
{
	bool any = false;

	if (turn.stops_open) {
		turn.stops_open = false;
		for (uint32_t i = 0; i < turn.top; i++) {
			any |= turn_threads[i].stopped;
			turn_threads[i].stopped = false;
		}
	}
	if (!any && turn.rules_open) {
		bool wishes = true; /* "not while anybody else can go on": nobody can */
		for (uint32_t i = 0; i < turn.control->rule_count; i++) {
			wishes &= rule_over[i] || turn.rules[i].before_step == CONTROL_NONE;
			rule_over[i] = 1;
		}
		any = true;
		if (!wishes)
			turn.control->rules_broken++;
		find_holds();
	}
	if (any)
		turn_stand_anew();
	settle_plain();
	return any;
}

uint32_t turn_plan_choice(const struct turn_thread *t)
{
	for (uint32_t i = 0; i < turn.control->choice_count; i++)
		if (turn.choices[i].thread == turn_number(t) && turn.choices[i].step == t->step)
			return turn.choices[i].kind;
	return 0;
}
