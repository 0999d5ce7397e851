/*
 * The parts of a plan other than its slices: rules, stops, sleep sets and choices.
 *
 * A plan nearly always has none of them, or few. The rules are reduced to two numbers for each
 * thread: the first step that must not start yet (`hold`), and the next step that fulfils a rule
 * (`watch`). Both are computed again when a rule is fulfilled.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/host/libc_next.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>

static uint8_t *rule_over; /* one flag for each rule: fulfilled or given up */
#define FIRST_RULES 256u
static uint8_t first_rules[FIRST_RULES];

/* ---- rules ----------------------------------------------------------------------------------- */

static bool is_fulfilled(const struct control_rule *rule)
{
	const struct sched_thread *before = &sched_threads[rule->before_thread];

	if (rule->before_step == CONTROL_NONE)
		return false;
	return before->step > rule->before_step || before->state == SCHED_ENDED;
}

static bool is_valid_rule(const struct control_rule *rule)
{
	return rule->before_thread < CONTROL_THREADS && rule->after_thread < CONTROL_THREADS;
}

static void compute_holds(void)
{
	sched.rules_open = false;
	for (uint32_t i = 0; i < sched.prepared || i < sched.top; i++)
		sched_threads[i].hold = sched_threads[i].watch = CONTROL_NONE;
	for (uint32_t i = 0; i < sched.control->rule_count; i++) {
		const struct control_rule *rule = &sched.rules[i];
		if (rule_over[i] || !is_valid_rule(rule))
			continue;
		if (is_fulfilled(rule)) {
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

/* ---- stops ----------------------------------------------------------------------------------- */

static struct control_stop *stop_at(uint32_t i)
{
	return &sched.control->stops[i];
}

/* Returns the thread's first stop with an index of at least `from`. */
static uint32_t next_stop(uint32_t thread, uint32_t from)
{
	for (uint32_t i = from; i < sched.control->stop_count; i++)
		if (stop_at(i)->thread == thread)
			return i;
	return CONTROL_NONE;
}

/*
 * Returns the value in memory at a stop, or 0 if it cannot be read: the program may be about to
 * crash at this address.
 */
static uint64_t read_memory(uint64_t address, uint64_t size)
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
	stop->kind = t->op.kind;
	stop->address = t->op.object;
	stop->size = t->op.size;
}

/*
 * Called when all stops are reached: completes what the control file says about them, and lets
 * their threads continue.
 */
static void all_stops_reached(void)
{
	struct control *control = sched.control;

	for (uint32_t i = 0; i < control->stop_count; i++) {
		struct control_stop *stop = stop_at(i);
		if (is_access(stop->kind))
			stop->value = read_memory(stop->address, stop->size);
		sched_threads[stop->thread].stopped = false;
	}
	sched.stops_open = false;
	sched.next_stopped = 0;
	control->stops_met = 1;
	if (control->options & CONTROL_HOLD)
		sched_wait_for_tool();
}

void sched_wait_for_tool(void)
{
	struct control *control = sched.control;

	sched.inspected = true;
	__atomic_store_n(&control->held, 1, __ATOMIC_RELEASE);
	real()->syscall(SYS_futex, &control->held, (long)FUTEX_WAKE, 1L, 0L, 0L, 0L);
	while (__atomic_load_n(&control->held, __ATOMIC_ACQUIRE))
		real()->syscall(SYS_futex, &control->held, (long)FUTEX_WAIT, 1L, 0L, 0L, 0L);
	sched.inspected = false;
}

uint32_t sched_plan_next_stopped(void)
{
	while (sched.next_stopped < sched.control->stop_count) {
		const struct control_stop *stop = stop_at(sched.next_stopped);
		struct sched_thread *t = &sched_threads[stop->thread];
		if (t->state == SCHED_PENDING && t->step == stop->actual_step && sched_is_ready(t))
			return stop->thread;
		sched.next_stopped++; /* this thread has done its operation, or cannot do it */
	}
	return CONTROL_NONE;
}

/* ---- sleep sets ------------------------------------------------------------------------------ */

static bool ranges_overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
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

/*
 * Does an operation of this kind with the objects `a` and `b` use `object`? The second object is
 * the mutex of a wait; other kinds have none.
 */
static bool uses_object(uint64_t object, uint32_t kind, uint64_t a, uint64_t b)
{
	return object == a || ((kind == EV_WAIT || kind == EV_WOKEN) && object == b);
}

/* Does the order of the operation and the event matter? */
static bool depends_on(const struct sched_op *op, const struct control_event *event)
{
	bool memory = is_access(op->kind) || op->kind == EV_FREE;

	if (memory && (is_access(event->kind) || event->kind == EV_FREE)) {
		if (only_reads(op->kind) && only_reads(event->kind))
			return false;
		uint64_t size = op->kind == EV_FREE && !op->size ? 1 : op->size;
		if (ranges_overlap(op->object, size, event->address, event->size ? event->size : 1))
			return true;
		/* a copy reads from its second address */
		return (event->kind == EV_COPY && !only_reads(op->kind) &&
			ranges_overlap(op->object, size, event->other, event->size)) ||
		       (op->kind == EV_COPY && !only_reads(event->kind) &&
			ranges_overlap(op->other, size, event->address, event->size));
	}
	if (op->kind == EV_JOIN)
		return event->kind == EV_END && event->thread == op->object;
	if (op->kind == EV_NONE || event_group(op->kind) == EG_THREAD || memory)
		return false;
	if (op->kind == EV_READ_ACQUIRE && event->kind == EV_READ_ACQUIRE)
		return false;
	if (op->how == EVENT_TRY && is_fail(event->kind))
		return false;
	if (!sched_is_sync(event_group((enum event_kind)event->kind)))
		return false;
	return uses_object(event->address, op->kind, op->object, op->other) ||
	       ((event->kind == EV_WAIT || event->kind == EV_WOKEN) &&
		uses_object(event->other, op->kind, op->object, op->other));
}

static void wake_sleepers(const struct control_event *event)
{
	bool woken = false;

	for (uint32_t i = 0; i < sched.control->sleep_count; i++) {
		struct sched_thread *t = &sched_threads[sched.sleeps[i]];
		if (!t->asleep || !depends_on(&t->op, event))
			continue;
		t->asleep = false;
		sched.asleep_count--;
		woken = true;
	}
	if (woken)
		sched_reclassify_pending();
}

void sched_plan_apply_sleeps(void)
{
	if (sched.sleeps_applied)
		return;
	sched.sleeps_applied = true;
	for (uint32_t i = 0; i < sched.control->sleep_count; i++) {
		struct sched_thread *t = &sched_threads[sched.sleeps[i]];
		if (sched.sleeps[i] >= CONTROL_THREADS || t->asleep || t->state != SCHED_PENDING)
			continue;
		t->asleep = true;
		sched.asleep_count++;
	}
	if (sched.asleep_count)
		sched_reclassify_pending();
}

/* ---- the whole plan -------------------------------------------------------------------------- */

static void update_unconstrained(void)
{
	sched.unconstrained = !sched.stops_open && !sched.rules_open && !sched.asleep_count &&
			      sched.next_stopped >= sched.control->stop_count &&
			      !sched.control->choice_count &&
			      (sched.sleeps_applied || !sched.control->sleep_count);
}

/*
 * Initialises `hold`, `watch` and `stop` of all threads up to `thread`. Those below sched.prepared
 * are initialised already.
 */
static void prepare_threads(uint32_t thread)
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
	prepare_threads(control->thread_count - 1);
	for (uint32_t i = 0; i < control->stop_count; i++)
		prepare_threads(control->stops[i].thread);
	for (uint32_t i = 0; i < control->rule_count; i++) {
		prepare_threads(sched.rules[i].before_thread);
		prepare_threads(sched.rules[i].after_thread);
	}
	for (uint32_t i = control->stop_count; i-- > 0;) {
		stop_at(i)->reached = 0;
		if (stop_at(i)->thread < CONTROL_THREADS)
			sched_threads[stop_at(i)->thread].stop = i;
	}
	sched.stops_open = control->stop_count > 0;
	sched.next_stopped = CONTROL_NONE;
	rule_over = first_rules;
	if (control->rule_count > FIRST_RULES)
		rule_over = real()->calloc(control->rule_count, 1);
	if (control->rule_count)
		compute_holds();
	update_unconstrained();
}

void sched_plan_check_stop(struct sched_thread *t)
{
	if (!sched.stops_open || t->stop == CONTROL_NONE || t->op.pause)
		return;
	struct control_stop *stop = stop_at(t->stop);
	if (t->step < stop->step || (stop->site && stop->site != t->op.site))
		return;
	describe_stop(stop, t);
	t->stopped = true;
	t->stop = next_stop(sched_number(t), t->stop + 1);
	if (++sched.stops_reached == sched.control->stop_count) {
		all_stops_reached();
		sched_reclassify_pending();
		update_unconstrained();
	}
}

void sched_plan_step_done(struct sched_thread *t, const struct control_event *event)
{
	if (t->step > t->watch || (event->kind == EV_END && sched.rules_open)) {
		compute_holds();
		sched_reclassify_pending();
	}
	if (sched.asleep_count)
		wake_sleepers(event);
	update_unconstrained();
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
		/*
		 * if all open rules say "not while another thread can run", giving them up breaks
		 * none
		 */
		bool only_soft = true;
		for (uint32_t i = 0; i < sched.control->rule_count; i++) {
			only_soft &= rule_over[i] || sched.rules[i].before_step == CONTROL_NONE;
			rule_over[i] = 1;
		}
		any = true;
		if (!only_soft)
			sched.control->rules_broken++;
		compute_holds();
	}
	if (any)
		sched_reclassify_pending();
	update_unconstrained();
	return any;
}

uint32_t sched_plan_choice(const struct sched_thread *t)
{
	for (uint32_t i = 0; i < sched.control->choice_count; i++)
		if (sched.choices[i].thread == sched_number(t) && sched.choices[i].step == t->step)
			return sched.choices[i].kind;
	return 0;
}
