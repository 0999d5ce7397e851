/*
 * Taking turns. A thread that comes to an operation becomes pending. It still has the turn, so it
 * picks the next thread itself (sched_pick.c) and hands over the turn (carrier.h).
 *
 * An access may be at a point where vector registers are live. So no code here uses them without
 * saving them (save_vectors.h), and neither does any code called from here that returns to the
 * program.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/sched/carrier.h"
#include "runtime/io/channel.h"
#include "runtime/opaque/opaque.h"
#include "runtime/server/per_run.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/access_decoder.h"
#include "runtime/host/caller_instrumented.h"
#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/host/save_vectors.h"
#include "runtime/host/shared_mapping.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <unistd.h>

bool sched_active;
PER_RUN_LAST struct sched sched;
struct sched_thread sched_threads[CONTROL_THREADS] __attribute__((aligned(4096)));
const struct carrier *carrier = &carrier_kernel;
PER_RUN bool carrier_vectors_live;

SOOTH_TLS struct sched_thread *sched_me;

uint32_t sched_self(void)
{
	return sched_me ? sched_number(sched_me) : CONTROL_NONE;
}

bool sched_thread_ended(uint32_t thread)
{
	return thread < CONTROL_THREADS && sched_threads[thread].state == SCHED_ENDED;
}

struct control *sched_control(void)
{
	return sched_active ? sched.control : NULL;
}

/* ---- handing the turn over ------------------------------------------------------------------- */

static void give_turn(uint32_t next)
{
	struct sched_thread *t = &sched_threads[next];

	if (t->state == SCHED_RETURNED)
		sched.returned--;
	else
		sched_remove_pending(t);
	sched_set_state(t, SCHED_RUNNING);
	sched.idle_decisions = 0;
	if (sched.left_stuck)
		sched.left_stuck = false;
	sched.next_decision = 0;
	atomic_store_explicit(&sched.holder, next, memory_order_release);
}

/* Hands the turn from `from` to another thread, which is pending or has come back from outside. */
static void hand_over_turn(struct sched_thread *from, uint32_t to)
{
	sched_log_switch(from);
	sched.control->switches++;
	give_turn(to);
}

/*
 * Gives up the turn without a successor. A thread that comes back from outside claims it, or a
 * waiting thread that looks around (carrier_kernel.c). Returns true if the caller has the turn
 * again: a thread came back just before, or a change was reported since the caller read
 * `notifications`.
 */
static bool release_turn(struct sched_thread *t, uint32_t notifications)
{
	uint32_t no_thread = SCHED_NO_THREAD;

	sched_log_switch(t);
	sched.idle_decisions++;
	sched.holder = SCHED_NO_THREAD;
	return (sched.returned > 0 || sched.notifications != notifications) &&
	       atomic_compare_exchange_strong(&sched.holder, &no_thread, sched_number(t));
}

/*
 * Records the request of a lock or semaphore for which the thread has to wait. Called before the
 * turn is handed over, so that the record gets its correct position.
 */
static void record_request(struct sched_thread *t)
{
	const struct sched_op *op = &t->op;
	enum event_kind kind;

	switch (op->kind) {
	case EV_ACQUIRE: kind = EV_REQUEST; break;
	case EV_READ_ACQUIRE: kind = EV_READ_REQUEST; break;
	case EV_DOWN: kind = EV_DOWN_REQUEST; break;
	default: return;
	}
	if (op->how == EVENT_TRY || t->request_made)
		return;
	t->request_made = true;
	record(kind, (uintptr_t)op->pc,
	       (struct record_fields){ .q = record_sequence((void *)op->object), .a = op->object });
}

/*
 * Picks the next thread and hands the turn over to it, again and again until the caller has the
 * turn. The caller is pending and has the turn at the start.
 */
