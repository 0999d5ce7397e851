/*
 * Deadlocks: finds cycles of threads that wait for each other, handles runs in which no thread is
 * ready, and writes for the tool what each thread waits for.
 */
#include "runtime/sched/sched_state.h"

/* How many steps the other threads may do before a cycle that they could end is a deadlock. */
#define CYCLE_STEPS 100000

/* ---- cycles ---------------------------------------------------------------------------------- */

/*
 * May a cancellation end the thread's wait? A join is a cancellation point, so a join in a program
 * that cancels threads may not wait forever. A lock is not a cancellation point.
 */
static bool may_be_cancelled(const struct sched_thread *t)
{
	return t->cancelled || (t->op.kind == EV_JOIN && sched.may_cancel);
}

/* A depth-first search along waits-for edges: does it lead back to the thread `start`? */
struct sched_stuck_search {
	uint32_t start;
	uint64_t visited[SCHED_WORDS];
	uint64_t in_cycle[SCHED_WORDS];
};
static struct sched_stuck_search search; /* one search at a time; too large for a thread's stack */

static bool leads_back(uint32_t i, void *data)
{
	struct sched_stuck_search *s = data;
	const struct sched_thread *t = &sched_threads[i];

	if (i == s->start)
		return true;
	if (i >= CONTROL_THREADS || sched_set_has(s->visited, i))
		return false;
	sched_set_add(s->visited, i);
	/* Only a thread that waits forever continues the path. */
	if (t->state != SCHED_PENDING || t->op.pause || t->op.how != EVENT_PLAIN ||
	    sched_object_enabled(t) || may_be_cancelled(t))
		return false;
	if (!sched_object_visit_owners(t, leads_back, s))
		return false;
	sched_set_add(s->in_cycle, i);
	return true;
}

bool sched_stuck_cycle(const struct sched_thread *t)
{
	if (t->op.how != EVENT_PLAIN || t->op.pause || may_be_cancelled(t))
		return false;
	search.start = sched_number(t);
	for (uint32_t word = 0; word * 64 < sched.top; word++)
		search.visited[word] = search.in_cycle[word] = 0;
	return sched_object_visit_owners(t, leads_back, &search);
}

/* ---- the report of blocked threads ----------------------------------------------------------- */

static bool first_owner(uint32_t owner, void *data)
{
	*(uint32_t *)data = owner;
	return true;
}

static enum control_blocked_how how_blocked(const struct sched_thread *t, uint32_t *owner)
{
	*owner = CONTROL_NONE;
	if (t->state == SCHED_OUTSIDE)
		return CONTROL_BY_CALL;
	if (t->state != SCHED_PENDING || t->op.pause)
		return CONTROL_BY_NOTHING;
	if (!sched_object_enabled(t))
		return sched_object_visit_owners(t, first_owner, owner) ? CONTROL_BY_OWNER
									: CONTROL_BY_NOBODY;
	return t->spinning && !t->locks_held && !sched_spin_changed(t) ? CONTROL_BY_SPIN
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
		if (t->state != SCHED_PENDING && t->state != SCHED_OUTSIDE &&
		    t->state != SCHED_RETURNED)
			continue;
		struct control_blocked *b = &blocked[count++];
		*b = (struct control_blocked){
			.thread = i,
			.step = t->step,
			.kind = t->op.kind,
			.address = t->op.object,
			.site = t->op.site,
			.other = t->op.kind == EV_WOKEN ? t->op.other : 0,
			.flags = t->op.how == EVENT_TRY	    ? CONTROL_EVENT_TRY
				 : t->op.how == EVENT_TIMED ? CONTROL_EVENT_TIMED
							    : 0,
		};
		b->how = how_blocked(t, &b->owner);
		b->in_cycle = in_cycle && (t == in_cycle || sched_set_has(search.in_cycle, i));
	}
	control->blocked_count = count;
}

/* ---- no thread is ready ---------------------------------------------------------------------- */

/* Can only its owner release what the thread waits for? */
static bool waits_for_owner(const struct sched_thread *t)
{
	switch (t->op.kind) {
	case EV_ACQUIRE:
	case EV_WOKEN:
		return t->op.lock & SCHED_LOCK_ROBUST || t->op.lock == EVENT_LOCK_ERRORCHECK ||
		       t->op.lock == EVENT_LOCK_RECURSIVE;
	case EV_READ_ACQUIRE: return false;
	default: return true;
	}
}

/*
 * May a thread that is not in the cycle end it? The library lets any thread unlock a mutex that
 * does not check its owner. That is misuse, but no deadlock.
 */
static bool may_be_ended(const struct sched_thread *start)
{
	bool checked = true, alone = true;

	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t == start || sched_set_has(search.in_cycle, i))
			checked = checked && waits_for_owner(t);
		else if (t->state != SCHED_ENDED)
			alone = false;
	}
	return !checked && !alone;
}

static void end_by_cycle(const struct sched_thread *t)
{
	sched_stuck_write_blocked(t);
	sched_end_run(CONTROL_DEADLOCK, "", 0);
}

void sched_stuck_deadlock(const struct sched_thread *t)
{
	if (!(sched.control->options & CONTROL_END_STUCK))
		return;
	if (!may_be_ended(t))
		end_by_cycle(t);
	if (!sched.cycle_until)
		sched.cycle_until = sched.control->steps + CYCLE_STEPS;
}

void sched_stuck_end_cycle(void)
{
	if (!sched.cycle_until)
		return;
	sched.cycle_until = 0;
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->state == SCHED_PENDING && !sched_is_always_enabled(&t->op) &&
		    !sched_object_enabled(t) && sched_stuck_cycle(t))
			end_by_cycle(t);
	}
}

/*
 * May a handler, a timer or another process wake a thread? Another process can post a semaphore in
 * shared memory (glibc marks such a semaphore in its third word).
 */
static bool may_be_woken(void)
{
	if (sched.outside_wakeups)
		return true;
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->state == SCHED_PENDING && t->op.kind == EV_DOWN &&
		    ((const uint32_t *)t->op.other)[2])
			return true;
	}
	return false;
}

/*
 * Do all pending threads wait for something that only another thread can do? False if one of them
 * waits for time, for the plan, or for a value that it polls.
 */
static bool all_wait_for_threads(void)
{
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->state == SCHED_PENDING && (t->op.pause || t->op.how != EVENT_PLAIN ||
						  t->spinning || sched_object_enabled(t)))
			return false;
	}
	return sched.unconstrained && !sched_any_uncertain();
}

/*
 * If all waiting threads wait for other threads, they need not look around: a thread that comes
 * back claims the turn by itself.
 */
void sched_stuck_some_outside(void)
{
	sched_stuck_end_cycle();
	if (sched.control->options & CONTROL_END_STUCK)
		sched_outside_check_hung();
	else
		sched.left_stuck = !may_be_woken() && all_wait_for_threads();
}

void sched_expect_outside_wakeups(void)
{
	sched.outside_wakeups = true;
}

void sched_mark_unordered(void)
{
	if (sched.control)
		sched.control->unordered = 1;
}

void sched_stuck_all_blocked(void)
{
	if (!(sched.control->options & CONTROL_END_STUCK)) {
		sched.left_stuck =
			/*
			 * a handler, timer or process does not notify us: waiting threads must look
			 * around
			 */
			!may_be_woken();
		return;
	}
	sched_stuck_end_cycle();
	if (may_be_woken()) {
		sched_outside_check_hung();
		return;
	}
	sched_stuck_write_blocked(NULL);
	sched_end_run(CONTROL_STUCK, "", 0);
}
