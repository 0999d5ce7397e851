/*
 * Taking turns. A thread that comes to an operation stands before it, and whoever has the turn, which
 * is the thread itself, decides who goes on (sched_pick.c); then the turn is handed over (carrier.h).
 *
 * No vector registers are used here, nor by anything behind it that returns to the program (save_vectors.h): an
 * access may stand where they are live.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/sched/carrier.h"
#include "runtime/io/channel.h"
#include "runtime/server/per_run.h"
#include "runtime/sched/fiber.h"
#include "runtime/sched/access_decoder.h"
#include "runtime/host/caller_instrumented.h"
#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/host/save_vectors.h"
#include "runtime/sched/virtual_time.h"

#include <errno.h>
#include <unistd.h>

bool sched_taking;
PER_RUN_LAST struct sched sched;
struct sched_thread sched_threads[CONTROL_THREADS] __attribute__((aligned(4096)));
const struct carrier *carrier = &carrier_kernel;
PER_RUN bool carrier_vectors_live;

SOOTH_TLS struct sched_thread *sched_me;

uint32_t sched_self(void)
{
	return sched_me ? sched_number(sched_me) : CONTROL_NONE;
}

bool sched_is_over(uint32_t thread)
{
	return thread < CONTROL_THREADS && sched_threads[thread].where == SCHED_ENDED;
}

struct control *sched_control(void)
{
	return sched_taking ? sched.control : NULL;
}

/* ---- handing over -------------------------------------------------------------------------------- */

static void appoint(uint32_t next)
{
	struct sched_thread *t = &sched_threads[next];

	if (t->where == SCHED_BACK)
		sched.back--;
	else
		sched_unstand(t);
	sched_put(t, SCHED_RUNS);
	sched.idle = 0;
	if (sched.stuck)
		sched.stuck = false;
	sched.straight_until = 0;
	atomic_store_explicit(&sched.holder, next, memory_order_release);
}

/* The turn goes from `from` to another, which stands or came back from outside. */
static void hand_over(struct sched_thread *from, uint32_t to)
{
	sched_log_switch(from);
	sched.control->switches++;
	appoint(to);
}

/*
 * Nobody has the turn now. Whoever comes back from outside takes it, or a waiting thread that looks
 * around. One may have come back just before it was let go, or somebody who takes no turns have changed
 * something since it was looked (`pokes`): true, and the caller has it again.
 */
static bool let_go(struct sched_thread *t, uint32_t pokes)
{
	uint32_t nobody = SCHED_NOBODY;

	sched_log_switch(t);
	sched.idle++;
	sched.holder = SCHED_NOBODY;
	return (sched.back > 0 || sched.pokes != pokes) &&
	       atomic_compare_exchange_strong(&sched.holder, &nobody, sched_number(t));
}

/* A request that has to wait is recorded before the turn goes: then it is in its place. */
static void record_request(struct sched_thread *t)
{
	const struct sched_want *want = &t->want;
	enum event_kind kind;

	switch (want->kind) {
	case EV_ACQUIRE: kind = EV_REQUEST; break;
	case EV_READ_ACQUIRE: kind = EV_READ_REQUEST; break;
	case EV_DOWN: kind = EV_DOWN_REQUEST; break;
	default: return;
	}
	if (want->how == EVENT_TRY || t->request_made)
		return;
	t->request_made = true;
	record(kind, (uintptr_t)want->pc,
	       (struct record_fields){ .q = record_sequence((void *)want->object),
				       .a = want->object });
}

/* Until the turn comes back to the caller, which stands and has it. */
static void wait_for_turn(struct sched_thread *t)
{
	uint32_t me = sched_number(t);

	for (unsigned tries = 0;; tries++) {
		uint32_t pokes = sched.pokes;
		sched_take_news();
		uint32_t next = sched_pick(me, tries);
		if (next == me) {
			appoint(me);
			return;
		}
		record_request(t);
		if (next != CONTROL_NONE) {
			hand_over(t, next);
			carrier->pass(me, next);
		} else {
			bool outside = sched.outside; /* before: who comes back is there first */
			if (sched.back)
				continue; /* since it was looked */
			if (outside)
				sched_stuck_behind_others();
			else
				sched_stuck_nobody();
			if (let_go(t, pokes))
				continue;
			carrier->await_first(me);
		}
		if (t->where == SCHED_RUNS)
			return;
	}
}

