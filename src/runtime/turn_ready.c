/*
 * Who stands, and who of them could go on.
 *
 * A search makes a thousand decisions in a run, and there may be a hundred threads: looking at each of
 * them every time was two thirds of a run. So those who stand are in one of these sets. `free` are
 * before what always can, an access say. `blocked` were looked at and wait for a change of one
 * object, in whose list they are; its change takes them out. Those before a plain lock are its
 * crowd: they are free when it is, all at once. `bound` are looked at each time.
 */
#include "runtime/turn_state.h"

#include "runtime/each_run.h"

/* ---- the sets ----------------------------------------------------------------------------------- */

static void set(uint64_t *words, uint32_t i)
{
	words[i / 64] |= 1ull << i % 64;
}

static void clear(uint64_t *words, uint32_t i)
{
	words[i / 64] &= ~(1ull << i % 64);
}

static bool is_free_now(const struct turn_thread *t)
{
	return turn_is_free(&t->want) && !t->stopped && !t->asleep && !t->spins &&
	       t->step < t->hold;
}

/* ---- crowds ------------------------------------------------------------------------------------- */

/* There are few at a time. Whoever finds no room is bound. */
#define CROWDS 32u
static struct crowd {
	uint64_t members[TURN_WORDS];
	uint32_t count;
	bool can; /* take the lock */
} crowds[CROWDS];
EACH_RUN static uint32_t crowds_used; /* a bit for each */

static bool is_for_taking(const struct turn_object *o)
{
	return !o->owner && !o->readers;
}

/* Can it go on if and only if nobody has the lock? */
static bool is_of_crowd(const struct turn_thread *t)
{
	return t->want.kind == EV_ACQUIRE && t->want.how == EVENT_PLAIN &&
	       !(t->want.lock & TURN_LOCK_ROBUST) && turn_is_allowed(t) && !t->spins &&
	       !t->cancelled && !turn.control->choice_count &&
	       turn_object(t->object)->owner != turn_number(t) + 1;
}

static bool join_crowd(struct turn_thread *t)
{
	struct turn_object *o = turn_object(t->object);

	if (!o->crowd) {
		if (crowds_used == UINT32_MAX)
			return false;
		o->crowd = (uint32_t)__builtin_ctz(~crowds_used) + 1;
		crowds_used |= 1u << (o->crowd - 1);
		crowds[o->crowd - 1].can = is_for_taking(o);
	}
	struct crowd *crowd = &crowds[o->crowd - 1];
	crowd->count++;
	set(crowd->members, turn_number(t));
	if (crowd->can)
		set(turn.free, turn_number(t));
	t->in_crowd = t->object + 1;
	return true;
}

static void leave_crowd(struct turn_thread *t)
{
	struct turn_object *o = turn_object(t->in_crowd - 1);
	struct crowd *crowd = &crowds[o->crowd - 1];

	clear(crowd->members, turn_number(t));
	t->in_crowd = 0;
	if (--crowd->count == 0) {
		crowds_used &= ~(1u << (o->crowd - 1));
		o->crowd = 0;
	}
}

void turn_regrade(struct turn_object *o)
{
	if (!o->crowd)
		return;
	struct crowd *crowd = &crowds[o->crowd - 1];
	if (crowd->can == is_for_taking(o))
		return;
	crowd->can = !crowd->can;
	for (uint32_t word = 0; word * 64 < turn.top; word++) {
		if (crowd->can)
			turn.free[word] |= crowd->members[word];
		else
			turn.free[word] &= ~crowd->members[word];
	}
	if (crowd->can && turn.straight_depends)
		turn.straight_until = 0;
}

/* ---- standing ----------------------------------------------------------------------------------- */

void turn_stand(struct turn_thread *t)
{
	uint32_t i = turn_number(t);

	turn_put(t, TURN_STANDS);
	turn.objects[i] = t->want.object;
	if (t->want.pause == TURN_YIELD || t->spins)
		set(turn.giving_way, i);
	if (is_free_now(t))
		set(turn.free, i);
	else if (!is_of_crowd(t) || !join_crowd(t))
		set(turn.bound, i);
}

static void leave_list(struct turn_thread *t)
{
	uint32_t *at = &turn_object(t->blocked_on - 1)->blocked;

	while (*at != turn_number(t) + 1)
		at = &turn_threads[*at - 1].next_blocked;
	*at = t->next_blocked;
	t->blocked_on = 0;
}

