/*
 * Who goes on: the plan, then the policy, and when nobody can, what may then be given up.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/server/per_run.h"

/* ---- giving the turn --------------------------------------------------------------------------- */

static bool is_ready(uint32_t i)
{
	return sched.ready[i / 64] >> i % 64 & 1;
}

static uint32_t give(uint32_t i)
{
	struct sched_thread *t = &sched_threads[i];
	uint32_t choice = sched.control->choice_count ? sched_plan_choice(t) : 0;

	t->answer = SCHED_GO;
	if (t->signalled && t->where == SCHED_STANDS && t->want.kind != EV_BEGIN) {
		t->answer = SCHED_HANDLE; /* what it stands before is looked at behind that */
		return i;
	}
	if (t->where != SCHED_STANDS || t->want.pause == SCHED_YIELD || t->want.pause == SCHED_EXIT)
		return i;
	if (!choice && sched_is_free(&t->want))
		return i;
	if (choice == CONTROL_TIMEOUT && t->want.how == EVENT_TIMED)
		t->answer = SCHED_TIMED_OUT;
	else if (choice == CONTROL_SPURIOUS && t->want.kind == EV_WOKEN)
		t->answer = SCHED_SPURIOUS;
	else if (t->want.pause == SCHED_SLEEP)
		t->answer = SCHED_TIMED_OUT;
	else if (!sched_object_can(t) && t->cancelled)
		t->cancel_seen = true;
	else if (!sched_object_can(t))
		t->answer = SCHED_TIMED_OUT;
	if (t->answer == SCHED_TIMED_OUT && !t->cancelled)
		sched_outside_pass(t->want.until);
	return i;
}

/* Is its spin all that holds it up, or also its time? */
static bool could_spin(const struct sched_thread *t)
{
	if (!t->spins || !sched_is_allowed(t))
		return false;
	if (t->want.pause == SCHED_YIELD || (!t->want.pause && sched_object_can(t)))
		return true;
	return sched_can_time_out(t);
}

/* ---- the plan ----------------------------------------------------------------------------------- */

static void note_divergence(const struct sched_thread *t)
{
	struct control *control = sched.control;

	if (control->diverged_run != CONTROL_NONE)
		return;
	control->diverged_run = sched.run_at;
	control->diverged_kind = t->where == SCHED_STANDS ? t->want.kind : EV_NONE;
	control->diverged_site = t->where == SCHED_STANDS ? t->want.site : 0;
}

static bool is_done(const struct control_run *run)
{
	return run->thread >= CONTROL_THREADS || sched_threads[run->thread].step >= run->until ||
	       sched_threads[run->thread].where == SCHED_ENDED;
}

void sched_count_runs(void)
{
	while (sched.run_at < sched.control->run_count && is_done(&sched.runs[sched.run_at]))
		sched.run_at++;
	sched.control->runs_done = sched.run_at;
}

/* How often somebody who is outside is waited for: see carrier_kernel.c for how long. */
#define PLAN_TRIES 25u

/*
 * A replay is after something, and a spin may be all that is in its way. For a search each round of a
 * spin would be a schedule of its own.
 */
static bool indulges(void)
{
	return !(sched.control->options & CONTROL_SPIN_SOON);
}

/*
 * The first run whose thread can go on. Runs behind it are looked at only until every thread that
 * is there has been seen once: they are many, threads are few.
 */
