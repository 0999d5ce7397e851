#include "generate.h"

#include <stddef.h>

static bool chance(struct machine *m, unsigned percent)
{
	return generate_random(m, 100) < percent;
}

/* ---- locks -------------------------------------------------------------------------------- */

static const char *const lock_names[LOCK_COUNT] = { "l", "m", "n", "R", "S", "T", "h" };

static bool is_rw(int lock)
{
	return lock >= LOCKS && lock < 2 * LOCKS;
}

/* Picks a lock of the trace; the mutex in the heap block only while the block exists. */
static int pick_lock(struct machine *m, bool rw)
{
	int lock = (int)generate_random(m, (uint64_t)m->lock_count) + (rw ? LOCKS : 0);

	return !rw && m->groups & HEAP && m->block_live && chance(m, 25) ? HEAP_LOCK : lock;
}

static bool is_held(const struct machine *m, int lock, int besides, bool readers)
{
	for (int t = 0; t < m->thread_count; t++) {
		if (t != besides &&
		    (m->threads[t].depth[lock] || (readers && m->threads[t].reads[lock])))
			return true;
	}
	return false;
}

bool generate_lock_is_used(const struct machine *m, int lock)
{
	for (int t = 0; t < m->thread_count; t++) {
		const struct thread *thread = &m->threads[t];

		if ((thread->doing == ASKING && thread->ask != ASK_DOWN && thread->what == lock) ||
		    (thread->doing == WAITING && thread->mutex == lock))
			return true;
	}
	return is_held(m, lock, -1, true);
}

bool generate_lock_is_held(const struct machine *m, int lock)
{
	return is_held(m, lock, -1, true);
}

/* May the thread acquire the lock? A thread that holds it as a reader must not request it. */
static bool has_way(const struct machine *m, int t, int lock)
{
	const struct thread *thread = &m->threads[t];

	return !thread->reads[lock] &&
	       (!thread->depth[lock] || (m->recursive[lock] && !thread->handler));
}

void generate_ask(struct machine *m, int t, enum ask what, int which)
{
	m->threads[t].doing = ASKING;
	m->threads[t].ask = what;
	m->threads[t].what = which;
}

static bool do_lock(struct machine *m, int t, int lock)
{
	struct thread *thread = &m->threads[t];
	bool normal_self = thread->depth[lock] && !m->recursive[lock] && !is_rw(lock);

	if (normal_self && chance(m, 6)) {
		generate_line(m, t, "req(%s)", lock_names[lock]);
		/* blocked for ever: the thread waits for itself */
		generate_ask(m, t, ASK_LOCK, lock);
		return true;
	}
	if (!has_way(m, t, lock))
		return false;
	if (is_held(m, lock, t, true) || chance(m, 5)) {
		generate_line(m, t, "req(%s)", lock_names[lock]);
		generate_ask(m, t, ASK_LOCK, lock);
		return true;
	}
	thread->depth[lock]++;
	generate_line(m, t, chance(m, 10) ? "acq(%s)=timed" : "acq(%s)", lock_names[lock]);
	return true;
}

static bool lock_mutex(struct machine *m, int t)
{
	return do_lock(m, t, pick_lock(m, false));
}

static bool lock_write(struct machine *m, int t)
{
	return do_lock(m, t, pick_lock(m, true));
}

static bool lock_read(struct machine *m, int t)
{
	int lock = pick_lock(m, true);
	struct thread *thread = &m->threads[t];

	if (thread->depth[lock])
		return false;
	if (is_held(m, lock, t, false)) {
		generate_line(m, t, "rreq(%s)", lock_names[lock]);
		generate_ask(m, t, ASK_READ, lock);
		return true;
	}
	thread->reads[lock]++;
	generate_line(m, t, chance(m, 10) ? "racq(%s)=timed" : "racq(%s)", lock_names[lock]);
	return true;
}

static bool do_unlock(struct machine *m, int t, int lock)
{
	struct thread *thread = &m->threads[t];

	if (thread->depth[lock]) {
		thread->depth[lock]--;
		generate_line(m, t, "rel(%s)", lock_names[lock]);
		return true;
	}
	if (thread->reads[lock]) {
		thread->reads[lock]--;
		generate_line(m, t, "rrel(%s)", lock_names[lock]);
		return true;
	}
	if (m->groups & NOISE && chance(m, 10)) {
		generate_line(m, t, "rel(%s)", lock_names[lock]);
		return true;
	}
	return false;
}

static bool unlock(struct machine *m, int t)
{
	int from = (int)generate_random(m, LOCK_COUNT);

	for (int i = 0; i < LOCK_COUNT; i++) {
		int lock = (from + i) % LOCK_COUNT;

		if (m->threads[t].depth[lock] || m->threads[t].reads[lock])
			return do_unlock(m, t, lock);
	}
	return m->groups & NOISE && do_unlock(m, t, from % LOCKS);
}

static bool try_lock(struct machine *m, int t)
{
	int lock = pick_lock(m, m->groups & RWLOCKS && (!(m->groups & MUTEXES) || chance(m, 50)));
	struct thread *thread = &m->threads[t];
	bool busy = is_held(m, lock, -1, true);

	if (chance(m, 20) && !thread->depth[lock]) {
		generate_line(m, t, "tryacq(%s)=timeout", lock_names[lock]);
		return true;
	}
	if (thread->depth[lock] && m->recursive[lock] && !thread->handler)
		busy = false;
	if (m->groups & NOISE && chance(m, 15))
		busy = true;
	if (!busy)
		thread->depth[lock]++;
	generate_line(m, t, "tryacq(%s)=%d", lock_names[lock], !busy);
	return true;
}