static void wait_for_turn(struct sched_thread *t)
{
	uint32_t me = sched_number(t);

	for (unsigned tries = 0;; tries++) {
		uint32_t notifications = sched.notifications;
		sched_apply_notified();
		uint32_t next = sched_pick(me, tries);
		if (next == me) {
			give_turn(me);
			return;
		}
		record_request(t);
		if (next != CONTROL_NONE) {
			hand_over_turn(t, next);
			carrier->pass(me, next);
		} else {
			/*
			 * Read `outside` before `returned`: sched_return() increments `returned`
			 * before it decrements `outside`.
			 */
			bool outside = sched.outside;
			if (sched.returned)
				continue; /* a thread came back in the meantime */
			if (outside)
				sched_stuck_some_outside();
			else
				sched_stuck_all_blocked();
			if (release_turn(t, notifications))
				continue;
			carrier->await_turn(me);
		}
		if (t->state == SCHED_RUNNING)
			return;
	}
}

static uint32_t any_pending_thread(void)
{
	for (uint32_t i = 0; i < sched.top; i++)
		if (sched_threads[i].state == SCHED_PENDING)
			return i;
	return CONTROL_NONE;
}

/*
 * Called when a thread that takes no turns, or a signal handler, has changed something. If all
 * threads wait, one of them must decide again. A thread that is just about to wait notices the
 * change in `notifications`.
 */
void sched_notify_change(void)
{
	sched.notifications++;
	uint32_t no_thread = SCHED_NO_THREAD, next = any_pending_thread();

	if (!sched.left_stuck || next == CONTROL_NONE ||
	    !atomic_compare_exchange_strong(&sched.holder, &no_thread, next))
		return;
	sched.left_stuck = false;
	carrier->pass_last(CONTROL_NONE, next);
}

/* Gives the turn to another thread, or to none, because the caller has ended or goes outside. */
static void give_turn_away(struct sched_thread *t)
{
	uint32_t me = sched_number(t);

	for (;;) {
		uint32_t notifications = sched.notifications;
		sched_apply_notified();
		uint32_t next = sched_pick(me, 0);
		if (next != CONTROL_NONE) {
			hand_over_turn(t, next);
			carrier->pass_last(me, next);
			return;
		}
		if ((next = any_pending_thread()) != CONTROL_NONE) {
			sched_log_switch(t);
			/*
			 * `next` was not picked, but it must decide, since the caller cannot wait
			 */
			sched.holder = next;
			carrier->pass_last(me, next);
			return;
		}
		if (!release_turn(t, notifications))
			return;
	}
}

/* ---- calls that may block -------------------------------------------------------------------- */

void sched_go_outside(struct sched_thread *t)
{
	sched_begin_work(t);
	sched_keep_turn(t);
	sched.outside++;
	t->state = SCHED_OUTSIDE;
	give_turn_away(t);
	sched_end_work(t);
}

void sched_leave(uint64_t site)
{
	if (!sched_may_leave() || !sched_me || sched_me->state != SCHED_RUNNING)
		return;
	int error = errno;
	struct sched_thread *t = sched_me;
	fiber_refuse("a call that waits in the kernel");
	sched_begin_work(t);
	sched_keep_turn(t);
	sched_finish_access(t);
	/* In a handler, `op` is still the operation that the handler interrupted. */
	if (thread_buffer_self.depth == 0)
		t->op = (struct sched_op){ .kind = EV_NONE, .site = site };
	sched_go_outside(t);
	errno = error;
	sched_end_work(t);
}

/* Waits for the turn after a call outside. */
static void return_from_outside(struct sched_thread *t)
{
	uint32_t no_thread = SCHED_NO_THREAD;

	sched.returned++;
	t->state = SCHED_RETURNED;
	sched.outside--;
	if (!atomic_compare_exchange_strong(&sched.holder, &no_thread, sched_number(t)))
		carrier->await_turn(sched_number(t));
	if (t->state == SCHED_RETURNED)
		give_turn(sched_number(t));
	sched_spin_reset(t);
	sched.next_decision = 0;
	t->decided = true;
}

void sched_return(void)
{
	struct sched_thread *t = sched_me;

	if (!t || t->state != SCHED_OUTSIDE)
		return;
	int error = errno;
	sched_begin_work(t);
	return_from_outside(t);
	errno = error;
	sched_end_work(t);
}

/*
 * While another thread is deciding whether to take the turn (take_turn_from() in sched_outside.c),
 * it is the holder, but the caller is not outside yet. The other thread sees that the scheduler is
 * at work here, and gives up; or it has seen the caller asleep just before, and goes on.
 */
