/*
 * Who goes on: the plan, then the policy, and when nobody can, what may then be given up.
 */
#include "runtime/turn_state.h"

#include "runtime/each_run.h"

/* ---- giving the turn --------------------------------------------------------------------------- */

static bool is_ready(uint32_t i)
{
	return turn.ready[i / 64] >> i % 64 & 1;
}

static uint32_t give(uint32_t i)
{
	struct turn_thread *t = &turn_threads[i];
	uint32_t choice = turn.control->choice_count ? turn_plan_choice(t) : 0;

	t->answer = TURN_GO;
	if (t->signalled && t->where == TURN_STANDS && t->want.kind != EV_BEGIN) {
		t->answer = TURN_HANDLE; /* what it stands before is looked at behind that */
		return i;
	}
	if (t->where != TURN_STANDS || t->want.pause == TURN_YIELD || t->want.pause == TURN_EXIT)
		return i;
	if (!choice && turn_is_free(&t->want))
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
	if (t->answer == TURN_TIMED_OUT && !t->cancelled)
		turn_outside_pass(t->want.until);
	return i;
}

/* Is its spin all that holds it up, or also its time? */
static bool could_spin(const struct turn_thread *t)
{
	if (!t->spins || !turn_is_allowed(t))
		return false;
	if (t->want.pause == TURN_YIELD || (!t->want.pause && turn_object_can(t)))
		return true;
	return turn_can_time_out(t);
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

void turn_count_runs(void)
{
	while (turn.run_at < turn.control->run_count && is_done(&turn.runs[turn.run_at]))
		turn.run_at++;
	turn.control->runs_done = turn.run_at;
}

/* How often somebody who is outside is waited for: see carrier_kernel.c for how long. */
#define PLAN_TRIES 25u

/*
 * A replay is after something, and a spin may be all that is in its way. For a search each round of a
 * spin would be a schedule of its own.
 */
static bool indulges(void)
{
	return !(turn.control->options & CONTROL_SPIN_SOON);
}

/*
 * The first run whose thread can go on. Runs behind it are looked at only until every thread that
 * is there has been seen once: they are many, threads are few.
 */
static uint32_t by_plan(unsigned tries, bool *waits)
{
	uint32_t count = turn.control->run_count;
	uint32_t seen = 0, scan = ++turn.scan;

	turn_count_runs();
	for (uint32_t i = turn.run_at; i < count && seen < turn.alive; i++) {
		if (is_done(&turn.runs[i]))
			continue;
		struct turn_thread *t = &turn_threads[turn.runs[i].thread];
		if (t->scanned == scan)
			continue;
		t->scanned = scan;
		seen += t->where != TURN_UNMADE;
		if (turn_ready(t)) {
			turn.chosen_until = turn.runs[i].until;
			return turn.runs[i].thread;
		}
		if (i != turn.run_at)
			continue;
		if (turn_can_time_out(t) ||
		    (indulges() && could_spin(t) && turn_spin_indulge(t, false)))
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

/* Who could go on is in turn.ready. Where policies may let time run out, those whose time it is, too. */
static void find_candidates(void)
{
	turn_find_ready();
	if (!(turn.control->options & CONTROL_TIMEOUTS) || turn.control->policy == CONTROL_STAY)
		return;
	for (uint32_t i = 0; i < turn.top; i++)
		if (!is_ready(i) && turn_can_time_out(&turn_threads[i]))
			turn.ready[i / 64] |= 1ull << i % 64;
}

/* If there is but one candidate: it. Else CONTROL_NONE, and whether there is any. */
static uint32_t only_one(bool *any)
{
	uint32_t found = CONTROL_NONE;

	*any = false;
	for (uint32_t word = 0; word * 64 < turn.top; word++) {
		uint64_t bits = turn.ready[word];
		if (!bits)
			continue;
		if (*any || bits & (bits - 1)) {
			*any = true;
			return CONTROL_NONE;
		}
		*any = true;
		found = word * 64 + (uint32_t)__builtin_ctzll(bits);
	}
	return found;
}

/* The first candidate from thread `from` on and round. There is one. */
static uint32_t first_ready(uint32_t from)
{
	uint32_t words = (turn.top + 63) / 64;
	uint64_t bits = turn.ready[from / 64] & ~0ull << from % 64;

	for (uint32_t word = from / 64;; word = (word + 1) % words, bits = turn.ready[word])
		if (bits)
			return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

static bool gives_way(uint32_t i)
{
	return turn.giving_way[i / 64] >> i % 64 & 1;
}

/*
 * Nobody stays for ever while others could go on: who looks at a flag under a lock again and again, and
 * counts how often, does not spin as turn_spin.c sees it, and yet waits for another. And virtual time
 * stands still while anybody can go on: two threads that hand something to and fro until a third has
 * slept its three seconds would do so for ever. After so many steps another has its turn, or who sleeps
 * has slept long enough; that is a matter of steps alone, and so the same in each run.
 */
#define LONG_STEPS 20000u
EACH_RUN static uint32_t stays;	      /* who had the last decision, + 1 */
EACH_RUN static uint64_t stays_from;  /* steps when it came on */
EACH_RUN static uint64_t sleeps_from; /* steps when somebody was last looked for who sleeps */

static bool has_stayed_long(uint32_t i)
{
	return stays == i + 1 && turn.control->steps - stays_from >= LONG_STEPS;
}

/* For so many steps more each is a decision: at one of them it has no lock that the others need. */
#define LONG_LOOKS 1000u

static void note_staying(uint32_t i)
{
	if (turn.chosen_until == CONTROL_NONE)
		turn.chosen_until = has_stayed_long(i) ? 0 : turn_threads[i].step + LONG_STEPS;
	if (stays == i + 1 && turn.control->steps - stays_from < LONG_STEPS + LONG_LOOKS)
		return;
	stays = i + 1;
	stays_from = turn.control->steps;
}

/* Whoever gives way is passed over in a circle, or two of them would keep a third from its turn. */
static uint32_t by_staying(uint32_t self)
{
	const struct turn_thread *t = &turn_threads[self];

	if (t->where != TURN_STANDS || !is_ready(self))
		return first_ready(0);
	if (!gives_way(self) && !has_stayed_long(self))
		return self;
	return first_ready(self + 1 < turn.top ? self + 1 : 0);
}

static uint32_t by_chance(void)
{
	uint32_t count = 0;

	for (uint32_t word = 0; word * 64 < turn.top; word++)
		count += (uint32_t)__builtin_popcountll(turn.ready[word]);
	uint32_t which = (uint32_t)(draw() % count);
	for (uint32_t word = 0;; word++) {
		uint64_t bits = turn.ready[word];
		uint32_t here = (uint32_t)__builtin_popcountll(bits);
		if (which >= here) {
			which -= here;
			continue;
		}
		while (which--)
			bits &= bits - 1;
		return word * 64 + (uint32_t)__builtin_ctzll(bits);
	}
}

static bool only_reads(uint32_t i)
{
	uint32_t kind = turn_threads[i].want.kind;

	return kind == EV_READ || kind == EV_ATOMIC_READ;
}

/*
 * Partial order sampling (Yuan, Yang, Gu, CAV 2018): the operation with the highest priority goes
 * on; those that race with it draw anew. (Roughly: by their first address; that costs no more than
 * a little of the sampling's quality.) Whoever gives way comes last.
 *
 * With a hundred threads looking for the highest was a fifth of a run. From one decision to the next
 * little changes, so the highest of each eight is remembered.
 */
static struct eight {
	uint64_t most;
	uint32_t best;
	uint8_t ready, giving_way; /* of what the above is */
	bool stale;		   /* somebody has drawn */
} eights[CONTROL_THREADS / 8];

static uint8_t eight_of(const uint64_t *words, uint32_t eight)
{
	return (uint8_t)(words[eight / 8] >> eight % 8 * 8);
}

static void draw_priorities(void)
{
	for (uint32_t word = 0; word * 64 < turn.top; word++) {
		uint64_t bits = turn.ready[word] & ~turn.drawn[word];
		turn.drawn[word] |= bits;
		for (; bits; bits &= bits - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
			turn.priorities[i] = draw() | 1ull << 32;
			eights[i / 8].stale = true;
		}
	}
}

static void look_through(struct eight *eight, uint32_t first)
{
	eight->most = 0;
	for (uint32_t bits = eight->ready; bits; bits &= bits - 1) {
		uint32_t n = (uint32_t)__builtin_ctz(bits);
		uint64_t priority = turn.priorities[first + n];
		if (eight->giving_way >> n & 1)
			priority >>= 32;
		if (priority > eight->most) {
			eight->best = first + n;
			eight->most = priority;
		}
	}
	eight->stale = false;
}

static uint32_t find_highest(void)
{
	uint32_t best = CONTROL_NONE;
	uint64_t most = 0;

	for (uint32_t i = 0; i * 8 < turn.top; i++) {
		struct eight *eight = &eights[i];
		uint8_t ready = eight_of(turn.ready, i), way = eight_of(turn.giving_way, i);
		if (!ready)
			continue;
		if (eight->stale || ready != eight->ready || way != eight->giving_way) {
			eight->ready = ready;
			eight->giving_way = way;
			look_through(eight, i * 8);
		}
		if (eight->most > most) {
			best = eight->best;
			most = eight->most;
		}
	}
	return best;
}

static uint32_t by_priority(void)
{
	draw_priorities();
	uint32_t best = find_highest();
	uint64_t object = turn.objects[best];
	bool reads = only_reads(best);
	for (uint32_t word = 0; object && word * 64 < turn.top; word++) {
		for (uint64_t bits = turn.drawn[word]; bits; bits &= bits - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
			if (turn.objects[i] == object && !(reads && only_reads(i)))
				turn.drawn[word] &= ~(bits & -bits);
		}
	}
	turn.drawn[best / 64] &= ~(1ull << best % 64);
	return best;
}

/*
 * Priorities keep whoever gives way from its turn as long as any other could go on, which may be for ever: main yields until a
 * thread has started that then runs until main cancels it. After so many steps one of them has its turn.
 */
EACH_RUN static uint64_t yields_from; /* steps when somebody was last looked for who gives way */
EACH_RUN static uint32_t yielded;     /* who was found then */

static uint32_t by_patience(void)
{
	if (turn.control->steps - yields_from < LONG_STEPS)
		return CONTROL_NONE;
	yields_from = turn.control->steps;
	for (uint32_t n = 1; n <= turn.top; n++) {
		uint32_t i = (yielded + n) % turn.top;

		if (is_ready(i) && gives_way(i))
			return yielded = i;
	}
	return CONTROL_NONE;
}

/* Who stays if it can need not know who else could. */
static bool can_stay(uint32_t self)
{
	return self < turn.top && turn_threads[self].where == TURN_STANDS && !gives_way(self) &&
	       !has_stayed_long(self) && turn_ready(&turn_threads[self]);
}

static uint32_t by_sleep(void)
{
	uint32_t best = CONTROL_NONE;

	if (turn.control->steps - sleeps_from < LONG_STEPS)
		return CONTROL_NONE;
	sleeps_from = turn.control->steps;
	for (uint32_t i = 0; i < turn.top; i++) {
		const struct turn_thread *t = &turn_threads[i];
		if (t->where != TURN_STANDS || t->want.pause != TURN_SLEEP || !turn_can_time_out(t))
			continue;
		if (best == CONTROL_NONE || t->want.until < turn_threads[best].want.until)
			best = i;
	}
	return best;
}

static uint32_t by_policy(uint32_t self)
{
	bool any;
	uint32_t sleeper = by_sleep();

	if (sleeper != CONTROL_NONE)
		return sleeper;
	if (turn.control->policy == CONTROL_STAY) {
		turn.chosen_until = CONTROL_NONE;
		if (can_stay(self))
			return self;
	}
	find_candidates();
	uint32_t one = only_one(&any);
	if (!any || one != CONTROL_NONE)
		return one;
	switch (turn.control->policy) {
	case CONTROL_RANDOM: return by_chance();
	case CONTROL_PRIORITIES:
		one = by_patience();
		return one != CONTROL_NONE ? one : by_priority();
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
		if (!turn_can_time_out(t) || (t->spins && !spinners))
			continue;
		if (best == CONTROL_NONE || t->want.until < turn_threads[best].want.until)
			best = i;
	}
	return best;
}

/* Who spins may do so for another while: a spin may end by time. */
static uint32_t by_spin(uint32_t self, bool always)
{
	for (uint32_t n = 1; n <= turn.top; n++) {
		uint32_t i = (self < turn.top ? self + n : n) % turn.top;
		struct turn_thread *t = &turn_threads[i];
		if (could_spin(t) && turn_spin_indulge(t, always))
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

	if (turn.asleep && !turn.outside && !turn.back && anybody_asleep())
		turn_end_run(CONTROL_ASLEEP, "", 0);
	if (turn.outside && (tries == 0 || (tries < PLAN_TRIES && !turn_outside_asleep())))
		return CONTROL_NONE;
	found = by_time(false);
	if ((found != CONTROL_NONE || !turn.outside) &&
	    turn_outside_timer(found != CONTROL_NONE ? turn_threads[found].want.until : UINT64_MAX))
		return CONTROL_NONE; /* whom that wakes comes by itself */
	if (found != CONTROL_NONE)
		return found;
	if ((found = by_spin(self, false)) != CONTROL_NONE)
		return found;
	if (turn_plan_give_up())
		return turn_pick(self, tries);
	return by_spin(self, true);
}

uint32_t turn_pick(uint32_t self, unsigned tries)
{
	uint32_t found = CONTROL_NONE;
	bool waits = false;

	turn_count_move();
	turn.chosen_until = 0;
	if (turn.meeting < turn.control->stop_count)
		found = turn_plan_meeting();
	if (found == CONTROL_NONE && turn.run_at < turn.control->run_count)
		found = by_plan(tries, &waits);
	if (waits)
		return CONTROL_NONE;
	if (found == CONTROL_NONE && turn.exiting)
		found = turn.exiting - 1;
	if (found == CONTROL_NONE) {
		if (!turn.sleeps_used && turn.run_at >= turn.control->run_count)
			turn_plan_sleep();
		found = by_policy(self);
	}
	if (found == CONTROL_NONE) {
		found = rescue(self, tries);
		turn.chosen_until = 0;
	}
	if (found == CONTROL_NONE)
		return found;
	note_staying(found);
	return give(found);
}
