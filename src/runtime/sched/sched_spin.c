/*
 * Detects spinning. A thread that reads the same values at the same sites again and again, and does
 * nothing else, waits for another thread to change one of them. Since one thread runs at a time, it
 * would wait forever, and a search would try each round as a schedule of its own. So it is blocked
 * until one of the values that it read has changed.
 *
 * The reads are kept in a small ring. A read that is not in the ring is progress, and so is any
 * other step, except for those that change nothing: a failed try, an exchange that leaves the value
 * as it was (a lock made of an atomic flag), a write of the value that is already there (without
 * optimisation, an atomic load goes through a temporary variable). A thread that holds a lock is
 * not blocked, since others may wait for that lock. It lets others go first, as if it yielded.
 *
 * But perhaps the thread does not wait at all: a loop over a hundred elements may read the same
 * values in each round. So it is only delayed. When the other threads have done a number of steps,
 * or a number of sleeps and timeouts have ended, it gets the turn for another few rounds, for twice
 * as many each time. Otherwise a thread that works and sleeps, forever, would starve it. What
 * counts is the same in each run, so this decision is like any other.
 */
#include "runtime/sched/sched_state.h"

#define ROUNDS 40u
#define ROUNDS_SOON 3u

static uint64_t current_value(const struct sched_read *r)
{
	return r->size ? sched_value(r->address, r->size)
		       : sched_object(sched_object_find(r->address))->version;
}

void sched_spin_start(void)
{
	sched.spin_rounds = sched.control->options & CONTROL_SPIN_SOON ? ROUNDS_SOON : ROUNDS;
	sched.spin_due_steps = sched.spin_due_timeouts = UINT64_MAX;
}

/*
 * How often a spinning thread may continue for another round of repeats before stops and rules are
 * given up. A spin may end after some time. A thread that only yields, as far as we see, may wait
 * for code that is not instrumented, so it may continue much more often.
 */
#define EXTENSIONS 5u
#define EXTENSIONS_YIELDING 1000u

static bool only_yields(const struct sched_spin *spin)
{
	uint32_t used = spin->used < SCHED_READS ? spin->used : SCHED_READS;

	for (uint32_t i = 0; i < used; i++)
		if (spin->reads[i].repeated && (spin->reads[i].size || spin->reads[i].address))
			return false;
	return true;
}

bool sched_spin_extend(struct sched_thread *t, bool always)
{
	struct sched_spin *spin = &t->spin;
	uint32_t most = only_yields(spin) ? EXTENSIONS_YIELDING : EXTENSIONS;

	if (!always && spin->extensions >= most)
		return false;
	spin->extensions++;
	spin->repeats = 0;
	t->spinning = false;
	return true;
}

/* ---- getting the turn again ------------------------------------------------------------------ */

/* What others do while a spinning thread is blocked: so many steps, or so many timeouts. */
#define STEPS_OF_OTHERS 20000u
#define TIMEOUTS_OF_OTHERS 16u
#define TURNS_THAT_DOUBLE 6u

static void expect_due(const struct sched_thread *t)
{
	uint64_t steps = t->spin.since_steps + STEPS_OF_OTHERS,
		 timeouts = t->spin.since_timeouts + TIMEOUTS_OF_OTHERS;

	if (steps < sched.spin_due_steps)
		sched.spin_due_steps = steps;
	if (timeouts < sched.spin_due_timeouts)
		sched.spin_due_timeouts = timeouts;
}

bool sched_spin_is_due(const struct sched_thread *t)
{
	return t->spinning && (sched.control->steps - t->spin.since_steps >= STEPS_OF_OTHERS ||
			       sched.timeouts - t->spin.since_timeouts >= TIMEOUTS_OF_OTHERS);
}

bool sched_spin_any_due(void)
{
	if (sched.control->steps < sched.spin_due_steps && sched.timeouts < sched.spin_due_timeouts)
		return false;
	sched.spin_due_steps = sched.spin_due_timeouts = UINT64_MAX;
	for (uint32_t i = 0; i < sched.top; i++)
		if (sched_threads[i].spinning)
			expect_due(&sched_threads[i]);
	return sched.control->steps >= sched.spin_due_steps ||
	       sched.timeouts >= sched.spin_due_timeouts;
}

void sched_spin_give_turn(struct sched_thread *t)
{
	t->spin.turns++;
	t->spin.repeats = 0;
	t->spinning = false;
}

static uint32_t rounds_of(const struct sched_spin *spin)
{
	return sched.spin_rounds << (spin->turns < TURNS_THAT_DOUBLE ? spin->turns
								     : TURNS_THAT_DOUBLE);
}

static void start_spinning(struct sched_thread *t)
{
	sched.next_decision = 0;
	if (t->spinning)
		return;
	t->spinning = true;
	t->spin.since_steps = sched.control->steps;
	t->spin.since_timeouts = sched.timeouts;
	expect_due(t);
}

/* ---- reads ----------------------------------------------------------------------------------- */

static void forget_rounds(struct sched_thread *t)
{
	t->spin.repeats = t->spin.extensions = t->spin.turns = 0;
	t->spinning = false;
}

static void remember_read(struct sched_thread *t, const struct sched_read *read)
{
	struct sched_spin *spin = &t->spin;
	uint32_t used = spin->used < SCHED_READS ? spin->used : SCHED_READS;

	for (uint32_t i = 0; i < used; i++) {
		struct sched_read *r = &spin->reads[i];
		if (r->address != read->address || r->site != read->site || r->size != read->size)
			continue;
		if (r->value == read->value) {
			r->repeated = true;
			if (++spin->repeats >= rounds_of(spin) * used)
				start_spinning(t);
		} else {
			r->value = read->value;
			forget_rounds(t);
		}
		return;
	}
	spin->reads[spin->used++ % SCHED_READS] = *read;
	forget_rounds(t);
}

void sched_spin_remember(struct sched_thread *t, uint64_t address, uint32_t size, uint64_t value,
			 uint64_t site)
{
	remember_read(t, &(struct sched_read){ address, site, value, size < 8 ? size : 8, false });
}

void sched_spin_try(struct sched_thread *t, uint64_t object, uint64_t site)
{
	struct sched_read r = { .address = object, .site = site };

	r.value = current_value(&r);
	remember_read(t, &r);
}

/*
 * Only what the thread has read again and again can end its loop. What it read once, before the
 * loop, may have been changed by its own code that is not instrumented.
 */
bool sched_spin_changed(const struct sched_thread *t)
{
	const struct sched_spin *spin = &t->spin;
	uint32_t used = spin->used < SCHED_READS ? spin->used : SCHED_READS;

	for (uint32_t i = 0; i < used; i++)
		if (spin->reads[i].repeated &&
		    current_value(&spin->reads[i]) != spin->reads[i].value)
			return true;
	return false;
}