static void come_back(void *data)
{
	struct sched_thread *t = data;

	while (sched.holder != sched_number(t) && t->state == SCHED_RUNNING)
		real()->sched_yield();
	if (t->state == SCHED_OUTSIDE)
		return_from_outside(t);
}

void sched_come_back(struct sched_thread *t)
{
	int error = errno;

	save_vectors_call(come_back, t);
	errno = error;
}

/* ---- before an operation --------------------------------------------------------------------- */

/* Sets all fields one by one: the code that the compiler makes of an initialiser is slower. */
struct sched_op sched_op(enum event_kind kind, const volatile void *object, uintptr_t pc)
{
	struct sched_op op;

	/* Counts as a separate step. In opaque code, the thread may go on to wait. */
	if (thread_buffer_is_due() && !(opaque_any && opaque_contains(pc)))
		deferred_event_record();
	op.kind = kind;
	op.how = EVENT_PLAIN;
	op.size = 0;
	op.object = (uint64_t)object;
	if (__builtin_expect(shared_mapping_any, 0) && sched_is_sync(event_group(kind)))
		op.object = shared_mapping_find(op.object);
	op.other = 0;
	op.site = access_decoder_site(kind, pc);
	op.until = 0;
	op.foreign = caller_instrumented_caller(pc);
	op.lock = 0;
	op.pause = SCHED_NO_PAUSE;
	op.pc = pc;
	return op;
}

static void find_objects(struct sched_thread *t)
{
	switch (t->op.kind) {
	case EV_WOKEN:
		t->other = sched_object_find(t->op.other);
		/* fall through */
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_PASS:
	case EV_COND_DESTROY:
	case EV_BARRIER_DESTROY:
	case EV_JOIN: /* a thread is an object whose address is its number */
	case EV_ONCE_BEGIN: t->object = sched_object_find(t->op.object); break;
	default: break;
	}
}

bool sched_is_enabled(const struct sched_op *op)
{
	if (!sched_me)
		return true;
	sched_me->op = *op;
	find_objects(sched_me);
	return sched_object_enabled(sched_me);
}

/*
 * Returns the step before which the caller, which was just picked, need not decide again; 0: it
 * decides before its next step. If the plan is not finished and the caller is not the thread of the
 * current slice, the caller runs only because that thread is not ready. Then
 * sched.decide_when_ready makes the caller decide again as soon as a pending thread becomes ready.
 */
static uint32_t find_next_decision(const struct sched_thread *t)
{
	const struct control *control = sched.control;

	sched.decide_when_ready = false;
	if (!sched.unconstrained || t->spinning || sched.exiting_thread || !sched.chosen_until)
		return 0;
	if (sched.current_slice >= control->run_count)
		return sched.chosen_until;
	const struct control_slice *slice = &sched.slices[sched.current_slice];
	if (slice->thread == sched_number(t))
		return t->step < slice->until ? slice->until : 0;
	const struct sched_thread *first = &sched_threads[slice->thread];
	if (first->state == SCHED_PENDING && (first->op.how == EVENT_TIMED || first->op.pause))
		return 0; /* the timeout of the slice's thread may expire */
	if (sched.outside || sched.returned || sched_any_uncertain())
		return 0;
	sched.decide_when_ready = true;
	return sched.chosen_until;
}

static enum sched_outcome decide_before_op(struct sched_thread *t)
{
	int error = errno;

	t->outcome = SCHED_GO;
	t->cancel_seen = false;
	t->request_made = false;
	if (t->op.foreign && sched_object_enabled(t)) {
		t->decided = false;
		return SCHED_GO;
	}
	if (sched.stops_open)
		sched_plan_check_stop(t);
	sched_add_pending(t);
	if (!sched_is_always_enabled(&t->op) && !sched_object_enabled(t) && sched_stuck_cycle(t)) {
		record_request(t);
		sched_stuck_deadlock(t);
	}
	if (__builtin_expect(sched.cycle_until && sched.control->steps >= sched.cycle_until, 0))
		sched_stuck_end_cycle();
	wait_for_turn(t);
	while (t->outcome == SCHED_RUN_HANDLER) {
		if (sched_run_handlers(t, error)) {
			t->outcome = SCHED_INTERRUPTED;
			break;
		}
		sched_add_pending(t);
		wait_for_turn(t);
	}
	sched.next_decision = find_next_decision(t);
	t->decided = true;
	errno = error;
	return (enum sched_outcome)t->outcome;
}

