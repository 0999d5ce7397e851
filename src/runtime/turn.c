/*
 * Taking turns. A thread that comes to an operation stands before it, and whoever has the turn, which
 * is the thread itself, decides who goes on (turn_pick.c); then the turn is handed over (carrier.h).
 *
 * No vector registers are used here, nor by anything behind it that returns to the program (vectors.h): an
 * access may stand where they are live.
 */
#include "runtime/turn_state.h"

#include "runtime/carrier.h"
#include "runtime/channel.h"
#include "runtime/each_run.h"
#include "runtime/fiber.h"
#include "runtime/follow.h"
#include "runtime/foreign.h"
#include "runtime/place.h"
#include "runtime/real.h"
#include "runtime/vectors.h"
#include "runtime/vtime.h"

#include <errno.h>
#include <unistd.h>

bool turn_taking;
EACH_RUN_LAST struct turn turn;
struct turn_thread turn_threads[CONTROL_THREADS] __attribute__((aligned(4096)));
const struct carrier *carrier = &carrier_kernel;
EACH_RUN bool carrier_vectors_live;

SOOTH_TLS struct turn_thread *turn_me;

uint32_t turn_self(void)
{
	return turn_me ? turn_number(turn_me) : CONTROL_NONE;
}

bool turn_is_over(uint32_t thread)
{
	return thread < CONTROL_THREADS && turn_threads[thread].where == TURN_ENDED;
}

struct control *turn_control(void)
{
	return turn_taking ? turn.control : NULL;
}

/* ---- handing over -------------------------------------------------------------------------------- */

static void appoint(uint32_t next)
{
	struct turn_thread *t = &turn_threads[next];

	if (t->where == TURN_BACK)
		turn.back--;
	else
		turn_unstand(t);
	turn_put(t, TURN_RUNS);
	turn.idle = 0;
	if (turn.stuck)
		turn.stuck = false;
	turn.straight_until = 0;
	atomic_store_explicit(&turn.holder, next, memory_order_release);
}

/* The turn goes from `from` to another, which stands or came back from outside. */
static void hand_over(struct turn_thread *from, uint32_t to)
{
	turn_log_switch(from);
	turn.control->switches++;
	appoint(to);
}

/*
 * Nobody has the turn now. Whoever comes back from outside takes it, or a waiting thread that looks
 * around. One may have come back just before it was let go, or somebody who takes no turns have changed
 * something since it was looked (`pokes`): true, and the caller has it again.
 */
static bool let_go(struct turn_thread *t, uint32_t pokes)
{
	uint32_t nobody = TURN_NOBODY;

	turn_log_switch(t);
	turn.idle++;
	turn.holder = TURN_NOBODY;
	return (turn.back > 0 || turn.pokes != pokes) &&
	       atomic_compare_exchange_strong(&turn.holder, &nobody, turn_number(t));
}