static uint32_t by_plan(unsigned tries, bool *waits)
{
	uint32_t count = sched.control->run_count;
	uint32_t seen = 0, scan = ++sched.scan;

	sched_count_runs();
	for (uint32_t i = sched.run_at; i < count && seen < sched.alive; i++) {
		if (is_done(&sched.runs[i]))
			continue;
		struct sched_thread *t = &sched_threads[sched.runs[i].thread];
		if (t->scanned == scan)
			continue;
		t->scanned = scan;
		seen += t->where != SCHED_UNMADE;
		if (sched_ready(t)) {
			sched.chosen_until = sched.runs[i].until;
			return sched.runs[i].thread;
		}
		if (i != sched.run_at)
			continue;
		if (sched_can_time_out(t) ||
		    (indulges() && could_spin(t) && sched_spin_indulge(t, false)))
			return sched.runs[i].thread;
		if (t->where == SCHED_OUTSIDE && tries < PLAN_TRIES) {
			*waits = true; /* as in the run that the plan was made of, it comes back */
			return CONTROL_NONE;
		}
		if (t->where != SCHED_UNMADE)
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
	sched.random += 0x9e3779b97f4a7c15ull;
	return scramble(sched.random);
}

/* Who could go on is in sched.ready. Where policies may let time run out, those whose time it is, too. */
static void find_candidates(void)
{
	sched_find_ready();
	if (!(sched.control->options & CONTROL_TIMEOUTS) || sched.control->policy == CONTROL_STAY)
		return;
	for (uint32_t i = 0; i < sched.top; i++)
		if (!is_ready(i) && sched_can_time_out(&sched_threads[i]))
			sched.ready[i / 64] |= 1ull << i % 64;
}

/* If there is but one candidate: it. Else CONTROL_NONE, and whether there is any. */
static uint32_t only_one(bool *any)
{
	uint32_t found = CONTROL_NONE;

	*any = false;
	for (uint32_t word = 0; word * 64 < sched.top; word++) {
		uint64_t bits = sched.ready[word];
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
	uint32_t words = (sched.top + 63) / 64;
	uint64_t bits = sched.ready[from / 64] & ~0ull << from % 64;

	for (uint32_t word = from / 64;; word = (word + 1) % words, bits = sched.ready[word])
		if (bits)
			return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

static bool gives_way(uint32_t i)
{
	return sched.giving_way[i / 64] >> i % 64 & 1;
}

/*
 * Nobody stays for ever while others could go on: who looks at a flag under a lock again and again, and
 * counts how often, does not spin as sched_spin.c sees it, and yet waits for another. And virtual time
 * stands still while anybody can go on: two threads that hand something to and fro until a third has
 * slept its three seconds would do so for ever. After so many steps another has its turn, or who sleeps
 * has slept long enough; that is a matter of steps alone, and so the same in each run.
 */
#define LONG_STEPS 20000u
PER_RUN static uint32_t stays;	     /* who had the last decision, + 1 */
PER_RUN static uint64_t stays_from;  /* steps when it came on */
PER_RUN static uint64_t sleeps_from; /* steps when somebody was last looked for who sleeps */

static bool has_stayed_long(uint32_t i)
{
	return stays == i + 1 && sched.control->steps - stays_from >= LONG_STEPS;
}

/* For so many steps more each is a decision: at one of them it has no lock that the others need. */
#define LONG_LOOKS 1000u

static void note_staying(uint32_t i)
{
	if (sched.chosen_until == CONTROL_NONE)
		sched.chosen_until = has_stayed_long(i) ? 0 : sched_threads[i].step + LONG_STEPS;
	if (stays == i + 1 && sched.control->steps - stays_from < LONG_STEPS + LONG_LOOKS)
		return;
	stays = i + 1;
	stays_from = sched.control->steps;
}

/* Whoever gives way is passed over in a circle, or two of them would keep a third from its turn. */
static uint32_t by_staying(uint32_t self)
{
	const struct sched_thread *t = &sched_threads[self];

	if (t->where != SCHED_STANDS || !is_ready(self))
		return first_ready(0);
	if (!gives_way(self) && !has_stayed_long(self))
		return self;
	return first_ready(self + 1 < sched.top ? self + 1 : 0);
}

static uint32_t by_chance(void)
{
	uint32_t count = 0;

	for (uint32_t word = 0; word * 64 < sched.top; word++)
		count += (uint32_t)__builtin_popcountll(sched.ready[word]);
	uint32_t which = (uint32_t)(draw() % count);
	for (uint32_t word = 0;; word++) {
		uint64_t bits = sched.ready[word];
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
	uint32_t kind = sched_threads[i].want.kind;

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
	for (uint32_t word = 0; word * 64 < sched.top; word++) {
		uint64_t bits = sched.ready[word] & ~sched.drawn[word];
		sched.drawn[word] |= bits;
		for (; bits; bits &= bits - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
			sched.priorities[i] = draw() | 1ull << 32;
			eights[i / 8].stale = true;
		}
	}
}

static void look_through(struct eight *eight, uint32_t first)
{
	eight->most = 0;
	for (uint32_t bits = eight->ready; bits; bits &= bits - 1) {
		uint32_t n = (uint32_t)__builtin_ctz(bits);
		uint64_t priority = sched.priorities[first + n];
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

	for (uint32_t i = 0; i * 8 < sched.top; i++) {
		struct eight *eight = &eights[i];
		uint8_t ready = eight_of(sched.ready, i), way = eight_of(sched.giving_way, i);
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
	uint64_t object = sched.objects[best];
	bool reads = only_reads(best);
	for (uint32_t word = 0; object && word * 64 < sched.top; word++) {
		for (uint64_t bits = sched.drawn[word]; bits; bits &= bits - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
			if (sched.objects[i] == object && !(reads && only_reads(i)))
				sched.drawn[word] &= ~(bits & -bits);
		}
	}
	sched.drawn[best / 64] &= ~(1ull << best % 64);
	return best;
}

/*
 * Priorities keep whoever gives way from its turn as long as any other could go on, which may be for ever: main yields until a
 * thread has started that then runs until main cancels it. After so many steps one of them has its turn.
 */
PER_RUN static uint64_t yields_from; /* steps when somebody was last looked for who gives way */
PER_RUN static uint32_t yielded;     /* who was found then */

static uint32_t by_patience(void)
{
	if (sched.control->steps - yields_from < LONG_STEPS)
		return CONTROL_NONE;
	yields_from = sched.control->steps;
	for (uint32_t n = 1; n <= sched.top; n++) {
		uint32_t i = (yielded + n) % sched.top;

		if (is_ready(i) && gives_way(i))
			return yielded = i;
	}
	return CONTROL_NONE;
}

/* Who stays if it can need not know who else could. */
static bool can_stay(uint32_t self)
{
	return self < sched.top && sched_threads[self].where == SCHED_STANDS && !gives_way(self) &&
	       !has_stayed_long(self) && sched_ready(&sched_threads[self]);
}

static uint32_t by_sleep(void)
{
	uint32_t best = CONTROL_NONE;

	if (sched.control->steps - sleeps_from < LONG_STEPS)
		return CONTROL_NONE;
	sleeps_from = sched.control->steps;
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->where != SCHED_STANDS || t->want.pause != SCHED_SLEEP ||
		    !sched_can_time_out(t))
			continue;
		if (best == CONTROL_NONE || t->want.until < sched_threads[best].want.until)
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
	if (sched.control->policy == CONTROL_STAY) {
		sched.chosen_until = CONTROL_NONE;
		if (can_stay(self))
			return self;
	}
	find_candidates();
	uint32_t one = only_one(&any);
	if (!any || one != CONTROL_NONE)
		return one;
	switch (sched.control->policy) {
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

	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (!sched_can_time_out(t) || (t->spins && !spinners))
			continue;
		if (best == CONTROL_NONE || t->want.until < sched_threads[best].want.until)
			best = i;
	}
	return best;
}

/* Who spins may do so for another while: a spin may end by time. */
static uint32_t by_spin(uint32_t self, bool always)
{
	for (uint32_t n = 1; n <= sched.top; n++) {
		uint32_t i = (self < sched.top ? self + n : n) % sched.top;
		struct sched_thread *t = &sched_threads[i];
		if (could_spin(t) && sched_spin_indulge(t, always))
			return i;
	}
	return CONTROL_NONE;
}

/* Could anybody go on if it were not asleep? */
static bool anybody_asleep(void)
{
	for (uint32_t i = 0; i < sched.top; i++) {
		struct sched_thread *t = &sched_threads[i];
		if (!t->asleep)
			continue;
		t->asleep = false;
		bool could = sched_ready(t);
		t->asleep = true;
		if (could)
			return true;
	}
	return false;
}

static uint32_t rescue(uint32_t self, unsigned tries)
{
	uint32_t found;

	if (sched.asleep && !sched.outside && !sched.back && anybody_asleep())
		sched_end_run(CONTROL_ASLEEP, "", 0);
	if (sched.outside && (tries == 0 || (tries < PLAN_TRIES && !sched_outside_asleep())))
		return CONTROL_NONE;
	found = by_time(false);
	if ((found != CONTROL_NONE || !sched.outside) &&
	    sched_outside_timer(found != CONTROL_NONE ? sched_threads[found].want.until
						      : UINT64_MAX))
		return CONTROL_NONE; /* whom that wakes comes by itself */
	if (found != CONTROL_NONE)
		return found;
	if ((found = by_spin(self, false)) != CONTROL_NONE)
		return found;
	if (sched_plan_give_up())
		return sched_pick(self, tries);
	return by_spin(self, true);
}

uint32_t sched_pick(uint32_t self, unsigned tries)
{
	uint32_t found = CONTROL_NONE;
	bool waits = false;

	sched_count_move();
	sched.chosen_until = 0;
	if (sched.meeting < sched.control->stop_count)
		found = sched_plan_meeting();
	if (found == CONTROL_NONE && sched.run_at < sched.control->run_count)
		found = by_plan(tries, &waits);
	if (waits)
		return CONTROL_NONE;
	if (found == CONTROL_NONE && sched.exiting)
		found = sched.exiting - 1;
	if (found == CONTROL_NONE) {
		if (!sched.sleeps_used && sched.run_at >= sched.control->run_count)
			sched_plan_sleep();
		found = by_policy(self);
	}
	if (found == CONTROL_NONE) {
		found = rescue(self, tries);
		sched.chosen_until = 0;
	}
	if (found == CONTROL_NONE)
		return found;
	note_staying(found);
	return give(found);
}