void turn_unstand(struct turn_thread *t)
{
	uint32_t i = turn_number(t);

	clear(turn.free, i);
	clear(turn.bound, i);
	clear(turn.giving_way, i);
	turn.objects[i] = 0;
	if (t->blocked_on)
		leave_list(t);
	if (t->in_crowd)
		leave_crowd(t);
}

void turn_stand_anew(void)
{
	turn.straight_until = 0;
	for (uint32_t i = 0; i < turn.top; i++) {
		if (turn_threads[i].where != TURN_STANDS)
			continue;
		turn_unstand(&turn_threads[i]);
		turn_stand(&turn_threads[i]);
	}
}

static void block(struct turn_thread *t, uint32_t object)
{
	struct turn_object *o = turn_object(object);

	clear(turn.bound, turn_number(t));
	t->next_blocked = o->blocked;
	t->blocked_on = object + 1;
	o->blocked = turn_number(t) + 1;
}

void turn_unblock(struct turn_object *o)
{
	if (o->blocked && turn.straight_depends)
		turn.straight_until = 0;
	while (o->blocked) {
		struct turn_thread *t = &turn_threads[o->blocked - 1];
		o->blocked = t->next_blocked;
		t->blocked_on = 0;
		set(turn.bound, turn_number(t));
	}
}

/* ---- could it go on? ------------------------------------------------------------------------------ */

bool turn_is_allowed(const struct turn_thread *t)
{
	return t->where == TURN_STANDS && !t->stopped && !t->asleep && t->step < t->hold;
}

static bool can_by_choice(const struct turn_thread *t)
{
	switch (turn.control->choice_count ? turn_plan_choice(t) : 0) {
	case CONTROL_SPURIOUS: return t->want.kind == EV_WOKEN && turn_object_mutex_free(t);
	case CONTROL_TIMEOUT: return t->want.how == EVENT_TIMED && turn_object_mutex_free(t);
	default: return false;
	}
}

bool turn_ready(const struct turn_thread *t)
{
	if (t->where == TURN_BACK || (t->signalled && t->where == TURN_STANDS))
		return true;
	if (t->blocked_on || !turn_is_allowed(t))
		return false;
	if (t->spins && !t->held && !turn_spin_changed(t) && !t->cancelled)
		return false;
	if (t->want.pause)
		return t->want.pause == TURN_YIELD || t->cancelled;
	return turn_object_can(t) || can_by_choice(t) ||
	       (t->cancelled && turn_object_mutex_free(t));
}

bool turn_can_time_out(const struct turn_thread *t)
{
	if (!turn_is_allowed(t))
		return false;
	if (t->want.pause)
		return t->want.pause == TURN_SLEEP;
	return t->want.how == EVENT_TIMED && turn_object_mutex_free(t);
}

/*
 * Which object's change could make it ready, if that is all it waits for? A condition's waiter waits
 * for a token first, and with it for the mutex. Semaphores are changed by others than us.
 */
static bool waits_for(const struct turn_thread *t, uint32_t *object)
{
	if (!turn_is_allowed(t) || t->want.pause || t->spins || t->cancelled ||
	    turn.control->choice_count)
		return false;
	switch (t->want.kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_PASS:
	case EV_ONCE_BEGIN:
	case EV_JOIN: *object = t->object; return true;
	case EV_WOKEN: *object = turn_object_has_token(t) ? t->other : t->object; return true;
	default: return false;
	}
}

static uint64_t ready_of_bound(uint32_t word)
{
	uint64_t ready = 0;

	for (uint64_t bits = turn.bound[word]; bits; bits &= bits - 1) {
		struct turn_thread *t = &turn_threads[word * 64 + __builtin_ctzll(bits)];
		uint32_t object;
		if (turn_ready(t))
			ready |= bits & -bits;
		else if (waits_for(t, &object))
			block(t, object);
	}
	return ready;
}

void turn_find_ready(void)
{
	uint32_t words = (turn.top + 63) / 64;

	for (uint32_t word = 0; word < words; word++) {
		turn.ready[word] = turn.free[word];
		if (turn.bound[word])
			turn.ready[word] |= ready_of_bound(word);
	}
	if (!turn.back && !turn.signals)
		return;
	for (uint32_t i = 0; i < turn.top; i++) {
		const struct turn_thread *t = &turn_threads[i];
		if (t->where == TURN_BACK || (t->signalled && t->where == TURN_STANDS))
			set(turn.ready, i);
	}
}

bool turn_any_unseen(void)
{
	turn_find_ready();
	for (uint32_t word = 0; word * 64 < turn.top; word++)
		if (turn.bound[word] & ~turn.ready[word])
			return true;
	return false;
}