static uint32_t anybody_standing(void)
{
	for (uint32_t i = 0; i < sched.top; i++)
		if (sched_threads[i].where == SCHED_STANDS)
			return i;
	return CONTROL_NONE;
}

/*
 * Who takes no turns, a signal handler say, has changed something while everybody waited: somebody looks. Who is
 * just about to wait sees the count.
 */
void sched_poke(void)
{
	sched.pokes++;
	uint32_t nobody = SCHED_NOBODY, next = anybody_standing();

	if (!sched.stuck || next == CONTROL_NONE ||
	    !atomic_compare_exchange_strong(&sched.holder, &nobody, next))
		return;
	sched.stuck = false;
	carrier->pass_last(CONTROL_NONE, next);
}

/* The caller is over, or goes outside: somebody else has the turn, or nobody. */
static void pass_on(struct sched_thread *t)
{
	uint32_t me = sched_number(t);

	for (;;) {
		uint32_t pokes = sched.pokes;
		sched_take_news();
		uint32_t next = sched_pick(me, 0);
		if (next != CONTROL_NONE) {
			hand_over(t, next);
			carrier->pass_last(me, next);
			return;
		}
		if ((next = anybody_standing()) != CONTROL_NONE) {
			sched_log_switch(t);
			sched.holder = next; /* not chosen: it decides, since we cannot wait */
			carrier->pass_last(me, next);
			return;
		}
		if (!let_go(t, pokes))
			return;
	}
}

/* ---- calls that may block -------------------------------------------------------------------------- */

void sched_go_outside(struct sched_thread *t)
{
	sched_work(t);
	sched.outside++;
	t->where = SCHED_OUTSIDE;
	pass_on(t);
	sched_rest(t);
}

void sched_leave(uint64_t site)
{
	if (!sched_may_leave() || !sched_me || sched_me->where != SCHED_RUNS)
		return;
	int error = errno;
	fiber_refuse("a call that waits in the kernel");
	sched_settle();
	if (thread_buffer_self.depth ==
	    0) /* else it still stands before what the handler cut in on */
		sched_me->want = (struct sched_want){ .kind = EV_NONE, .site = site };
	sched_me->left++;
	sched_go_outside(sched_me);
	errno = error;
}

void sched_return(void)
{
	struct sched_thread *t = sched_me;
	uint32_t nobody = SCHED_NOBODY;

	if (!t || t->where != SCHED_OUTSIDE)
		return;
	int error = errno;
	sched_work(t);
	sched.back++;
	t->where = SCHED_BACK;
	sched.outside--;
	if (!atomic_compare_exchange_strong(&sched.holder, &nobody, sched_number(t)))
		carrier->await_first(sched_number(t));
	if (t->where == SCHED_BACK)
		appoint(sched_number(t));
	sched_spin_reset(t);
	sched.straight_until = 0;
	t->decided = true;
	errno = error;
	sched_rest(t);
}

/* ---- before an operation ----------------------------------------------------------------------------- */

/* All fields by hand: what the compiler makes of an initialiser is slower. */
struct sched_want sched_want(enum event_kind kind, const volatile void *object, uintptr_t pc)
{
	struct sched_want want;

	if (thread_buffer_is_due())
		deferred_event_record(); /* a step of its own */
	want.kind = kind;
	want.how = EVENT_PLAIN;
	want.size = 0;
	want.object = (uint64_t)object;
	want.other = 0;
	want.site = access_decoder_site(kind, pc);
	want.until = 0;
	want.foreign = caller_instrumented_caller(pc);
	want.lock = 0;
	want.pause = SCHED_NO_PAUSE;
	want.pc = pc;
	return want;
}

