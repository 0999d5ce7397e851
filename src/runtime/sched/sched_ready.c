/*
 * The set of pending threads, and which of them are ready.
 *
 * A search makes a thousand decisions in a run, and there may be a hundred threads: checking each
 * thread at every decision took two thirds of a run. So each pending thread is in one of these
 * sets:
 * - `known_ready`: its operation is always enabled (an access, for example), or it is a contender
 *   of a free lock.
 * - blocked: it was checked and waits for a change of one object. It is in the list of that object,
 *   and a change of the object moves it to `to_check`.
 * - contenders of a lock: it wants to acquire a plain lock. All contenders become known_ready when
 *   the lock is released, and stop being known_ready when the lock is acquired.
 * - `to_check`: it is checked at each decision.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/server/per_run.h"

static bool is_always_ready(const struct sched_thread *t)
{
	return sched_is_always_enabled(&t->op) && !t->stopped && !t->asleep && !t->spinning &&
	       t->step < t->hold;
}

/* ---- contenders of a lock -------------------------------------------------------------------- */

/* Few locks are contended at a time. If there is no room, contenders go to `to_check`. */
#define CONTENDER_SETS 32u
static struct contenders {
	uint64_t members[SCHED_WORDS];
	uint32_t count;
	bool lock_free;
} contender_sets[CONTENDER_SETS];
PER_RUN static uint32_t contender_sets_used; /* a bit for each set */

static bool is_lock_free(const struct sched_object *o)
{
	return !o->owner && !o->readers;
}

/* Is the thread ready if and only if the lock is free? */
static bool is_contender(const struct sched_thread *t)
{
	return t->op.kind == EV_ACQUIRE && t->op.how == EVENT_PLAIN &&
	       !(t->op.lock & SCHED_LOCK_ROBUST) && sched_is_allowed(t) && !t->spinning &&
	       !t->cancelled && !sched.control->choice_count &&
	       sched_object(t->object)->owner != sched_number(t) + 1;
}

static bool join_contenders(struct sched_thread *t)
{
	struct sched_object *o = sched_object(t->object);

	if (!o->contenders) {
		if (contender_sets_used == UINT32_MAX)
			return false;
		o->contenders = (uint32_t)__builtin_ctz(~contender_sets_used) + 1;
		contender_sets_used |= 1u << (o->contenders - 1);
		contender_sets[o->contenders - 1].lock_free = is_lock_free(o);
	}
	struct contenders *contenders = &contender_sets[o->contenders - 1];
	contenders->count++;
	sched_set_add(contenders->members, sched_number(t));
	if (contenders->lock_free)
		sched_set_add(sched.known_ready, sched_number(t));
	t->contends_for = t->object + 1;
	return true;
}

static void leave_contenders(struct sched_thread *t)
{
	struct sched_object *o = sched_object(t->contends_for - 1);
	struct contenders *contenders = &contender_sets[o->contenders - 1];

	sched_set_remove(contenders->members, sched_number(t));
	t->contends_for = 0;
	if (--contenders->count == 0) {
		contender_sets_used &= ~(1u << (o->contenders - 1));
		o->contenders = 0;
	}
}

void sched_update_contenders(struct sched_object *o)
{
	if (!o->contenders)
		return;
	struct contenders *contenders = &contender_sets[o->contenders - 1];
	if (contenders->lock_free == is_lock_free(o))
		return;
	contenders->lock_free = !contenders->lock_free;
	for (uint32_t word = 0; word * 64 < sched.top; word++) {
		if (contenders->lock_free)
			sched.known_ready[word] |= contenders->members[word];
		else
			sched.known_ready[word] &= ~contenders->members[word];
	}
	if (contenders->lock_free && sched.decide_when_ready)
		sched.next_decision = 0;
}

/* ---- becoming pending ------------------------------------------------------------------------ */

void sched_add_pending(struct sched_thread *t)
{
	uint32_t i = sched_number(t);

	sched_set_state(t, SCHED_PENDING);
	sched.pending_objects[i] = t->op.object;
	if (t->op.pause == SCHED_YIELD || t->spinning)
		sched_set_add(sched.yielding, i);
	if (is_always_ready(t))
		sched_set_add(sched.known_ready, i);
	else if (!is_contender(t) || !join_contenders(t))
		sched_set_add(sched.to_check, i);
}

static void leave_blocked_list(struct sched_thread *t)
{
	uint32_t *at = &sched_object(t->blocked_on - 1)->blocked;

	while (*at != sched_number(t) + 1)
		at = &sched_threads[*at - 1].next_blocked;
	*at = t->next_blocked;
	t->blocked_on = 0;
}

void sched_remove_pending(struct sched_thread *t)
{
	uint32_t i = sched_number(t);

	sched_set_remove(sched.known_ready, i);
	sched_set_remove(sched.to_check, i);
	sched_set_remove(sched.yielding, i);
	sched.pending_objects[i] = 0;
	if (t->blocked_on)
		leave_blocked_list(t);
	if (t->contends_for)
		leave_contenders(t);
}

