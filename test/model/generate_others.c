#include "generate.h"

#include <stddef.h>

static bool chance(struct machine *m, unsigned percent)
{
	return generate_random(m, 100) < percent;
}

/* ---- semaphores, barriers, once ----------------------------------------------------------- */

static const char *const semaphore_names[SEMAPHORES] = { "s", "t" };

/* Picks a semaphore. One that was destroyed has an unknown value: it is used by mistake. */
static int pick_semaphore(struct machine *m)
{
	return chance(m, 75) && (!m->object_ended[2] || m->abuses) ? 0 : 1;
}

static bool post(struct machine *m, int t)
{
	int s = pick_semaphore(m);
	bool asked = false;

	for (int i = 0; i < m->thread_count; i++)
		asked |= m->threads[i].doing == ASKING && m->threads[i].ask == ASK_DOWN;
	if (m->tidy && !asked)
		return false;
	m->semaphore[s]++;
	generate_line(m, t, "post(%s)", semaphore_names[s]);
	return true;
}

static bool down(struct machine *m, int t)
{
	int s = pick_semaphore(m);

	if (m->semaphore[s] <= 0) {
		if (m->groups & NOISE && chance(m, 15)) {
			generate_line(m, t, "down(%s)", semaphore_names[s]);
			return true;
		}
		generate_line(m, t, "sreq(%s)", semaphore_names[s]);
		generate_ask(m, t, ASK_DOWN, s);
		return true;
	}
	m->semaphore[s]--;
	generate_line(m, t, chance(m, 10) ? "down(%s)=timed" : "down(%s)", semaphore_names[s]);
	return true;
}

static bool try_down(struct machine *m, int t)
{
	int s = pick_semaphore(m);
	bool there = m->semaphore[s] > 0;

	if (chance(m, 20)) {
		generate_line(m, t, "trydown(%s)=timeout", semaphore_names[s]);
		return true;
	}
	m->semaphore[s] -= there;
	generate_line(m, t, "trydown(%s)=%d", semaphore_names[s], there);
	return true;
}

static bool arrive(struct machine *m, int t)
{
	if (m->tidy && !m->barrier_here)
		return false;
	generate_line(m, t, "barrier(b,%d)", m->barrier_size);
	m->threads[t].doing = MEETING;
	m->barrier_open[t] = false;
	if (++m->barrier_here < m->barrier_size)
		return true;
	m->barrier_here = 0;
	for (int i = 0; i < THREADS; i++)
		m->barrier_open[i] = true;
	return true;
}

static bool run_once(struct machine *m, int t)
{
	int o = chance(m, 75) ? 0 : 1;
	struct thread *thread = &m->threads[t];

	if (thread->once || thread->handler || m->once[o] == 1)
		/*
		 * not in a handler, and not if a handler interrupted it: it would not be ended
		 * there
		 */
		return false;
	if (m->once[o] == 2) {
		generate_line(m, t, "once(%s)", o ? "i" : "o");
		return true;
	}
	m->once[o] = 1;
	thread->once = o + 1;
	generate_line(m, t, "oncebegin(%s)", o ? "i" : "o");
	return true;
}

static bool end_once(struct machine *m, int t)
{
	struct thread *thread = &m->threads[t];

	if (!thread->once || thread->handler)
		return false;
	m->once[thread->once - 1] = 2;
	generate_line(m, t, "onceend(%s)", thread->once == 2 ? "i" : "o");
	thread->once = 0;
	return true;
}

/* ---- threads ------------------------------------------------------------------------------ */

static bool fork_thread(struct machine *m, int t)
{
	for (int i = 0; i < m->thread_count; i++) {
		struct thread *thread = &m->threads[i];

		if (thread->doing != ABSENT || thread->forked)
			continue;
		thread->forked = true;
		thread->doing = RUNNING;
		generate_line(m, t, "fork(T%d)", i);
		return true;
	}
	return false;
}

static bool join_thread(struct machine *m, int t)
{
	int i = (int)generate_random(m, (uint64_t)m->thread_count);
	struct thread *other = &m->threads[i];

	if (i == t || other->joined || !other->forked)
		return false;
	if (other->doing != GONE || chance(m, 15)) {
		if (other->doing != GONE && !chance(m, 40))
			return false;
		generate_line(m, t, "jreq(T%d)", i);
		generate_ask(m, t, ASK_JOIN, i);
		other->joined = true;
		return true;
	}
	other->joined = true;
	generate_line(m, t, "join(T%d)", i);
	return true;
}

static bool end_thread(struct machine *m, int t)
{
	struct thread *thread = &m->threads[t];

	for (int lock = 0; lock < LOCK_COUNT; lock++) {
		if ((thread->depth[lock] || thread->reads[lock]) && !chance(m, 3))
			return false;
	}
	if (thread->once || thread->handler || (!m->tidy && !chance(m, 25)))
		return false;
	thread->doing = GONE;
	if (thread->has_begin)
		generate_line(m, t, "end");
	return true;
}

bool generate_resume(struct machine *m, int t)
{
	struct thread *thread = &m->threads[t];
	int what = thread->what;

	if (thread->doing == WAITING)
		return generate_resume_wait(m, t);
	if (thread->doing == MEETING && m->barrier_open[t]) {
		generate_line(m, t, chance(m, 30) ? "passed(b)=serial" : "passed(b)");
	} else if (thread->doing != ASKING) {
		return false;
	} else if (thread->ask == ASK_DOWN) {
		if (m->semaphore[what] <= 0)
			return false;
		m->semaphore[what]--;
		generate_line(m, t, "down(%s)", semaphore_names[what]);
	} else if (thread->ask == ASK_JOIN) {
		if (m->threads[what].doing != GONE)
			return false;
		generate_line(m, t, "join(T%d)", what);
	} else {
		return generate_resume_lock(m, t);
	}
	thread->doing = RUNNING;
	return true;
}

const struct operation generate_others[] = {
	{ SEMAPHORAL, 6, true, post },
	{ SEMAPHORAL, 6, false, down },
	{ SEMAPHORAL, 3, false, try_down },
	{ BARRIERS, 5, true, arrive },
	{ ONCES, 5, false, run_once },
	{ ONCES, 4, true, end_once },
	{ FORKS, 6, false, fork_thread },
	{ FORKS, 5, true, join_thread },
	{ MEMORY | MUTEXES | RWLOCKS | FORKS | SEMAPHORAL, 3, true, end_thread },
	{ 0, 0, false, NULL },
};
