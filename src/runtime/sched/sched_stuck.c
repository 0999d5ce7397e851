/*
 * Threads that wait for each other, and runs in which nobody can go on: what the tool is told.
 */
#include "runtime/sched/sched_state.h"

/* ---- cycles ------------------------------------------------------------------------------------ */

/* A join that may be cancelled is none to wait in for ever; a lock is no cancellation point. */
static bool may_be_cancelled(const struct sched_thread *t)
{
	return t->cancelled || (t->want.kind == EV_JOIN && sched.may_cancel);
}

/* Does following who waits for whom lead from a thread back to `start`? */
struct sched_stuck_search {
	uint32_t start;
	uint64_t visited[SCHED_WORDS];
	uint64_t in_cycle[SCHED_WORDS];
};
static struct sched_stuck_search search; /* one at a time, and too large for a thread's stack */

static bool test(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> i % 64 & 1;
}

static bool leads_back(uint32_t i, void *data)
{
	struct sched_stuck_search *s = data;
	const struct sched_thread *t = &sched_threads[i];

	if (i == s->start)
		return true;
	if (i >= CONTROL_THREADS || test(s->visited, i))
		return false;
	s->visited[i / 64] |= 1ull << i % 64;
	/* Only who waits for ever is a link: not who could go on, or whose time may be over. */
	if (t->where != SCHED_STANDS || t->want.pause || t->want.how != EVENT_PLAIN ||
	    sched_object_can(t) || may_be_cancelled(t))
		return false;
	if (!sched_object_owners(t, leads_back, s))
		return false;
	s->in_cycle[i / 64] |= 1ull << i % 64;
	return true;
}

bool sched_stuck_cycle(const struct sched_thread *t)
{
	if (t->want.how != EVENT_PLAIN || t->want.pause || may_be_cancelled(t))
		return false;
	search.start = sched_number(t);
	for (uint32_t word = 0; word * 64 < sched.top; word++)
		search.visited[word] = search.in_cycle[word] = 0;
	return sched_object_owners(t, leads_back, &search);
}

/* ---- what is written down ------------------------------------------------------------------------ */

static bool first_owner(uint32_t owner, void *data)
{
	*(uint32_t *)data = owner;
	return true;
}

static enum control_blocked_how how_blocked(const struct sched_thread *t, uint32_t *owner)
{
	*owner = CONTROL_NONE;
	if (t->where == SCHED_OUTSIDE)
		return CONTROL_BY_CALL;
	if (t->where != SCHED_STANDS)
		return CONTROL_BY_NOTHING;
	if (t->want.pause)
		return CONTROL_BY_NOTHING;
	if (!sched_object_can(t))
		return sched_object_owners(t, first_owner, owner) ? CONTROL_BY_OWNER
								  : CONTROL_BY_NOBODY;
	return t->spins && !t->held && !sched_spin_changed(t) ? CONTROL_BY_SPIN
							      : CONTROL_BY_NOTHING;
}

void sched_stuck_write_blocked(const struct sched_thread *in_cycle)
{
	struct control *control = sched.control;
	uint32_t count = 0;

	if (!control->blocked_at)
		return;
	struct control_blocked *blocked = (void *)((char *)control + control->blocked_at);
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->where != SCHED_STANDS && t->where != SCHED_OUTSIDE && t->where != SCHED_BACK)
			continue;
		struct control_blocked *b = &blocked[count++];
		*b = (struct control_blocked){
			.thread = i,
			.step = t->step,
			.kind = t->want.kind,
			.address = t->want.object,
			.site = t->want.site,
			.other = t->want.kind == EV_WOKEN ? t->want.other : 0,
			.flags = t->want.how == EVENT_TRY     ? CONTROL_EVENT_TRY
				 : t->want.how == EVENT_TIMED ? CONTROL_EVENT_TIMED
							      : 0,
		};
		b->how = how_blocked(t, &b->owner);
		b->in_cycle = in_cycle && (t == in_cycle || test(search.in_cycle, i));
	}
	control->blocked_count = count;
}

/* ---- the end ----------------------------------------------------------------------------------------- */

void sched_stuck_deadlock(const struct sched_thread *t)
{
	if (!(sched.control->options & CONTROL_END_STUCK))
		return;
	sched_stuck_write_blocked(t);
	sched_end_run(CONTROL_DEADLOCK, "", 0);
}

/* May another process change what somebody waits for? A semaphore in memory that is shared. */
static bool may_change(void)
{
	if (sched.others_expected)
		return true;
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->where == SCHED_STANDS && t->want.kind == EV_DOWN &&
		    ((const uint32_t *)t->want.object)[2])
			return true;
	}
	return false;
}

/*
 * Does everybody who stands wait for what only another thread can do? Not for time, not for a plan, not
 * for a value that it looks at again and again.
 */
static bool all_need_others(void)
{
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->where == SCHED_STANDS && (t->want.pause || t->want.how != EVENT_PLAIN ||
						 t->spins || sched_object_can(t)))
			return false;
	}
	return sched.plain && !sched_any_unseen();
}

/* Who comes back from outside takes the turn by itself: nobody has to look for that. */
void sched_stuck_behind_others(void)
{
	if (sched.control->options & CONTROL_END_STUCK)
		sched_outside_nobody();
	else
		sched.stuck = !may_change() && all_need_others();
}

void sched_expect_others(void)
{
	sched.others_expected = true;
}

void sched_disordered(void)
{
	if (sched.control)
		sched.control->unordered = 1;
}

void sched_stuck_nobody(void)
{
	if (!(sched.control->options & CONTROL_END_STUCK)) {
		sched.stuck =
			!may_change(); /* else it is looked again: nobody tells of what others do */
		return;
	}
	if (may_change()) {
		sched_outside_nobody();
		return;
	}
	sched_stuck_write_blocked(NULL);
	sched_end_run(CONTROL_STUCK, "", 0);
}