static void forbid_cancelling(void *before)
{
	*(struct cancel_before *)before = cancel_forbid();
}

static void allow_cancelling(void *before)
{
	cancel_allow(*(struct cancel_before *)before);
}

/*
 * A thread with asynchronous cancellation must not be cancelled while it waits here: its cleanup
 * handlers are part of the run and need the turn.
 */
enum sched_outcome sched_decide(struct sched_thread *t)
{
	struct cancel_before before;

	if (__builtin_expect(!thread_buffer_self.asynchronous, 1))
		return decide_before_op(t);
	save_vectors_call(forbid_cancelling, &before);
	enum sched_outcome outcome = decide_before_op(t);
	save_vectors_call(allow_cancelling, &before);
	return outcome;
}

enum sched_outcome sched_wait_until_enabled(const struct sched_op *op)
{
	struct sched_thread *t = sched_me;

	if (!t)
		return SCHED_GO;
	sched_begin_work(t);
	sched_keep_turn(t);
	sched_finish_access(t);
	t->op = *op;
	bool always_enabled = sched_is_always_enabled(op);
	if (!always_enabled)
		find_objects(t);
	enum sched_outcome outcome = SCHED_GO;
	if (t->step < sched.next_decision && !op->foreign && !op->pause &&
	    (always_enabled || sched_object_enabled(t))) {
		sched_count_progress();
		t->decided = true;
		t->outcome = SCHED_GO;
		t->cancel_seen = false;
	} else {
		outcome = sched_decide(t);
	}
	if (sched.control->options & CONTROL_CHECK_HEAP) {
		enum event_group group = event_group(op->kind);
		if (group == EG_ATOMIC || sched_is_sync(group))
			sched_check_heap(op->object, 1, op->site);
	}
	sched_end_work(t);
	return outcome;
}

bool sched_cancelled(void)
{
	return sched_me && sched_me->cancel_seen;
}

void sched_cancel(uint32_t thread)
{
	if (thread >= CONTROL_THREADS)
		return;
	sched_threads[thread].cancelled = true;
	sched_reclassify_pending();
}

static enum sched_outcome pause_with(struct sched_op op)
{
	op.foreign = false;
	enum sched_outcome outcome = sched_wait_until_enabled(&op);
	sched_me->op.pause = SCHED_NO_PAUSE;
	return outcome;
}

static enum sched_outcome pause_thread(enum sched_pause pause, uint64_t until, uintptr_t pc)
{
	struct sched_op op = sched_op(EV_NONE, NULL, pc);

	op.pause = (uint8_t)pause;
	op.until = until;
	return pause_with(op);
}

/*
 * Sleeps in real time, for programs with child processes: these run in real time. A thread that
 * polls until a child is ready must really sleep in between. Without that, a test that tried ten
 * times with a pause in between found the clock an hour ahead and the child not yet started.
 * Returns false if a signal handler ended the sleep.
 */
static bool sleep_in_real_time(uint64_t until, uint64_t length, uintptr_t pc)
{
	struct timespec time = virtual_time_timespec(length);

	sched_leave(pc);
	bool slept = real()->nanosleep(&time, &time) == 0 || errno != EINTR;
	sched_return();
	if (!slept)
		virtual_time_advance_to(until - virtual_time_length(&time));
	return slept;
}

bool sched_sleep(uint64_t until, uintptr_t pc)
{
	uint64_t now = virtual_time_now();

	if (channel_has_other_process() && until > now &&
	    !sleep_in_real_time(until, until - now, pc))
		return false;
	return pause_thread(SCHED_SLEEP, until, pc) != SCHED_INTERRUPTED;
}

