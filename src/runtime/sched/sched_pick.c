/*
 * Picks the thread that runs next. The plan comes first, then the policy. If no thread is ready,
 * pick_when_none_ready() relaxes constraints: timeouts expire, spinning threads may go on, stops
 * and rules are given up. sched.h lists the order.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/server/per_run.h"

/* ---- the outcome of a pick ------------------------------------------------------------------- */

/* Stores in the picked thread how its wait ends, and returns its number. */
static uint32_t set_outcome(uint32_t i)
{
	struct sched_thread *t = &sched_threads[i];
	uint32_t choice = sched.control->choice_count ? sched_plan_choice(t) : 0;

	t->outcome = SCHED_GO;
	if (t->signal_deferred && t->state == SCHED_PENDING && t->op.kind != EV_BEGIN) {
		t->outcome = SCHED_RUN_HANDLER; /* after that, its operation is checked again */
		return i;
	}
	if (t->state != SCHED_PENDING || t->op.pause == SCHED_YIELD || t->op.pause == SCHED_EXIT ||
	    t->op.pause == SCHED_MEET)
		return i;
	if (!choice && sched_is_always_enabled(&t->op))
		return i;
	if (choice == CONTROL_TIMEOUT && t->op.how == EVENT_TIMED)
		t->outcome = SCHED_TIMED_OUT;
	else if (choice == CONTROL_SPURIOUS && t->op.kind == EV_WOKEN)
		t->outcome = SCHED_SPURIOUS;
	else if (t->op.pause == SCHED_SLEEP)
		t->outcome = SCHED_TIMED_OUT;
	else if (!sched_object_enabled(t) && t->cancelled)
		t->cancel_seen = true;
	else if (!sched_object_enabled(t))
		t->outcome = SCHED_TIMED_OUT;
	if (t->outcome == SCHED_TIMED_OUT && !t->cancelled)
		sched_outside_advance_time(t->op.until);
	return i;
}

/*
 * Is this a spinning thread that could run, now or when its timeout expires, if it were allowed to
 * spin for longer?
 */