void sched_reclassify_pending(void)
{
	sched.next_decision = 0;
	for (uint32_t i = 0; i < sched.top; i++) {
		if (sched_threads[i].state != SCHED_PENDING)
			continue;
		sched_remove_pending(&sched_threads[i]);
		sched_add_pending(&sched_threads[i]);
	}
}

static void block_on(struct sched_thread *t, uint32_t object)
{
	struct sched_object *o = sched_object(object);

	sched_set_remove(sched.to_check, sched_number(t));
	t->next_blocked = o->blocked;
	t->blocked_on = object + 1;
	o->blocked = sched_number(t) + 1;
}

void sched_recheck_blocked(struct sched_object *o)
{
	if (o->blocked && sched.decide_when_ready)
		sched.next_decision = 0;
	while (o->blocked) {
		struct sched_thread *t = &sched_threads[o->blocked - 1];
		o->blocked = t->next_blocked;
		t->blocked_on = 0;
		sched_set_add(sched.to_check, sched_number(t));
	}
}

/* ---- is it ready? ---------------------------------------------------------------------------- */

bool sched_is_allowed(const struct sched_thread *t)
{
	return t->state == SCHED_PENDING && !t->stopped && !t->asleep && t->step < t->hold;
}

static bool can_by_choice(const struct sched_thread *t)
{
	switch (sched.control->choice_count ? sched_plan_choice(t) : 0) {
	case CONTROL_SPURIOUS: return t->op.kind == EV_WOKEN && sched_object_mutex_free(t);
	case CONTROL_TIMEOUT: return t->op.how == EVENT_TIMED && sched_object_mutex_free(t);
	default: return false;
	}
}

bool sched_has_met(const struct sched_thread *t)
{
	return t->op.pause == SCHED_MEET && *(const uint64_t *)t->op.object >= t->op.other;
}

bool sched_is_ready(const struct sched_thread *t)
{
	if (t->state == SCHED_RETURNED || (t->signal_deferred && t->state == SCHED_PENDING))
		return true;
	if (t->blocked_on || !sched_is_allowed(t))
		return false;
	if (t->spinning && !t->locks_held && !sched_spin_changed(t) && !t->cancelled)
		return false;
	if (t->op.pause)
		return t->op.pause == SCHED_YIELD || t->cancelled || sched_has_met(t);
	return sched_object_enabled(t) || can_by_choice(t) ||
	       (t->cancelled && sched_object_mutex_free(t));
}

bool sched_can_time_out(const struct sched_thread *t)
{
	if (!sched_is_allowed(t))
		return false;
	if (t->op.pause)
		return t->op.pause == SCHED_SLEEP;
	return t->op.how == EVENT_TIMED && sched_object_mutex_free(t);
}

/*
 * Finds the object for whose change the thread waits. False: it does not wait for one object alone.
 * A waiter of a condition waits for a token first, then for the mutex. Semaphores are excluded,
 * because handlers and other processes change them, too.
 */
static bool find_awaited_object(const struct sched_thread *t, uint32_t *object)
{
	if (!sched_is_allowed(t) || t->op.pause || t->spinning || t->cancelled ||
	    sched.control->choice_count)
		return false;
	switch (t->op.kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_PASS:
	case EV_ONCE_BEGIN:
	case EV_JOIN: *object = t->object; return true;
	case EV_WOKEN: *object = sched_object_has_token(t) ? t->other : t->object; return true;
	default: return false;
	}
}

static uint64_t check_uncertain(uint32_t word)
{
	uint64_t ready = 0;

	for (uint64_t bits = sched.to_check[word]; bits; bits &= bits - 1) {
		struct sched_thread *t = &sched_threads[word * 64 + __builtin_ctzll(bits)];
		uint32_t object;
		if (sched_is_ready(t))
			ready |= bits & -bits;
		else if (find_awaited_object(t, &object))
			block_on(t, object);
	}
	return ready;
}

void sched_find_ready(void)
{
	uint32_t words = (sched.top + 63) / 64;

	for (uint32_t word = 0; word < words; word++) {
		sched.ready[word] = sched.known_ready[word];
		if (sched.to_check[word])
			sched.ready[word] |= check_uncertain(word);
	}
	if (!sched.returned && !sched.deferred_signals)
		return;
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->state == SCHED_RETURNED || (t->signal_deferred && t->state == SCHED_PENDING))
			sched_set_add(sched.ready, i);
	}
}

bool sched_any_uncertain(void)
{
	sched_find_ready();
	for (uint32_t word = 0; word * 64 < sched.top; word++)
		if (sched.to_check[word] & ~sched.ready[word])
			return true;
	return false;
}
