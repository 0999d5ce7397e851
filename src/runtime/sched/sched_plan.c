/*
 * What the plan asks for besides its runs: rules, stops, sleeps and choices.
 *
 * Nearly always there are none, or few. So rules are boiled down to two numbers for each thread, the
 * step it may not start (`hold`) and the step behind which a rule falls away (`watch`), computed anew
 * when one does.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/host/libc_next.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static uint8_t *rule_over; /* for each rule */
#define FIRST_RULES 256u
static uint8_t first_rules[FIRST_RULES];

/* ---- rules ------------------------------------------------------------------------------------ */

static bool is_satisfied(const struct control_rule *rule)
{
	const struct sched_thread *before = &sched_threads[rule->before_thread];

	if (rule->before_step == CONTROL_NONE)
		return false;
	return before->step > rule->before_step || before->where == SCHED_ENDED;
}

static bool is_valid(const struct control_rule *rule)
{
	return rule->before_thread < CONTROL_THREADS && rule->after_thread < CONTROL_THREADS;
}

static void find_holds(void)
{
	sched.rules_open = false;
	for (uint32_t i = 0; i < sched.prepared || i < sched.top; i++)
		sched_threads[i].hold = sched_threads[i].watch = CONTROL_NONE;
	for (uint32_t i = 0; i < sched.control->rule_count; i++) {
		const struct control_rule *rule = &sched.rules[i];
		if (rule_over[i] || !is_valid(rule))
			continue;
		if (is_satisfied(rule)) {
			rule_over[i] = 1;
			continue;
		}
		struct sched_thread *before = &sched_threads[rule->before_thread];
		struct sched_thread *after = &sched_threads[rule->after_thread];
		sched.rules_open = true;
		if (rule->after_step < after->hold)
			after->hold = rule->after_step;
		if (rule->before_step != CONTROL_NONE && rule->before_step < before->watch)
			before->watch = rule->before_step;
	}
}

/* ---- stops ------------------------------------------------------------------------------------ */

static struct control_stop *stop_at(uint32_t i)
{
	return &sched.control->stops[i];
}

/* The first stop from `from` on that is for this thread. */
static uint32_t next_stop(uint32_t thread, uint32_t from)
{
	for (uint32_t i = from; i < sched.control->stop_count; i++)
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

static void describe_stop(struct control_stop *stop, const struct sched_thread *t)
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
	struct control *control = sched.control;

	for (uint32_t i = 0; i < control->stop_count; i++) {
		struct control_stop *stop = stop_at(i);
		if (is_access(stop->kind))
			stop->value = value_at(stop->address, stop->size);
		sched_threads[stop->thread].stopped = false;
	}
	sched.stops_open = false;
	sched.meeting = 0;
	control->stops_met = 1;
	if (control->options & CONTROL_HOLD)
		sched_plan_hold();
}

void sched_plan_hold(void)
{
	struct control *control = sched.control;

	sched.held = true;
	__atomic_store_n(&control->held, 1, __ATOMIC_RELEASE);
	real()->syscall(SYS_futex, &control->held, (long)FUTEX_WAKE, 1L, 0L, 0L, 0L);
	while (__atomic_load_n(&control->held, __ATOMIC_ACQUIRE))
		real()->syscall(SYS_futex, &control->held, (long)FUTEX_WAIT, 1L, 0L, 0L, 0L);
	sched.held = false;
}

