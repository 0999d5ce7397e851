/*
 * What operations on locks, conditions, semaphores, barriers and onces do. From acquire to release is
 * a set, recursion folded; a failed try is a member of the set that made it fail (of several
 * readers' the last one that began). The others keep their order.
 */
#include "monitor/acts.h"

/* ---- locks ------------------------------------------------------------------------------------ */

struct operation {
	struct acts_maker *maker;
	const struct survey_object *object;
	struct acts_lock *lock;
	uint32_t lane;
};

/* `shared`: the set is a reader's; `reads`: the operation is of the read side. */
static void touch_as(const struct operation *o, enum act_role role, uint32_t set, bool shared,
		     bool reads)
{
	struct act_touch touch = { .object = o->object->number,
				   .set = set,
				   .role = (uint8_t)role,
				   .lock = true,
				   .shared = shared,
				   .writes = !reads };

	if (o->object->number == SURVEY_NONE)
		return;
	if (o->object->frozen && role != ACT_LIVES) {
		touch.role = ACT_CHAINS;
		touch.writes = true;
	}
	if (touch.role == ACT_LIVES)
		o->maker->acts->objects.items[touch.object].mortal = true;
	acts_touch(o->maker, &touch);
}

static void touch(const struct operation *o, enum act_role role, uint32_t set, bool shared)
{
	touch_as(o, role, set, shared, shared);
}

static bool has(const struct operation *o)
{
	return o->lock->writer.depth && o->lock->writer.lane == o->lane;
}

static struct acts_hold *find_reader(const struct operation *o)
{
	for (size_t i = 0; i < o->lock->readers.count; i++) {
		if (o->lock->readers.items[i].lane == o->lane)
			return &o->lock->readers.items[i];
	}
	return NULL;
}

/* The outermost ones are events of the lattice. */
/* Recursion is no event, but of a lock that nobody understands every operation keeps its order. */
static bool fold(const struct operation *o)
{
	if (o->object->frozen)
		touch(o, ACT_CHAINS, 0, false);
	return false;
}

static bool take(const struct operation *o, uint32_t depth)
{
	if (has(o)) {
		o->lock->writer.depth += depth;
		return fold(o);
	}
	o->lock->writer = (struct acts_hold){ o->lane, depth, acts_new_set(o->maker) };
	touch(o, ACT_OPENS, o->lock->writer.set, false);
	return true;
}

static bool give(const struct operation *o, bool wholly)
{
	struct acts_hold *writer = &o->lock->writer;

	if (has(o) && !wholly && writer->depth > 1) {
		writer->depth--;
		return fold(o);
	}
	touch(o, ACT_CLOSES, writer->set, false);
	writer->depth = 0;
	return true;
}

static bool take_to_read(const struct operation *o)
{
	struct acts_hold *reader = find_reader(o);

	if (reader) {
		reader->depth++;
		return fold(o);
	}
	*vec_push(&o->lock->readers) = (struct acts_hold){ o->lane, 1, acts_new_set(o->maker) };
	touch(o, ACT_OPENS, o->lock->readers.items[o->lock->readers.count - 1].set, true);
	return true;
}

/* A release that says for writing may be a reader's: pthread_rwlock_unlock is both. */
static bool give_to_read(const struct operation *o)
{
	struct acts_hold *reader = find_reader(o);

	if (!reader)
		return give(o, false);
	if (--reader->depth)
		return fold(o);
	touch(o, ACT_CLOSES, reader->set, true);
	/* in the order in which they began */
	for (; reader + 1 < o->lock->readers.items + o->lock->readers.count; reader++)
		*reader = reader[1];
	o->lock->readers.count--;
	return true;
}

static void fail(const struct operation *o, const struct trace_event *ev)
{
	const struct acts_lock *lock = o->lock;
	bool to_read = ev->kind == EV_READ_FAIL;

	if (ev->mode == EVENT_TIMED)
		touch(o, ACT_NOTICES, 0, to_read);
	else if (lock->writer.depth)
		touch_as(o, ACT_JOINS, lock->writer.set, false, to_read);
	else if (lock->readers.count)
		touch_as(o, ACT_JOINS, lock->readers.items[lock->readers.count - 1].set, true,
			 to_read);
	else
		touch(o, ACT_CHAINS, 0, to_read);
}