static bool could_spin_on(const struct sched_thread *t)
{
	if (!t->spinning || !sched_is_allowed(t))
		return false;
	if (t->op.pause == SCHED_YIELD || (!t->op.pause && sched_object_enabled(t)))
		return true;
	return sched_can_time_out(t);
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void record_divergence(const struct sched_thread *t)
{
	struct control *control = sched.control;

	if (control->diverged_slice != CONTROL_NONE)
		return;
	control->diverged_slice = sched.current_slice;
	control->diverged_kind = t->state == SCHED_PENDING ? t->op.kind : EV_NONE;
	control->diverged_site = t->state == SCHED_PENDING ? t->op.site : 0;
}

static bool is_slice_done(const struct control_slice *slice)
{
	return slice->thread >= CONTROL_THREADS ||
	       sched_threads[slice->thread].step >= slice->until ||
	       sched_threads[slice->thread].state == SCHED_ENDED;
}

void sched_count_slices(void)
{
	while (sched.current_slice < sched.control->run_count &&
	       is_slice_done(&sched.slices[sched.current_slice]))
		sched.current_slice++;
	sched.control->slices_done = sched.current_slice;
}

/*
 * How often a decision is repeated in order to wait for a thread that is outside. carrier_kernel.c
 * defines how long each wait takes.
 */
#define PLAN_TRIES 25u

/*
 * May the plan let a spinning thread continue? A replay has a goal, and a spin may be all that is
 * in its way. For a search, each round of a spin would be another schedule.
 */
static bool plan_may_extend_spins(void)
{
	return !(sched.control->options & CONTROL_SPIN_SOON);
}

/*
 * Returns the thread of the first unfinished slice whose thread is ready. There are many slices and
 * few threads, so the loop ends when it has seen every existing thread once. The thread of the
 * current slice also qualifies if its timeout can expire or if it may spin for longer. If that
 * thread is outside and the caller should wait for it, sets `*waits`.
 */
static uint32_t pick_by_plan(unsigned tries, bool *waits)
{
	uint32_t count = sched.control->run_count;
	uint32_t seen = 0, scan = ++sched.scan;

	sched_count_slices();
	for (uint32_t i = sched.current_slice; i < count && seen < sched.alive; i++) {
		if (is_slice_done(&sched.slices[i]))
			continue;
		struct sched_thread *t = &sched_threads[sched.slices[i].thread];
		if (t->scanned == scan)
			continue;
		t->scanned = scan;
		seen += t->state != SCHED_NOT_CREATED;
		if (sched_is_ready(t)) {
			sched.chosen_until = sched.slices[i].until;
			return sched.slices[i].thread;
		}
		if (i != sched.current_slice)
			continue;
		if (sched_can_time_out(t) ||
		    (plan_may_extend_spins() && could_spin_on(t) && sched_spin_extend(t, false)))
			return sched.slices[i].thread;
		bool meets =
			t->state == SCHED_PENDING && t->op.pause == SCHED_MEET && sched.outside;
		if ((t->state == SCHED_OUTSIDE || meets) && tries < PLAN_TRIES) {
			/*
			 * in the run from which the plan was made, this thread came back, or the
			 * threads that it meets
			 */
			*waits = true;
			return CONTROL_NONE;
		}
		if (t->state != SCHED_NOT_CREATED)
			record_divergence(t);
	}
	return CONTROL_NONE;
}

/* ---- policies -------------------------------------------------------------------------------- */

static uint64_t scramble(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static uint64_t next_random(void)
{
	sched.random += 0x9e3779b97f4a7c15ull;
	return scramble(sched.random);
}

/* Puts the ready threads into sched.ready, with CONTROL_TIMEOUTS also those that could time out. */
static void find_candidates(void)
{
	sched_find_ready();
	if (!(sched.control->options & CONTROL_TIMEOUTS) || sched.control->policy == CONTROL_STAY)
		return;
	for (uint32_t i = 0; i < sched.top; i++)
		if (!sched_set_has(sched.ready, i) && sched_can_time_out(&sched_threads[i]))
			sched_set_add(sched.ready, i);
}

/*
 * Returns the only candidate. CONTROL_NONE: there is none, or more than one (then `*any` is true).
 */
static uint32_t only_candidate(bool *any)
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

/* Returns the first candidate at or after thread `from`, cyclically. There must be one. */
static uint32_t first_candidate(uint32_t from)
{
	uint32_t words = (sched.top + 63) / 64;
	uint64_t bits = sched.ready[from / 64] & ~0ull << from % 64;

	for (uint32_t word = from / 64;; word = (word + 1) % words, bits = sched.ready[word])
		if (bits)
			return word * 64 + (uint32_t)__builtin_ctzll(bits);
}

/*
 * A limit on how long one thread runs while others are ready. A thread that polls a flag under a
 * lock and counts its polls does not spin by the definition of sched_spin.c, but it waits for
 * another thread all the same. Also, virtual time stands still while a thread is ready: two threads
 * that pass something back and forth until a third has slept for three seconds would never end. So
 * after LONG_STEPS steps another thread gets the turn, or a sleep ends. This depends on the number
 * of steps alone, so it is the same in each run.
 */
#define LONG_STEPS 20000u
PER_RUN static uint32_t last_picked;	/* the thread that was picked last, + 1 */
PER_RUN static uint64_t last_picked_at; /* total number of steps when it was first picked */
/* total number of steps at the last search for a sleeping thread */
PER_RUN static uint64_t sleeper_picked_at;

static bool has_stayed_long(uint32_t i)
{
	return last_picked == i + 1 && sched.control->steps - last_picked_at >= LONG_STEPS;
}

/*
 * Each of this many further steps is a decision, because another thread may be ready only at a step
 * at which this one holds no lock.
 */
#define LONG_EXTRA 1000u

static void count_staying(uint32_t i)
{
	if (sched.chosen_until == CONTROL_NONE)
		sched.chosen_until = has_stayed_long(i) ? 0 : sched_threads[i].step + LONG_STEPS;
	if (last_picked == i + 1 && sched.control->steps - last_picked_at < LONG_STEPS + LONG_EXTRA)
		return;
	last_picked = i + 1;
	last_picked_at = sched.control->steps;
}

/*
 * The thread that meets others last was the last to come back from outside, which is a matter of
 * real time. So after a meeting the first of all threads continues.
 *
 * Stays with the running thread unless that thread yields, spins or has run for long. In these
 * cases the next candidate in cyclic order gets the turn: otherwise two yielding threads could keep
 * a third from running.
 */
static uint32_t pick_staying(uint32_t self)
{
	const struct sched_thread *t = &sched_threads[self];

	if (t->state != SCHED_PENDING || !sched_set_has(sched.ready, self) || sched_has_met(t))
		return first_candidate(0);
	if (!sched_set_has(sched.yielding, self) && !has_stayed_long(self))
		return self;
	return first_candidate(self + 1 < sched.top ? self + 1 : 0);
}

static uint32_t pick_random(void)
{
	uint32_t count = 0;

	for (uint32_t word = 0; word * 64 < sched.top; word++)
		count += (uint32_t)__builtin_popcountll(sched.ready[word]);
	uint32_t which = (uint32_t)(next_random() % count);
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
	uint32_t kind = sched_threads[i].op.kind;

	return kind == EV_READ || kind == EV_ATOMIC_READ;
}

/*
 * Partial order sampling (Yuan, Yang, Gu, CAV 2018): the pending operation with the highest
 * priority runs, and the operations that race with it draw new priorities. (Races are approximated
 * by equal start addresses, which costs only a little of the sampling's quality.) Threads that
 * yield or spin come last.
 *
 * With a hundred threads, the search for the highest priority took a fifth of a run. Little changes
 * from one decision to the next, so the highest priority in each group of eight threads is cached.
 */
static struct priority_group {
	uint64_t most;
	uint32_t best;
	uint8_t ready, yielding; /* the sets for which `most` and `best` were computed */
	bool stale;		 /* a thread of the group has drawn a new priority */
} priority_groups[CONTROL_THREADS / 8];

static uint8_t group_bits(const uint64_t *words, uint32_t priority_group)
{
	return (uint8_t)(words[priority_group / 8] >> priority_group % 8 * 8);
}

static void draw_priorities(void)
{
	for (uint32_t word = 0; word * 64 < sched.top; word++) {
		uint64_t bits = sched.ready[word] & ~sched.has_priority[word];
		sched.has_priority[word] |= bits;
		for (; bits; bits &= bits - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
			sched.priorities[i] = next_random() | 1ull << 32;
			priority_groups[i / 8].stale = true;
		}
	}
}

static void update_group(struct priority_group *priority_group, uint32_t first)
{
	priority_group->most = 0;
	for (uint32_t bits = priority_group->ready; bits; bits &= bits - 1) {
		uint32_t n = (uint32_t)__builtin_ctz(bits);
		uint64_t priority = sched.priorities[first + n];
		if (priority_group->yielding >> n & 1)
			priority >>= 32;
		if (priority > priority_group->most) {
			priority_group->best = first + n;
			priority_group->most = priority;
		}
	}
	priority_group->stale = false;
}

static uint32_t find_highest_priority(void)
{
	uint32_t best = CONTROL_NONE;
	uint64_t most = 0;

	for (uint32_t i = 0; i * 8 < sched.top; i++) {
		struct priority_group *priority_group = &priority_groups[i];
		uint8_t ready = group_bits(sched.ready, i), way = group_bits(sched.yielding, i);
		if (!ready)
			continue;
		if (priority_group->stale || ready != priority_group->ready ||
		    way != priority_group->yielding) {
			priority_group->ready = ready;
			priority_group->yielding = way;
			update_group(priority_group, i * 8);
		}
		if (priority_group->most > most) {
			best = priority_group->best;
			most = priority_group->most;
		}
	}
	return best;
}

static uint32_t pick_by_priority(void)
{
	draw_priorities();
	uint32_t best = find_highest_priority();
	uint64_t object = sched.pending_objects[best];
	bool reads = only_reads(best);
	for (uint32_t word = 0; object && word * 64 < sched.top; word++) {
		for (uint64_t bits = sched.has_priority[word]; bits; bits &= bits - 1) {
			uint32_t i = word * 64 + (uint32_t)__builtin_ctzll(bits);
			if (sched.pending_objects[i] == object && !(reads && only_reads(i)))
				sched.has_priority[word] &= ~(bits & -bits);
		}
	}
	sched_set_remove(sched.has_priority, best);
	return best;
}

/*
 * Under the policy PRIORITIES, a thread that yields or spins does not run as long as another thread
 * is ready. That may be forever: main yields until a thread has started, and that thread runs until
 * main cancels it. So after LONG_STEPS steps a thread that yields or spins gets the turn.
 */
PER_RUN static uint64_t yielding_picked_at; /* total number of steps at the last search */
PER_RUN static uint32_t last_yielding;	    /* the thread that was found last */

static uint32_t pick_yielding(void)
{
	if (sched.control->steps - yielding_picked_at < LONG_STEPS)
		return CONTROL_NONE;
	yielding_picked_at = sched.control->steps;
	for (uint32_t n = 1; n <= sched.top; n++) {
		uint32_t i = (last_yielding + n) % sched.top;

		if (sched_set_has(sched.ready, i) && sched_set_has(sched.yielding, i))
			return last_yielding = i;
	}
	return CONTROL_NONE;
}

/*
 * Can the caller keep the turn under the policy STAY? Then it need not know which others are ready.
 */
static bool can_stay(uint32_t self)
{
	return self < sched.top && sched_threads[self].state == SCHED_PENDING &&
	       !sched_set_has(sched.yielding, self) && !has_stayed_long(self) &&
	       !sched_has_met(&sched_threads[self]) && sched_is_ready(&sched_threads[self]);
}

/* Returns the thread whose sleep ends first. Unless `only_sleeps`, timeouts count as well. */
static uint32_t pick_first_timeout(bool only_sleeps)
{
	uint32_t best = CONTROL_NONE;

	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (!sched_can_time_out(t) ||
		    (only_sleeps ? t->op.pause != SCHED_SLEEP : t->spinning))
			continue;
		if (best == CONTROL_NONE || t->op.until < sched_threads[best].op.until)
			best = i;
	}
	return best;
}

static uint32_t pick_overdue_sleeper(void)
{
	if (sched.control->steps - sleeper_picked_at < LONG_STEPS)
		return CONTROL_NONE;
	sleeper_picked_at = sched.control->steps;
	return pick_first_timeout(true);
}

static uint32_t pick_by_policy(uint32_t self)
{
	bool any;
	uint32_t sleeper = pick_overdue_sleeper();

	if (sleeper != CONTROL_NONE)
		return sleeper;
	if (sched.control->policy == CONTROL_STAY) {
		sched.chosen_until = CONTROL_NONE;
		if (can_stay(self))
			return self;
	}
	find_candidates();
	uint32_t one = only_candidate(&any);
	if (!any || one != CONTROL_NONE)
		return one;
	switch (sched.control->policy) {
	case CONTROL_RANDOM: return pick_random();
	case CONTROL_PRIORITIES:
		one = pick_yielding();
		return one != CONTROL_NONE ? one : pick_by_priority();
	default: return pick_staying(self);
	}
}

/* ---- no thread is ready ---------------------------------------------------------------------- */

/* Picks a spinning thread and lets it spin for longer: a spin may end after some time. */
static uint32_t pick_spinning(uint32_t self, bool always)
{
	for (uint32_t n = 1; n <= sched.top; n++) {
		uint32_t i = (self < sched.top ? self + n : n) % sched.top;
		struct sched_thread *t = &sched_threads[i];
		if (could_spin_on(t) && sched_spin_extend(t, always))
			return i;
	}
	return CONTROL_NONE;
}

/* Would any thread be ready if it were not in the sleep set? */
static bool would_sleeper_be_ready(void)
{
	for (uint32_t i = 0; i < sched.top; i++) {
		struct sched_thread *t = &sched_threads[i];
		if (!t->asleep)
			continue;
		t->asleep = false;
		bool could = sched_is_ready(t);
		t->asleep = true;
		if (could)
			return true;
	}
	return false;
}

/* Called when no thread is ready: relaxes constraints, in the order that sched.h lists. */
static uint32_t pick_when_none_ready(uint32_t self, unsigned tries)
{
	uint32_t found;

	if (sched.asleep_count && !sched.outside && !sched.returned && would_sleeper_be_ready())
		sched_end_run(CONTROL_ASLEEP, "", 0);
	if (sched.outside && (tries == 0 || (tries < PLAN_TRIES && !sched_outside_all_asleep())))
		return CONTROL_NONE;
	found = pick_first_timeout(false);
	if ((found != CONTROL_NONE || !sched.outside) &&
	    sched_outside_expire_timer(found != CONTROL_NONE ? sched_threads[found].op.until
							     : UINT64_MAX))
		return CONTROL_NONE; /* the thread that the timer wakes comes back by itself */
	if (found != CONTROL_NONE)
		return found;
	if ((found = pick_spinning(self, false)) != CONTROL_NONE)
		return found;
	if (sched_plan_give_up())
		return sched_pick(self, tries);
	return pick_spinning(self, true);
}

uint32_t sched_pick(uint32_t self, unsigned tries)
{
	uint32_t found = CONTROL_NONE;
	bool waits = false;

	sched_count_progress();
	sched.chosen_until = 0;
	if (sched.next_stopped < sched.control->stop_count)
		found = sched_plan_next_stopped();
	if (found == CONTROL_NONE && sched.current_slice < sched.control->run_count)
		found = pick_by_plan(tries, &waits);
	if (waits)
		return CONTROL_NONE;
	if (found == CONTROL_NONE && sched.exiting_thread)
		found = sched.exiting_thread - 1;
	if (found == CONTROL_NONE) {
		if (!sched.sleeps_applied && sched.current_slice >= sched.control->run_count)
			sched_plan_apply_sleeps();
		found = pick_by_policy(self);
	}
	if (found == CONTROL_NONE) {
		found = pick_when_none_ready(self, tries);
		sched.chosen_until = 0;
	}
	if (found == CONTROL_NONE)
		return found;
	count_staying(found);
	return set_outcome(found);
}