uint32_t sched_plan_meeting(void)
{
	while (sched.meeting < sched.control->stop_count) {
		const struct control_stop *stop = stop_at(sched.meeting);
		struct sched_thread *t = &sched_threads[stop->thread];
		if (t->where == SCHED_STANDS && t->step == stop->actual_step && sched_ready(t))
			return stop->thread;
		sched.meeting++; /* it has done it, or cannot */
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

bool sched_plan_depends(const struct sched_want *want, const struct control_event *event)
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

	for (uint32_t i = 0; i < sched.control->sleep_count; i++) {
		struct sched_thread *t = &sched_threads[sched.sleeps[i]];
		if (!t->asleep || !sched_plan_depends(&t->want, event))
			continue;
		t->asleep = false;
		sched.asleep--;
		woken = true;
	}
	if (woken)
		sched_stand_anew();
}

void sched_plan_sleep(void)
{
	if (sched.sleeps_used)
		return;
	sched.sleeps_used = true;
	for (uint32_t i = 0; i < sched.control->sleep_count; i++) {
		struct sched_thread *t = &sched_threads[sched.sleeps[i]];
		if (sched.sleeps[i] >= CONTROL_THREADS || t->asleep || t->where != SCHED_STANDS)
			continue;
		t->asleep = true;
		sched.asleep++;
	}
	if (sched.asleep)
		sched_stand_anew();
}

/* ---- all of it ---------------------------------------------------------------------------------- */

static void settle_plain(void)
{
	sched.plain = !sched.stops_open && !sched.rules_open && !sched.asleep &&
		      sched.meeting >= sched.control->stop_count && !sched.control->choice_count &&
		      (sched.sleeps_used || !sched.control->sleep_count);
}

/* Threads below `prepared` are named in the plan, or known, and have what it says of them. */
static void prepare(uint32_t thread)
{
	for (; thread < CONTROL_THREADS && sched.prepared <= thread; sched.prepared++) {
		struct sched_thread *t = &sched_threads[sched.prepared];
		t->hold = t->watch = t->stop = CONTROL_NONE;
	}
}

void sched_plan_start(void)
{
	struct control *control = sched.control;

	if (control->stop_count > CONTROL_STOPS)
		control->stop_count = CONTROL_STOPS;
	sched.prepared = 0;
	prepare(control->thread_count - 1);
	for (uint32_t i = 0; i < control->stop_count; i++)
		prepare(control->stops[i].thread);
	for (uint32_t i = 0; i < control->rule_count; i++) {
		prepare(sched.rules[i].before_thread);
		prepare(sched.rules[i].after_thread);
	}
	for (uint32_t i = control->stop_count; i-- > 0;) {
		stop_at(i)->reached = 0;
		if (stop_at(i)->thread < CONTROL_THREADS)
			sched_threads[stop_at(i)->thread].stop = i;
	}
	sched.stops_open = control->stop_count > 0;
	sched.meeting = CONTROL_NONE;
	rule_over = first_rules;
	if (control->rule_count > FIRST_RULES)
		rule_over = real()->calloc(control->rule_count, 1);
	if (control->rule_count)
		find_holds();
	settle_plain();
}

void sched_plan_arrived(struct sched_thread *t)
{
	if (!sched.stops_open || t->stop == CONTROL_NONE || t->want.pause)
		return;
	struct control_stop *stop = stop_at(t->stop);
	if (t->step < stop->step || (stop->site && stop->site != t->want.site))
		return;
	describe_stop(stop, t);
	t->stopped = true;
	t->stop = next_stop(sched_number(t), t->stop + 1);
	if (++sched.stops_reached == sched.control->stop_count) {
		meet();
		sched_stand_anew();
		settle_plain();
	}
}

void sched_plan_did(struct sched_thread *t, const struct control_event *event)
{
	if (t->step > t->watch || (event->kind == EV_END && sched.rules_open)) {
		find_holds();
		sched_stand_anew();
	}
	if (sched.asleep)
		wake(event);
	settle_plain();
}

bool sched_plan_give_up(void)
{
	bool any = false;

	if (sched.stops_open) {
		sched.stops_open = false;
		for (uint32_t i = 0; i < sched.top; i++) {
			any |= sched_threads[i].stopped;
			sched_threads[i].stopped = false;
		}
	}
	if (!any && sched.rules_open) {
		bool wishes = true; /* "not while anybody else can go on": nobody can */
		for (uint32_t i = 0; i < sched.control->rule_count; i++) {
			wishes &= rule_over[i] || sched.rules[i].before_step == CONTROL_NONE;
			rule_over[i] = 1;
		}
		any = true;
		if (!wishes)
			sched.control->rules_broken++;
		find_holds();
	}
	if (any)
		sched_stand_anew();
	settle_plain();
	return any;
}

uint32_t sched_plan_choice(const struct sched_thread *t)
{
	for (uint32_t i = 0; i < sched.control->choice_count; i++)
		if (sched.choices[i].thread == sched_number(t) && sched.choices[i].step == t->step)
			return sched.choices[i].kind;
	return 0;
}