static bool try_read(struct machine *m, int t)
{
	int lock = pick_lock(m, true);
	bool busy = is_held(m, lock, -1, false);

	if (chance(m, 15)) {
		generate_line(m, t, "tryracq(%s)=timeout", lock_names[lock]);
		return true;
	}
	if (!busy)
		m->threads[t].reads[lock]++;
	generate_line(m, t, "tryracq(%s)=%d", lock_names[lock], !busy);
	return true;
}

/* Initialises a mutex, or starts its new lifetime, while no thread uses it. */
static bool init_lock(struct machine *m, int t)
{
	int lock = pick_lock(m, false);

	if (!chance(m, 15) || generate_lock_is_used(m, lock))
		return false;
	generate_line(m, t, "init(%s)=%s", lock_names[lock],
		      m->recursive[lock] ? "recursive" : "normal");
	return true;
}

/* Acquires the requested lock, if it is free now. */
bool generate_resume_lock(struct machine *m, int t)
{
	struct thread *thread = &m->threads[t];
	int lock = thread->what;

	if (thread->ask == ASK_READ) {
		if (is_held(m, lock, -1, false))
			return false;
		thread->reads[lock]++;
		generate_line(m, t, "racq(%s)", lock_names[lock]);
	} else {
		if (is_held(m, lock, t, true) || !has_way(m, t, lock))
			return false;
		thread->depth[lock]++;
		generate_line(m, t, "acq(%s)", lock_names[lock]);
	}
	thread->doing = RUNNING;
	return true;
}

/* ---- conditions --------------------------------------------------------------------------- */

static bool wait(struct machine *m, int t)
{
	struct thread *thread = &m->threads[t];
	int from = (int)generate_random(m, LOCKS), lock = -1;

	for (int i = 0; i < LOCKS; i++) {
		if (thread->depth[(from + i) % LOCKS])
			lock = (from + i) % LOCKS;
	}
	if (lock < 0)
		return lock_mutex(m, t); /* a wait needs a locked mutex first */
	thread->doing = WAITING;
	thread->what = chance(m, 85) ? 0 : 1;
	thread->mutex = lock;
	thread->saved = thread->depth[lock];
	thread->depth[lock] = 0;
	thread->timed = chance(m, 20);
	thread->woken = false;
	generate_line(m, t, thread->timed ? "wait(%s,%s)=timed" : "wait(%s,%s)",
		      thread->what ? "d" : "c", lock_names[lock]);
	return true;
}

static bool somebody_waits(const struct machine *m)
{
	for (int t = 0; t < m->thread_count; t++) {
		if (m->threads[t].doing == WAITING && !m->threads[t].woken)
			return true;
	}
	return false;
}

static bool signal_one(struct machine *m, int t)
{
	int condition = chance(m, 85) ? 0 : 1, from = (int)generate_random(m, THREADS);

	if ((m->tidy || chance(m, 50)) && !somebody_waits(m))
		return false;
	for (int i = 0; i < THREADS; i++) {
		struct thread *thread = &m->threads[(from + i) % THREADS];

		if (thread->doing == WAITING && thread->what == condition && !thread->woken) {
			thread->woken = true;
			break;
		}
	}
	generate_line(m, t, "notify(%s)", condition ? "d" : "c");
	return true;
}

static bool broadcast(struct machine *m, int t)
{
	int condition = chance(m, 85) ? 0 : 1;

	if (!chance(m, 50))
		return false;
	for (int i = 0; i < THREADS; i++) {
		if (m->threads[i].doing == WAITING && m->threads[i].what == condition)
			m->threads[i].woken = true;
	}
	generate_line(m, t, "notifyall(%s)", condition ? "d" : "c");
	return true;
}

/* Ends a wait: woken, or timed out. */
bool generate_resume_wait(struct machine *m, int t)
{
	struct thread *thread = &m->threads[t];
	bool late = thread->timed && !thread->woken && chance(m, 30);
	const char *condition = thread->what ? "d" : "c";

	if (is_held(m, thread->mutex, t, true))
		return false;
	if (m->groups & NOISE && chance(m, 10))
		thread->woken = true;
	if (!thread->woken && !late)
		return false;
	thread->depth[thread->mutex] = thread->saved;
	thread->doing = RUNNING;
	generate_line(m, t, late ? "woken(%s,%s)=timeout" : "woken(%s,%s)", condition,
		      lock_names[thread->mutex]);
	return true;
}

const struct operation generate_locks[] = {
	{ MUTEXES, 9, false, lock_mutex },
	{ MUTEXES | RWLOCKS, 6, true, unlock },
	{ MUTEXES | RWLOCKS, 2, false, try_lock },
	{ MUTEXES, 1, false, init_lock },
	{ RWLOCKS, 4, false, lock_write },
	{ RWLOCKS, 6, false, lock_read },
	{ RWLOCKS, 2, false, try_read },
	{ CONDITIONALS, 7, false, wait },
	{ CONDITIONALS, 7, true, signal_one },
	{ CONDITIONALS, 3, false, broadcast },
	{ 0, 0, false, NULL },
};