static void begin_or_end(const struct operation *o)
{
	o->lock->writer.depth = 0;
	o->lock->readers.count = 0;
	touch(o, ACT_LIVES, 0, false);
}

static bool operate(const struct operation *o, const struct trace_event *ev)
{
	uint32_t *waited = &o->maker->lanes[o->lane].waited;

	switch (ev->kind) {
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: begin_or_end(o); return false;
	case EV_ACQUIRE: return take(o, 1);
	case EV_RELEASE: return o->lock->writer.depth ? give(o, false) : give_to_read(o);
	case EV_READ_ACQUIRE: return take_to_read(o);
	case EV_READ_RELEASE: return give_to_read(o);
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL: fail(o, ev); return true;
	case EV_WAIT:
		*waited = has(o) ? o->lock->writer.depth : 1;
		give(o, true);
		return true;
	case EV_WOKEN:
		take(o, *waited ? *waited : 1);
		*waited = 0;
		return true;
	}
	return false;
}

static bool see_lock(struct acts_maker *m, const struct trace_event *ev, uint32_t lane,
		     uint64_t address)
{
	struct operation o = { .maker = m, .lane = lane };

	if (ev->kind == EV_REQUEST || ev->kind == EV_READ_REQUEST)
		return false;
	o.object = survey_object(&m->survey, SURVEY_LOCK, address);
	o.lock = &m->locks[o.object - m->survey.objects.items];
	return operate(&o, ev);
}

/* ---- what keeps its order --------------------------------------------------------------------- */

static bool begins_or_ends(uint8_t kind)
{
	switch (kind) {
	case EV_COND_INIT:
	case EV_COND_DESTROY:
	case EV_SEM_INIT:
	case EV_SEM_DESTROY:
	case EV_BARRIER_INIT:
	case EV_BARRIER_DESTROY: return true;
	}
	return false;
}

static bool chain(struct acts_maker *m, const struct trace_event *ev, enum survey_class class)
{
	const struct survey_object *object = survey_object(&m->survey, class, ev->address);
	struct act_touch touch = { .object = object->number, .role = ACT_CHAINS, .writes = true };
	bool lives = begins_or_ends(ev->kind);

	if (ev->kind == EV_DOWN_REQUEST)
		return false;
	if (object->number != SURVEY_NONE) {
		if (lives) {
			touch.role = ACT_LIVES;
			m->acts->objects.items[touch.object].mortal = true;
		}
		acts_touch(m, &touch);
	}
	return !lives;
}

/* Going on from a barrier is passing it, also when nothing says PASS. */
static bool see_barrier(struct acts_maker *m, const struct trace_event *ev, uint32_t lane)
{
	const struct survey_object *object = survey_object(&m->survey, SURVEY_BARRIER, ev->address);

	if (ev->kind == EV_ARRIVE && object->number != SURVEY_NONE)
		m->lanes[lane].barrier = object->number + 1;
	return chain(m, ev, SURVEY_BARRIER);
}

bool acts_see_sync(struct acts_maker *m, const struct trace_event *ev, uint32_t lane)
{
	switch (event_group(ev->kind)) {
	case EG_LOCK: return see_lock(m, ev, lane, ev->address);
	case EG_CONDITION:
		if (ev->kind == EV_WAIT || ev->kind == EV_WOKEN)
			see_lock(m, ev, lane, ev->other);
		return chain(m, ev, SURVEY_CONDITION);
	case EG_SEMAPHORE: return chain(m, ev, SURVEY_SEMAPHORE);
	case EG_BARRIER: return see_barrier(m, ev, lane);
	case EG_ONCE: return chain(m, ev, SURVEY_ONCE);
	case EG_CHANNEL: return chain(m, ev, SURVEY_CHANNEL);
	default: return false;
	}
}
