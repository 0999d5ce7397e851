/*
 * Who goes on: the plan, then the policy, and when nobody can, what may then be given up.
 */
#include "runtime/turn_state.h"

#include "runtime/vtime.h"

/* ---- who could -------------------------------------------------------------------------------- */

bool turn_is_free(const struct turn_want *want)
{
	if (want->how == EVENT_TRY)
		return want->pause == TURN_NO_PAUSE;
	switch (want->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_WOKEN:
	case EV_DOWN:
	case EV_PASS:
	case EV_ONCE_BEGIN:
	case EV_JOIN:
	case EV_NONE: return false;
	default: return true;
	}
}

/* Is it allowed to go on, if its operation can happen? */
static bool is_allowed(const struct turn_thread *t)
{
	return t->where == TURN_STANDS && !t->stopped && !t->asleep && t->step < t->hold;
}

static bool can_by_choice(const struct turn_thread *t)
{
	switch (turn.control->choice_count ? turn_plan_choice(t) : 0) {
	case CONTROL_SPURIOUS: return t->want.kind == EV_WOKEN && turn_object_mutex_free(t);
	case CONTROL_TIMEOUT: return t->want.how == EVENT_TIMED && turn_object_mutex_free(t);
	default: return false;
	}
}

bool turn_ready(const struct turn_thread *t)
{
	if (t->where == TURN_BACK)
		return true;
	if (!is_allowed(t))
		return false;
	if (t->want.pause)
		return t->want.pause == TURN_YIELD;
	if (t->spins && !t->held && !turn_spin_changed(t))
		return false;
	return turn_object_can(t) || can_by_choice(t) ||
	       (t->cancelled && turn_object_mutex_free(t));
}

/* Could it go on because its time is over? */
static bool can_time_out(const struct turn_thread *t)
{
	if (!is_allowed(t))
		return false;
	if (t->want.pause)
		return t->want.pause == TURN_SLEEP;
	return t->want.how == EVENT_TIMED && turn_object_mutex_free(t);
}

uint32_t turn_count_ready(uint32_t except)
{
	uint32_t count = turn.free_count + turn.back;

	for (uint32_t word = 0; word * 64 < turn.top; word++)
		for (uint64_t bits = turn.bound[word]; bits; bits &= bits - 1)
			count += turn_ready(&turn_threads[word * 64 + __builtin_ctzll(bits)]);
	if (except < turn.top && turn_threads[except].where == TURN_STANDS)
		count -= turn_ready(&turn_threads[except]);
	return count;
}

/* ---- giving the turn --------------------------------------------------------------------------- */

static uint32_t give(uint32_t i)
{
	struct turn_thread *t = &turn_threads[i];
	uint32_t choice = turn.control->choice_count ? turn_plan_choice(t) : 0;

	if (turn.events)
		t->others = turn_count_ready(i);
	t->answer = TURN_GO;
	if (t->where != TURN_STANDS || t->want.pause == TURN_YIELD || t->want.pause == TURN_EXIT)
		return i;
	if (choice == CONTROL_TIMEOUT && t->want.how == EVENT_TIMED)
		t->answer = TURN_TIMED_OUT;
	else if (choice == CONTROL_SPURIOUS && t->want.kind == EV_WOKEN)
		t->answer = TURN_SPURIOUS;
	else if (t->want.pause == TURN_SLEEP)
		t->answer = TURN_TIMED_OUT;
	else if (!turn_object_can(t) && t->cancelled)
		t->cancel_seen = true;
	else if (!turn_object_can(t))
		t->answer = TURN_TIMED_OUT;
	if (t->answer == TURN_TIMED_OUT)
		vtime_advance_to(t->want.until);
	return i;
}

/* ---- the plan ----------------------------------------------------------------------------------- */

static void note_divergence(const struct turn_thread *t)
{
	struct control *control = turn.control;

	if (control->diverged_run != CONTROL_NONE)
		return;
	control->diverged_run = turn.run_at;
	control->diverged_kind = t->where == TURN_STANDS ? t->want.kind : EV_NONE;
	control->diverged_site = t->where == TURN_STANDS ? t->want.site : 0;
}