static void find_objects(struct sched_thread *t)
{
	switch (t->want.kind) {
	case EV_WOKEN:
		t->other = sched_object_find(t->want.other);
		/* fall through */
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_PASS:
	case EV_COND_DESTROY:
	case EV_BARRIER_DESTROY:
	case EV_JOIN: /* a thread is an object with its number as its address */
	case EV_ONCE_BEGIN: t->object = sched_object_find(t->want.object); break;
	default: break;
	}
}

bool sched_can(const struct sched_want *want)
{
	if (!sched_me)
		return true;
	sched_me->want = *want;
	find_objects(sched_me);
	return sched_object_can(sched_me);
}

/*
 * How far the caller, which was chosen, goes on with no more to decide. Where it is not the present
 * run of the plan, nor the plan over, others are meant who cannot go on now: until one of them can.
 */
static uint32_t how_far(const struct sched_thread *t)
{
	const struct control *control = sched.control;

	sched.straight_depends = false;
	if (!sched.plain || t->spins || sched.exiting || !sched.chosen_until)
		return 0;
	if (sched.run_at >= control->run_count)
		return sched.chosen_until;
	const struct control_run *run = &sched.runs[sched.run_at];
	if (run->thread == sched_number(t))
		return t->step < run->until ? run->until : 0;
	const struct sched_thread *first = &sched_threads[run->thread];
	if (first->where == SCHED_STANDS && (first->want.how == EVENT_TIMED || first->want.pause))
		return 0; /* its time may be over */
	if (sched.outside || sched.back || sched_any_unseen())
		return 0;
	sched.straight_depends = true;
	return sched.chosen_until;
}

static enum sched_answer take_slowly(struct sched_thread *t)
{
	int error = errno;

	t->answer = SCHED_GO;
	t->cancel_seen = false;
	t->request_made = false;
	if (t->want.foreign && sched_object_can(t)) {
		t->decided = false;
		return SCHED_GO;
	}
	if (sched.stops_open)
		sched_plan_arrived(t);
	sched_stand(t);
	if (!sched_is_free(&t->want) && !sched_object_can(t) && sched_stuck_cycle(t)) {
		record_request(t);
		sched_stuck_deadlock(t);
	}
	wait_for_turn(t);
	while (t->answer == SCHED_HANDLE) {
		if (sched_run_handlers(t, error)) {
			t->answer = SCHED_INTERRUPTED;
			break;
		}
		sched_stand(t);
		wait_for_turn(t);
	}
	sched.straight_until = how_far(t);
	t->decided = true;
	errno = error;
	return (enum sched_answer)t->answer;
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
 * One that may be cancelled anywhere is not torn out of waiting: what it does then is a part of the run
 * like any other, and has to have its turn.
 */
enum sched_answer sched_take_slowly(struct sched_thread *t)
{
	struct cancel_before before;

	if (__builtin_expect(!thread_buffer_self.asynchronous, 1))
		return take_slowly(t);
	save_vectors_call(forbid_cancelling, &before);
	enum sched_answer answer = take_slowly(t);
	save_vectors_call(allow_cancelling, &before);
	return answer;
}

/* Those whose memory may be gone. */
static bool is_of_object(enum event_kind kind)
{
	switch (event_group(kind)) {
	case EG_ATOMIC:
	case EG_LOCK:
	case EG_CONDITION:
	case EG_SEMAPHORE:
	case EG_BARRIER:
	case EG_ONCE: return true;
	default: return false;
	}
}

enum sched_answer sched_take(const struct sched_want *want)
{
	struct sched_thread *t = sched_me;

	if (!t)
		return SCHED_GO;
	if (sched.holder != sched_number(t))
		sched_return(); /* it was taken away while we waited for something unseen */
	sched_work(t);
	sched_settle_access(t);
	t->want = *want;
	bool is_free = sched_is_free(want);
	if (!is_free)
		find_objects(t);
	enum sched_answer answer = SCHED_GO;
	if (t->step < sched.straight_until && !want->foreign && !want->pause &&
	    (is_free || sched_object_can(t))) {
		sched_count_move();
		t->decided = true;
		t->answer = SCHED_GO;
		t->cancel_seen = false;
	} else {
		answer = sched_take_slowly(t);
	}
	if (sched.control->options & CONTROL_CHECK_HEAP && is_of_object(want->kind))
		sched_check_heap(want->object, 1, want->site);
	sched_rest(t);
	return answer;
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
	sched_stand_anew();
}

static enum sched_answer pause_turn(enum sched_pause pause, uint64_t until, uintptr_t pc)
{
	struct sched_want want = sched_want(EV_NONE, NULL, pc);

