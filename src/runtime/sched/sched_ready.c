/*
 * Who stands, and who of them could go on.
 *
 * A search makes a thousand decisions in a run, and there may be a hundred threads: looking at each of
 * them every time was two thirds of a run. So those who stand are in one of these sets. `free` are
 * before what always can, an access say. `blocked` were looked at and wait for a change of one
 * object, in whose list they are; its change takes them out. Those before a plain lock are its
 * crowd: they are free when it is, all at once. `bound` are looked at each time.
 */
#include "runtime/sched/sched_state.h"

#include "runtime/server/per_run.h"

/* ---- the sets ----------------------------------------------------------------------------------- */

static void set(uint64_t *words, uint32_t i)
{
	words[i / 64] |= 1ull << i % 64;
}

static void clear(uint64_t *words, uint32_t i)
{
	words[i / 64] &= ~(1ull << i % 64);
}

static bool is_free_now(const struct sched_thread *t)
{
	return sched_is_free(&t->want) && !t->stopped && !t->asleep && !t->spins &&
	       t->step < t->hold;
}

/* ---- crowds ------------------------------------------------------------------------------------- */

/* There are few at a time. Whoever finds no room is bound. */
#define CROWDS 32u
static struct crowd {
	uint64_t members[SCHED_WORDS];
	uint32_t count;
	bool can; /* take the lock */
} crowds[CROWDS];
PER_RUN static uint32_t crowds_used; /* a bit for each */

static bool is_for_taking(const struct sched_object *o)
{
	return !o->owner && !o->readers;
}

/* Can it go on if and only if nobody has the lock? */
static bool is_of_crowd(const struct sched_thread *t)
{
	return t->want.kind == EV_ACQUIRE && t->want.how == EVENT_PLAIN &&
	       !(t->want.lock & SCHED_LOCK_ROBUST) && sched_is_allowed(t) && !t->spins &&
	       !t->cancelled && !sched.control->choice_count &&
	       sched_object(t->object)->owner != sched_number(t) + 1;
}

static bool join_crowd(struct sched_thread *t)
{
	struct sched_object *o = sched_object(t->object);

	if (!o->crowd) {
		if (crowds_used == UINT32_MAX)
			return false;
		o->crowd = (uint32_t)__builtin_ctz(~crowds_used) + 1;
		crowds_used |= 1u << (o->crowd - 1);
		crowds[o->crowd - 1].can = is_for_taking(o);
	}
	struct crowd *crowd = &crowds[o->crowd - 1];
	crowd->count++;
	set(crowd->members, sched_number(t));
	if (crowd->can)
		set(sched.free, sched_number(t));
	t->in_crowd = t->object + 1;
	return true;
}

static void leave_crowd(struct sched_thread *t)
{
	struct sched_object *o = sched_object(t->in_crowd - 1);
	struct crowd *crowd = &crowds[o->crowd - 1];

	clear(crowd->members, sched_number(t));
	t->in_crowd = 0;
	if (--crowd->count == 0) {
		crowds_used &= ~(1u << (o->crowd - 1));
		o->crowd = 0;
	}
}

void sched_regrade(struct sched_object *o)
{
	if (!o->crowd)
		return;
	struct crowd *crowd = &crowds[o->crowd - 1];
	if (crowd->can == is_for_taking(o))
		return;
	crowd->can = !crowd->can;
	for (uint32_t word = 0; word * 64 < sched.top; word++) {
		if (crowd->can)
			sched.free[word] |= crowd->members[word];
		else
			sched.free[word] &= ~crowd->members[word];
	}
	if (crowd->can && sched.straight_depends)
		sched.straight_until = 0;
}

/* ---- standing ----------------------------------------------------------------------------------- */

void sched_stand(struct sched_thread *t)
{
	uint32_t i = sched_number(t);

	sched_put(t, SCHED_STANDS);
	sched.objects[i] = t->want.object;
	if (t->want.pause == SCHED_YIELD || t->spins)
		set(sched.giving_way, i);
	if (is_free_now(t))
		set(sched.free, i);
	else if (!is_of_crowd(t) || !join_crowd(t))
		set(sched.bound, i);
}

static void leave_list(struct sched_thread *t)
{
	uint32_t *at = &sched_object(t->blocked_on - 1)->blocked;

	while (*at != sched_number(t) + 1)
		at = &sched_threads[*at - 1].next_blocked;
	*at = t->next_blocked;
	t->blocked_on = 0;
}