static bool is_done(const struct control_run *run)
{
	return run->thread >= CONTROL_THREADS || turn_threads[run->thread].step >= run->until ||
	       turn_threads[run->thread].where == TURN_ENDED;
}

/* How often somebody who is outside is waited for: see carrier_kernel.c for how long. */
#define PLAN_TRIES 25u

/*
 * The first run whose thread can go on. Runs behind it are looked at only until every thread that
 * is there has been seen once: they are many, threads are few.
 */
static uint32_t by_plan(unsigned tries, bool *waits)
{
	uint32_t count = turn.control->run_count;
	uint32_t seen = 0, scan = ++turn.scan;

	while (turn.run_at < count && is_done(&turn.runs[turn.run_at]))
		turn.run_at++;
	turn.control->runs_done = turn.run_at;
	for (uint32_t i = turn.run_at; i < count && seen < turn.alive; i++) {
		if (is_done(&turn.runs[i]))
			continue;
		struct turn_thread *t = &turn_threads[turn.runs[i].thread];
		if (t->scanned == scan)
			continue;
		t->scanned = scan;
		seen += t->where != TURN_UNMADE;
		if (turn_ready(t))
			return turn.runs[i].thread;
		if (i != turn.run_at)
			continue;
		if (can_time_out(t))
			return turn.runs[i].thread;
		if (t->where == TURN_OUTSIDE && tries < PLAN_TRIES) {
			*waits = true; /* as in the run that the plan was made of, it comes back */
			return CONTROL_NONE;
		}
		if (t->where != TURN_UNMADE)
			note_divergence(t);
	}
	return CONTROL_NONE;
}

/* ---- policies ------------------------------------------------------------------------------------ */

static uint64_t scramble(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static uint64_t draw(void)
{
	turn.random += 0x9e3779b97f4a7c15ull;
	return scramble(turn.random);
}

static bool is_candidate(const struct turn_thread *t)
{
	return turn_ready(t) || ((turn.control->options & CONTROL_TIMEOUTS) && can_time_out(t));
}

/* The first that is ready, from thread `from` on and round. */
static uint32_t first_ready(uint32_t from)
{
	uint32_t found = CONTROL_NONE;

	for (uint32_t n = 0; n < turn.top; n++) {
		uint32_t i = from + n < turn.top ? from + n : from + n - turn.top;
		if (turn_ready(&turn_threads[i])) {
			found = i;
			break;
		}
	}
	return found;
}

static bool gives_way(const struct turn_thread *t)
{
	return t->want.pause == TURN_YIELD || t->spins;
}

/* Whoever gives way is passed over in a circle, or two of them would keep a third from its turn. */
static uint32_t by_staying(uint32_t self)
{
	const struct turn_thread *t = &turn_threads[self];

	if (!turn_ready(t) || t->where != TURN_STANDS)
		return first_ready(0);
	if (!gives_way(t))
		return self;
	return first_ready(self + 1 < turn.top ? self + 1 : 0);
}

static uint32_t by_chance(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < turn.top; i++)
		count += is_candidate(&turn_threads[i]);
	if (!count)
		return CONTROL_NONE;
	uint32_t which = (uint32_t)(draw() % count);
	for (uint32_t i = 0;; i++)
		if (is_candidate(&turn_threads[i]) && which-- == 0)
			return i;
}

/* Would the two, done in the other order, differ? Roughly: what it costs is only sampling. */
static bool races(const struct turn_want *a, const struct turn_want *b)
{
	return a->object == b->object && a->object &&
	       !((a->kind == EV_READ || a->kind == EV_ATOMIC_READ) &&
		 (b->kind == EV_READ || b->kind == EV_ATOMIC_READ));
}

/*
 * Partial order sampling (Yuan, Yang, Gu, CAV 2018): the operation with the highest priority goes
 * on; those that race with it draw anew. A yield has the lowest.
 */