/* A thread that yields again and again at the same site, and does nothing in between, spins. */
void sched_yield_turn(uintptr_t pc)
{
	if (sched_me)
		sched_spin_try(sched_me, 0, pc);
	pause_thread(SCHED_YIELD, 0, pc);
}

void sched_give_way(uintptr_t pc)
{
	if (sched_me)
		pause_thread(SCHED_YIELD, 0, pc);
}

void sched_meet(const uint64_t *count, uint64_t enough, uintptr_t pc)
{
	struct sched_op op = sched_op(EV_NONE, count, pc);

	if (!sched_me)
		return;
	op.pause = SCHED_MEET;
	op.other = enough;
	while (pause_with(op) == SCHED_INTERRUPTED)
		continue;
}

void sched_exit(void)
{
	if (!sched_me || !sched_on() || sched.finished || sched.exiting_thread)
		return;
	sched.exiting_thread = sched_self() + 1;
	pause_thread(SCHED_EXIT, 0, 0);
	sched_stuck_end_cycle();
}

/* ---- threads --------------------------------------------------------------------------------- */

/*
 * The search starts at `top`, because the children of one thread nearly always have consecutive
 * numbers.
 */
uint32_t sched_new_thread(void)
{
	struct control *control = sched.control;
	uint32_t creator = sched_self(), child = sched_me->children;
	uint32_t count = control->thread_count;

	for (uint32_t n = 0; n < count; n++) {
		uint32_t i = (sched.top + n) % count;
		if (i && sched.paths[i].creator == creator && sched.paths[i].child == child) {
			sched_me->children++;
			return i;
		}
	}
	if (count >= CONTROL_THREADS)
		return CONTROL_NONE;
	sched.paths[count] = (struct control_thread){ creator, child };
	if (count >= sched.prepared) {
		struct sched_thread *t = &sched_threads[count];
		t->hold = t->watch = t->stop = CONTROL_NONE;
	}
	control->thread_count = count + 1;
	sched_me->children++;
	return count;
}

void sched_thread_created(uint32_t thread)
{
	if (thread >= CONTROL_THREADS) {
		sched_me->children--;
		return;
	}
	struct sched_thread *t = &sched_threads[thread];
	t->op = (struct sched_op){ .kind = EV_BEGIN, .object = sched_self() };
	t->access_event = NULL;
	if (thread >= sched.top)
		sched.top = thread + 1;
	sched.alive++;
	sched_plan_check_stop(t);
	sched_add_pending(t);
	if (sched.decide_when_ready)
		sched.next_decision = 0;
}

void sched_begin_thread(uint32_t thread)
{
	struct sched_thread *t = &sched_threads[thread];

	sched_me = t;
	t->tid = gettid();
	sched_begin_work(t);
	carrier->await_turn(thread);
	if (t->state != SCHED_RUNNING)
		wait_for_turn(t);
	/* The thread was picked before its BEGIN, as before any other operation. */
	sched.next_decision = find_next_decision(t);
	t->decided = true;
	thread_buffer_self.turns = true;
	sched_end_work(t);
}

void sched_end_thread(void)
{
	struct sched_thread *t = sched_me;

	if (!t || !thread_buffer_self.turns)
		return;
	sched_begin_work(t);
	sched_keep_turn(t);
	sched_finish_access(t);
	thread_buffer_self.turns = false;
	t->state = SCHED_ENDED;
	sched.alive--;
	sched_recheck_blocked(sched_object(sched_object_find(sched_number(t))));
	sched_object_owner_ended(t);
	struct control_event end = { .thread = sched_number(t), .kind = EV_END };
	if (!sched.unconstrained)
		sched_plan_step_done(t, &end);
	give_turn_away(t);
	sched_me = NULL;
	sched_end_work(t);
}

void sched_become_main(void)
{
	struct sched_thread *t = &sched_threads[0];

	sched_me = t;
	t->state = SCHED_RUNNING;
	t->tid = gettid();
	t->hold = t->watch = t->stop = CONTROL_NONE;
	sched.top = 1;
	sched.alive = 1;
	sched.holder = 0;
	thread_buffer_self.turns = true;
}

void sched_stop_taking_turns(void)
{
	sched_me = NULL;
	thread_buffer_self.turns = false;
}