void sched_unstand(struct sched_thread *t)
{
	uint32_t i = sched_number(t);

	clear(sched.free, i);
	clear(sched.bound, i);
	clear(sched.giving_way, i);
	sched.objects[i] = 0;
	if (t->blocked_on)
		leave_list(t);
	if (t->in_crowd)
		leave_crowd(t);
}

void sched_stand_anew(void)
{
	sched.straight_until = 0;
	for (uint32_t i = 0; i < sched.top; i++) {
		if (sched_threads[i].where != SCHED_STANDS)
			continue;
		sched_unstand(&sched_threads[i]);
		sched_stand(&sched_threads[i]);
	}
}

static void block(struct sched_thread *t, uint32_t object)
{
	struct sched_object *o = sched_object(object);

	clear(sched.bound, sched_number(t));
	t->next_blocked = o->blocked;
	t->blocked_on = object + 1;
	o->blocked = sched_number(t) + 1;
}

void sched_unblock(struct sched_object *o)
{
	if (o->blocked && sched.straight_depends)
		sched.straight_until = 0;
	while (o->blocked) {
		struct sched_thread *t = &sched_threads[o->blocked - 1];
		o->blocked = t->next_blocked;
		t->blocked_on = 0;
		set(sched.bound, sched_number(t));
	}
}

/* ---- could it go on? ------------------------------------------------------------------------------ */

bool sched_is_allowed(const struct sched_thread *t)
{
	return t->where == SCHED_STANDS && !t->stopped && !t->asleep && t->step < t->hold;
}

static bool can_by_choice(const struct sched_thread *t)
{
	switch (sched.control->choice_count ? sched_plan_choice(t) : 0) {
	case CONTROL_SPURIOUS: return t->want.kind == EV_WOKEN && sched_object_mutex_free(t);
	case CONTROL_TIMEOUT: return t->want.how == EVENT_TIMED && sched_object_mutex_free(t);
	default: return false;
	}
}

bool sched_ready(const struct sched_thread *t)
{
	if (t->where == SCHED_BACK || (t->signalled && t->where == SCHED_STANDS))
		return true;
	if (t->blocked_on || !sched_is_allowed(t))
		return false;
	if (t->spins && !t->held && !sched_spin_changed(t) && !t->cancelled)
		return false;
	if (t->want.pause)
		return t->want.pause == SCHED_YIELD || t->cancelled;
	return sched_object_can(t) || can_by_choice(t) ||
	       (t->cancelled && sched_object_mutex_free(t));
}

bool sched_can_time_out(const struct sched_thread *t)
{
	if (!sched_is_allowed(t))
		return false;
	if (t->want.pause)
		return t->want.pause == SCHED_SLEEP;
	return t->want.how == EVENT_TIMED && sched_object_mutex_free(t);
}

/*
 * Which object's change could make it ready, if that is all it waits for? A condition's waiter waits
 * for a token first, and with it for the mutex. Semaphores are changed by others than us.
 */
static bool waits_for(const struct sched_thread *t, uint32_t *object)
{
	if (!sched_is_allowed(t) || t->want.pause || t->spins || t->cancelled ||
	    sched.control->choice_count)
		return false;
	switch (t->want.kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_PASS:
	case EV_ONCE_BEGIN:
	case EV_JOIN: *object = t->object; return true;
	case EV_WOKEN: *object = sched_object_has_token(t) ? t->other : t->object; return true;
	default: return false;
	}
}

static uint64_t ready_of_bound(uint32_t word)
{
	uint64_t ready = 0;

	for (uint64_t bits = sched.bound[word]; bits; bits &= bits - 1) {
		struct sched_thread *t = &sched_threads[word * 64 + __builtin_ctzll(bits)];
		uint32_t object;
		if (sched_ready(t))
			ready |= bits & -bits;
		else if (waits_for(t, &object))
			block(t, object);
	}
	return ready;
}

void sched_find_ready(void)
{
	uint32_t words = (sched.top + 63) / 64;

	for (uint32_t word = 0; word < words; word++) {
		sched.ready[word] = sched.free[word];
		if (sched.bound[word])
			sched.ready[word] |= ready_of_bound(word);
	}
	if (!sched.back && !sched.signals)
		return;
	for (uint32_t i = 0; i < sched.top; i++) {
		const struct sched_thread *t = &sched_threads[i];
		if (t->where == SCHED_BACK || (t->signalled && t->where == SCHED_STANDS))
			set(sched.ready, i);
	}
}

bool sched_any_unseen(void)
{
	sched_find_ready();
	for (uint32_t word = 0; word * 64 < sched.top; word++)
		if (sched.bound[word] & ~sched.ready[word])
			return true;
	return false;
}