/* A request that has to wait is recorded before the turn goes: then it is in its place. */
static void record_request(struct turn_thread *t)
{
	const struct turn_want *want = &t->want;
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
static void wait_for_turn(struct turn_thread *t)
{
	uint32_t me = turn_number(t);

	for (unsigned tries = 0;; tries++) {
		uint32_t pokes = turn.pokes;
		turn_take_news();
		uint32_t next = turn_pick(me, tries);
		if (next == me) {
			appoint(me);
			return;
		}
		record_request(t);
		if (next != CONTROL_NONE) {
			hand_over(t, next);
			carrier->pass(me, next);
		} else {
			bool outside = turn.outside; /* before: who comes back is there first */
			if (turn.back)
				continue; /* since it was looked */
			if (outside)
				turn_stuck_behind_others();
			else
				turn_stuck_nobody();
			if (let_go(t, pokes))
				continue;
			carrier->await_first(me);
		}
		if (t->where == TURN_RUNS)
			return;
	}
}

static uint32_t anybody_standing(void)
{
	for (uint32_t i = 0; i < turn.top; i++)
		if (turn_threads[i].where == TURN_STANDS)
			return i;
	return CONTROL_NONE;
}

/*
 * Who takes no turns, a signal handler say, has changed something while everybody waited: somebody looks. Who is
 * just about to wait sees the count.
 */
void turn_poke(void)
{
	turn.pokes++;
	uint32_t nobody = TURN_NOBODY, next = anybody_standing();

	if (!turn.stuck || next == CONTROL_NONE ||
	    !atomic_compare_exchange_strong(&turn.holder, &nobody, next))
		return;
	turn.stuck = false;
	carrier->pass_last(CONTROL_NONE, next);
}

/* The caller is over, or goes outside: somebody else has the turn, or nobody. */
static void pass_on(struct turn_thread *t)
{
	uint32_t me = turn_number(t);

	for (;;) {
		uint32_t pokes = turn.pokes;
		turn_take_news();
		uint32_t next = turn_pick(me, 0);
		if (next != CONTROL_NONE) {
			hand_over(t, next);
			carrier->pass_last(me, next);
			return;
		}
		if ((next = anybody_standing()) != CONTROL_NONE) {
			turn_log_switch(t);
			turn.holder = next; /* not chosen: it decides, since we cannot wait */
			carrier->pass_last(me, next);
			return;
		}
		if (!let_go(t, pokes))
			return;
	}
}

/* ---- calls that may block -------------------------------------------------------------------------- */

void turn_go_outside(struct turn_thread *t)
{
	turn_work(t);
	turn.outside++;
	t->where = TURN_OUTSIDE;
	pass_on(t);
	turn_rest(t);
}

void turn_leave(uint64_t site)
{
	if (!turn_may_leave() || !turn_me || turn_me->where != TURN_RUNS)
		return;
	int error = errno;
	fiber_refuse("a call that waits in the kernel");
	turn_settle();
	if (lane_self.depth == 0) /* else it still stands before what the handler cut in on */
		turn_me->want = (struct turn_want){ .kind = EV_NONE, .site = site };
	turn_me->left++;
	turn_go_outside(turn_me);
	errno = error;
}

void turn_return(void)
{
	struct turn_thread *t = turn_me;
	uint32_t nobody = TURN_NOBODY;

	if (!t || t->where != TURN_OUTSIDE)
		return;
	int error = errno;
	turn_work(t);
	turn.back++;
	t->where = TURN_BACK;
	turn.outside--;
	if (!atomic_compare_exchange_strong(&turn.holder, &nobody, turn_number(t)))
		carrier->await_first(turn_number(t));
	if (t->where == TURN_BACK)
		appoint(turn_number(t));
	turn_spin_reset(t);
	turn.straight_until = 0;
	t->decided = true;
	errno = error;
	turn_rest(t);
}

/* ---- before an operation ----------------------------------------------------------------------------- */

/* All fields by hand: what the compiler makes of an initialiser is slower. */
struct turn_want turn_want(enum event_kind kind, const volatile void *object, uintptr_t pc)
{
	struct turn_want want;

	if (lane_is_due())
		due_record(); /* a step of its own */
	want.kind = kind;
	want.how = EVENT_PLAIN;
	want.size = 0;
	want.object = (uint64_t)object;
	want.other = 0;
	want.site = follow_site(kind, pc);
	want.until = 0;
	want.foreign = foreign_caller(pc);
	want.lock = 0;
	want.pause = TURN_NO_PAUSE;
	want.pc = pc;
	return want;
}

static void find_objects(struct turn_thread *t)
{
	switch (t->want.kind) {
	case EV_WOKEN:
		t->other = turn_object_find(t->want.other);
		/* fall through */
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_PASS:
	case EV_COND_DESTROY:
	case EV_BARRIER_DESTROY:
	case EV_JOIN: /* a thread is an object with its number as its address */
	case EV_ONCE_BEGIN: t->object = turn_object_find(t->want.object); break;
	default: break;
	}
}

bool turn_can(const struct turn_want *want)
{
	if (!turn_me)
		return true;
	turn_me->want = *want;
	find_objects(turn_me);
	return turn_object_can(turn_me);
}

/*
 * How far the caller, which was chosen, goes on with no more to decide. Where it is not the present
 * run of the plan, nor the plan over, others are meant who cannot go on now: until one of them can.
 */
static uint32_t how_far(const struct turn_thread *t)
{
	const struct control *control = turn.control;

	turn.straight_depends = false;
	if (!turn.plain || t->spins || turn.exiting || !turn.chosen_until)
		return 0;
	if (turn.run_at >= control->run_count)
		return turn.chosen_until;
	const struct control_run *run = &turn.runs[turn.run_at];
	if (run->thread == turn_number(t))
		return t->step < run->until ? run->until : 0;
	const struct turn_thread *first = &turn_threads[run->thread];
	if (first->where == TURN_STANDS && (first->want.how == EVENT_TIMED || first->want.pause))
		return 0; /* its time may be over */
	if (turn.outside || turn.back || turn_any_unseen())
		return 0;
	turn.straight_depends = true;
	return turn.chosen_until;
}

static enum turn_answer take_slowly(struct turn_thread *t)
{
	int error = errno;

	t->answer = TURN_GO;
	t->cancel_seen = false;
	t->request_made = false;
	if (t->want.foreign && turn_object_can(t)) {
		t->decided = false;
		return TURN_GO;
	}
	if (turn.stops_open)
		turn_plan_arrived(t);
	turn_stand(t);
	if (!turn_is_free(&t->want) && !turn_object_can(t) && turn_stuck_cycle(t)) {
		record_request(t);
		turn_stuck_deadlock(t);
	}
	wait_for_turn(t);
	while (t->answer == TURN_HANDLE) {
		if (turn_run_handlers(t, error)) {
			t->answer = TURN_INTERRUPTED;
			break;
		}
		turn_stand(t);
		wait_for_turn(t);
	}
	turn.straight_until = how_far(t);
	t->decided = true;
	errno = error;
	return (enum turn_answer)t->answer;
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
enum turn_answer turn_take_slowly(struct turn_thread *t)
{
	struct cancel_before before;

	if (__builtin_expect(!lane_self.asynchronous, 1))
		return take_slowly(t);
	vectors_call(forbid_cancelling, &before);
	enum turn_answer answer = take_slowly(t);
	vectors_call(allow_cancelling, &before);
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

enum turn_answer turn_take(const struct turn_want *want)
{
	struct turn_thread *t = turn_me;

	if (!t)
		return TURN_GO;
	if (turn.holder != turn_number(t))
		turn_return(); /* it was taken away while we waited for something unseen */
	turn_work(t);
	turn_settle_access(t);
	t->want = *want;
	bool is_free = turn_is_free(want);
	if (!is_free)
		find_objects(t);
	enum turn_answer answer = TURN_GO;
	if (t->step < turn.straight_until && !want->foreign && !want->pause &&
	    (is_free || turn_object_can(t))) {
		turn_count_move();
		t->decided = true;
		t->answer = TURN_GO;
		t->cancel_seen = false;
	} else {
		answer = turn_take_slowly(t);
	}
	if (turn.control->options & CONTROL_CHECK_HEAP && is_of_object(want->kind))
		turn_check_heap(want->object, 1, want->site);
	turn_rest(t);
	return answer;
}

bool turn_cancelled(void)
{
	return turn_me && turn_me->cancel_seen;
}

void turn_cancel(uint32_t thread)
{
	if (thread >= CONTROL_THREADS)
		return;
	turn_threads[thread].cancelled = true;
	turn_stand_anew();
}

static enum turn_answer pause_turn(enum turn_pause pause, uint64_t until, uintptr_t pc)
{
	struct turn_want want = turn_want(EV_NONE, NULL, pc);

	want.pause = (uint8_t)pause;
	want.until = until;
	want.foreign = false;
	enum turn_answer answer = turn_take(&want);
	turn_me->want.pause = TURN_NO_PAUSE;
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

	turn_leave(pc);
	bool slept = real()->nanosleep(&time, &time) == 0 || errno != EINTR;
	turn_return();
	if (!slept)
		vtime_advance_to(until - vtime_length(&time));
	return slept;
}

bool turn_sleep(uint64_t until, uintptr_t pc)
{
	uint64_t now = vtime_now();

	if (channel_has_company() && until > now && !sleep_really(until, until - now, pc))
		return false;
	return pause_turn(TURN_SLEEP, until, pc) != TURN_INTERRUPTED;
}

/* Again and again at one place, with nothing done between, it is a spin. */
void turn_yield(uintptr_t pc)
{
	if (turn_me)
		turn_spin_try(turn_me, 0, pc);
	pause_turn(TURN_YIELD, 0, pc);
}

void turn_exit(void)
{
	if (!turn_me || !turn_on() || turn.over || turn.exiting)
		return;
	turn.exiting = turn_self() + 1;
	pause_turn(TURN_EXIT, 0, 0);
}

/* ---- threads -------------------------------------------------------------------------------------------- */

/* Children of one thread nearly always have numbers that follow each other. */
uint32_t turn_new_thread(void)
{
	struct control *control = turn.control;
	uint32_t creator = turn_self(), child = turn_me->children;
	uint32_t count = control->thread_count;

	for (uint32_t n = 0; n < count; n++) {
		uint32_t i = (turn.top + n) % count;
		if (i && turn.paths[i].creator == creator && turn.paths[i].child == child) {
			turn_me->children++;
			return i;
		}
	}
	if (count >= CONTROL_THREADS)
		return CONTROL_NONE;
	turn.paths[count] = (struct control_thread){ creator, child };
	if (count >= turn.prepared) {
		struct turn_thread *t = &turn_threads[count];
		t->hold = t->watch = t->stop = CONTROL_NONE;
	}
	control->thread_count = count + 1;
	turn_me->children++;
	return count;
}

void turn_created(uint32_t thread)
{
	if (thread >= CONTROL_THREADS) {
		turn_me->children--;
		return;
	}
	struct turn_thread *t = &turn_threads[thread];
	t->want = (struct turn_want){ .kind = EV_BEGIN, .object = turn_self() };
	t->access_event = NULL;
	if (thread >= turn.top)
		turn.top = thread + 1;
	turn.alive++;
	turn_plan_arrived(t);
	turn_stand(t);
	if (turn.straight_depends)
		turn.straight_until = 0;
}

void turn_begin_thread(uint32_t thread)
{
	struct turn_thread *t = &turn_threads[thread];

	turn_me = t;
	t->tid = gettid();
	turn_work(t);
	carrier->await_first(thread);
	if (t->where != TURN_RUNS)
		wait_for_turn(t);
	turn.straight_until =
		how_far(t); /* it was chosen before its BEGIN as before any operation */
	t->decided = true;
	lane_self.turns = true;
	turn_rest(t);
}

void turn_end_thread(void)
{
	struct turn_thread *t = turn_me;

	if (!t || !lane_self.turns)
		return;
	turn_work(t);
	turn_settle_access(t);
	lane_self.turns = false;
	t->where = TURN_ENDED;
	turn.alive--;
	turn_unblock(turn_object(turn_object_find(turn_number(t))));
	turn_object_owner_over(t);
	struct control_event end = { .thread = turn_number(t), .kind = EV_END };
	if (!turn.plain)
		turn_plan_did(t, &end);
	pass_on(t);
	turn_me = NULL;
	turn_rest(t);
}

/* Thread 0 is the caller; others there are none. */
void turn_be_main(void)
{
	struct turn_thread *t = &turn_threads[0];

	turn_me = t;
	t->where = TURN_RUNS;
	t->tid = gettid();
	t->hold = t->watch = t->stop = CONTROL_NONE;
	turn.top = 1;
	turn.alive = 1;
	turn.holder = 0;
	lane_self.turns = true;
}

void turn_forget_self(void)
{
	turn_me = NULL;
	lane_self.turns = false;
}
