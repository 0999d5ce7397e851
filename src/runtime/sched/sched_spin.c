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

static void start_spinning(struct sched_thread *t)
{
	t->spinning = true;
	sched.next_decision = 0;
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
			if (++spin->repeats >= sched.spin_rounds * used)
				start_spinning(t);
		} else {
			r->value = read->value;
			spin->repeats = spin->extensions = 0;
			t->spinning = false;
		}
		return;
	}
	spin->reads[spin->used++ % SCHED_READS] = *read;
	spin->repeats = spin->extensions = 0;
	t->spinning = false;
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

bool sched_spin_changed(const struct sched_thread *t)
{
	const struct sched_spin *spin = &t->spin;
	uint32_t used = spin->used < SCHED_READS ? spin->used : SCHED_READS;

	for (uint32_t i = 0; i < used; i++)
		if (current_value(&spin->reads[i]) != spin->reads[i].value)
			return true;
	return false;
}