	want.pause = (uint8_t)pause;
	want.until = until;
	want.foreign = false;
	enum sched_answer answer = sched_take(&want);
	sched_me->want.pause = SCHED_NO_PAUSE;
	return answer;
}

/*
 * Other processes live in real time. Who sleeps until a child has come far enough has to sleep as long;
 * without that a test that tries ten times with a pause found the clock an hour on and the child not
 * started.
 */
static bool sleep_really(uint64_t until, uint64_t length, uintptr_t pc)
{
	struct timespec time = { (time_t)(length / 1000000000u), (long)(length % 1000000000u) };

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

	if (channel_has_company() && until > now && !sleep_really(until, until - now, pc))
		return false;
	return pause_turn(SCHED_SLEEP, until, pc) != SCHED_INTERRUPTED;
}

/* Again and again at one place, with nothing done between, it is a spin. */
void sched_yield_turn(uintptr_t pc)
{
	if (sched_me)
		sched_spin_try(sched_me, 0, pc);
	pause_turn(SCHED_YIELD, 0, pc);
}

void sched_exit(void)
{
	if (!sched_me || !sched_on() || sched.over || sched.exiting)
		return;
	sched.exiting = sched_self() + 1;
	pause_turn(SCHED_EXIT, 0, 0);
}

/* ---- threads -------------------------------------------------------------------------------------------- */

/* Children of one thread nearly always have numbers that follow each other. */
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

void sched_created(uint32_t thread)
{
	if (thread >= CONTROL_THREADS) {
		sched_me->children--;
		return;
	}
	struct sched_thread *t = &sched_threads[thread];
	t->want = (struct sched_want){ .kind = EV_BEGIN, .object = sched_self() };
	t->access_event = NULL;
	if (thread >= sched.top)
		sched.top = thread + 1;
	sched.alive++;
	sched_plan_arrived(t);
	sched_stand(t);
	if (sched.straight_depends)
		sched.straight_until = 0;
}

void sched_begin_thread(uint32_t thread)
{
	struct sched_thread *t = &sched_threads[thread];

	sched_me = t;
	t->tid = gettid();
	sched_work(t);
	carrier->await_first(thread);
	if (t->where != SCHED_RUNS)
		wait_for_turn(t);
	sched.straight_until =
		how_far(t); /* it was chosen before its BEGIN as before any operation */
	t->decided = true;
	thread_buffer_self.turns = true;
	sched_rest(t);
}

void sched_end_thread(void)
{
	struct sched_thread *t = sched_me;

	if (!t || !thread_buffer_self.turns)
		return;
	sched_work(t);
	sched_settle_access(t);
	thread_buffer_self.turns = false;
	t->where = SCHED_ENDED;
	sched.alive--;
	sched_unblock(sched_object(sched_object_find(sched_number(t))));
	sched_object_owner_over(t);
	struct control_event end = { .thread = sched_number(t), .kind = EV_END };
	if (!sched.plain)
		sched_plan_did(t, &end);
	pass_on(t);
	sched_me = NULL;
	sched_rest(t);
}

/* Thread 0 is the caller; others there are none. */
void sched_be_main(void)
{
	struct sched_thread *t = &sched_threads[0];

	sched_me = t;
	t->where = SCHED_RUNS;
	t->tid = gettid();
	t->hold = t->watch = t->stop = CONTROL_NONE;
	sched.top = 1;
	sched.alive = 1;
	sched.holder = 0;
	thread_buffer_self.turns = true;
}

void sched_forget_self(void)
{
	sched_me = NULL;
	thread_buffer_self.turns = false;
}
