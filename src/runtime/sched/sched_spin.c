/*
 * Spinning. A thread that reads the same values at the same sites again and again, and does nothing
 * else, waits for somebody to change one of them; since one thread runs at a time it would wait for
 * ever, and a search would try each round as a schedule of its own. So it is blocked until something
 * that it read is different.
 *
 * Reads are remembered in a small ring. A read that is not in it is progress, and so is any other
 * step, but for those that change nothing: a try that fails, an exchange that leaves the value as it
 * was (a lock made of an atomic flag), a write of what is there already (without optimisation an
 * atomic load goes through a variable of its own). Whoever holds a lock is not blocked, since others may wait for
 * that lock; it lets the others go first, as if it had yielded.
 */
#include "runtime/sched/sched_state.h"

#define ROUNDS 40u
#define ROUNDS_SOON 3u

static uint64_t now(const struct sched_read *r)
{
	return r->size ? sched_value(r->address, r->size)
		       : sched_object(sched_object_find(r->address))->version;
}

void sched_spin_start(void)
{
	sched.spin_rounds = sched.control->options & CONTROL_SPIN_SOON ? ROUNDS_SOON : ROUNDS;
}

/*
 * A spin may end by time, and one that we see only the yields of may wait for code that is not
 * instrumented: those are let go on for much longer before anything is given up for them.
 */
#define INDULGENCE 5u
#define INDULGENCE_YIELD 1000u

static bool only_yields(const struct sched_spin *spin)
{
	uint32_t used = spin->used < SCHED_READS ? spin->used : SCHED_READS;

	for (uint32_t i = 0; i < used; i++)
		if (spin->reads[i].again && (spin->reads[i].size || spin->reads[i].address))
			return false;
	return true;
}

bool sched_spin_indulge(struct sched_thread *t, bool always)
{
	struct sched_spin *spin = &t->spin;
	uint32_t most = only_yields(spin) ? INDULGENCE_YIELD : INDULGENCE;

	if (!always && spin->indulged >= most)
		return false;
	spin->indulged++;
	spin->repeats = 0;
	t->spins = false;
	return true;
}

static void start_spinning(struct sched_thread *t)
{
	t->spins = true;
	sched.straight_until = 0;
}

static void note(struct sched_thread *t, const struct sched_read *read)
{
	struct sched_spin *spin = &t->spin;
	uint32_t used = spin->used < SCHED_READS ? spin->used : SCHED_READS;

	for (uint32_t i = 0; i < used; i++) {
		struct sched_read *r = &spin->reads[i];
		if (r->address != read->address || r->site != read->site || r->size != read->size)
			continue;
		if (r->value == read->value) {
			r->again = true;
			if (++spin->repeats >= sched.spin_rounds * used)
				start_spinning(t);
		} else {
			r->value = read->value;
			spin->repeats = spin->indulged = 0;
			t->spins = false;
		}
		return;
	}
	spin->reads[spin->used++ % SCHED_READS] = *read;
	spin->repeats = spin->indulged = 0;
	t->spins = false;
}

void sched_spin_note(struct sched_thread *t, uint64_t address, uint32_t size, uint64_t value,
		     uint64_t site)
{
	note(t, &(struct sched_read){ address, site, value, size < 8 ? size : 8, false });
}

void sched_spin_try(struct sched_thread *t, uint64_t object, uint64_t site)
{
	struct sched_read r = { .address = object, .site = site };

	r.value = now(&r);
	note(t, &r);
}

bool sched_spin_changed(const struct sched_thread *t)
{
	const struct sched_spin *spin = &t->spin;
	uint32_t used = spin->used < SCHED_READS ? spin->used : SCHED_READS;

	for (uint32_t i = 0; i < used; i++)
		if (now(&spin->reads[i]) != spin->reads[i].value)
			return true;
	return false;
}