static uint32_t by_priority(void)
{
	uint32_t best = CONTROL_NONE;
	uint64_t most = 0;

	for (uint32_t i = 0; i < turn.top; i++) {
		struct turn_thread *t = &turn_threads[i];
		if (!is_candidate(t))
			continue;
		if (!t->priority)
			t->priority = draw() | 1;
		uint64_t priority = gives_way(t) ? t->priority >> 32 : t->priority;
		if (best == CONTROL_NONE || priority > most) {
			best = i;
			most = priority;
		}
	}
	if (best == CONTROL_NONE)
		return best;
	struct turn_thread *chosen = &turn_threads[best];
	for (uint32_t i = 0; i < turn.top; i++) {
		struct turn_thread *t = &turn_threads[i];
		if (t->where == TURN_STANDS && races(&t->want, &chosen->want))
			t->priority = 0;
	}
	chosen->priority = 0;
	return best;
}

static uint32_t by_policy(uint32_t self)
{
	switch (turn.control->policy) {
	case CONTROL_RANDOM: return by_chance();
	case CONTROL_PRIORITIES: return by_priority();
	default: return by_staying(self);
	}
}

/* ---- nobody can ----------------------------------------------------------------------------------- */

/* Whose time is over first. */
static uint32_t by_time(bool spinners)
{
	uint32_t best = CONTROL_NONE;

	for (uint32_t i = 0; i < turn.top; i++) {
		const struct turn_thread *t = &turn_threads[i];
		if (!can_time_out(t) || (t->spins && !spinners))
			continue;
		if (best == CONTROL_NONE || t->want.until < turn_threads[best].want.until)
			best = i;
	}
	return best;
}

/* Who spins may do so for another while: a spin may end by time. */
static uint32_t by_spin(uint32_t self)
{
	for (uint32_t n = 1; n <= turn.top; n++) {
		uint32_t i = (self < turn.top ? self + n : n) % turn.top;
		struct turn_thread *t = &turn_threads[i];
		if (!t->spins || !is_allowed(t))
			continue;
		bool waits = t->want.pause == TURN_SLEEP || !turn_object_can(t);
		if (waits && !can_time_out(t))
			continue;
		turn_spin_reset(t);
		return i;
	}
	return CONTROL_NONE;
}

/* Could anybody go on if it were not asleep? */
static bool anybody_asleep(void)
{
	for (uint32_t i = 0; i < turn.top; i++) {
		struct turn_thread *t = &turn_threads[i];
		if (!t->asleep)
			continue;
		t->asleep = false;
		bool could = turn_ready(t);
		t->asleep = true;
		if (could)
			return true;
	}
	return false;
}

static uint32_t rescue(uint32_t self, unsigned tries)
{
	uint32_t found;

	if (turn.asleep && !turn.outside && anybody_asleep())
		turn_end_run(CONTROL_ASLEEP, "", 0);
	if (tries == 0 && turn.outside)
		return CONTROL_NONE;
	if ((found = by_time(false)) != CONTROL_NONE)
		return found;
	if (turn_plan_give_up())
		return turn_pick(self, tries);
	return by_spin(self);
}

uint32_t turn_pick(uint32_t self, unsigned tries)
{
	uint32_t found = CONTROL_NONE;
	bool waits = false;

	turn.moves++;
	if (turn.meeting < turn.control->stop_count)
		found = turn_plan_meeting();
	if (found == CONTROL_NONE && turn.run_at < turn.control->run_count)
		found = by_plan(tries, &waits);
	if (waits)
		return CONTROL_NONE;
	if (found == CONTROL_NONE && self < turn.top &&
	    turn_threads[self].want.pause == TURN_EXIT && turn_threads[self].where == TURN_STANDS)
		found = self;
	if (found == CONTROL_NONE) {
		if (!turn.sleeps_used && turn.run_at >= turn.control->run_count)
			turn_plan_sleep();
		found = by_policy(self);
	}
	if (found == CONTROL_NONE)
		found = rescue(self, tries);
	return found == CONTROL_NONE ? found : give(found);
}
