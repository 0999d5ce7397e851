/*
 * What operations on locks, conditions, semaphores, barriers and onces do. From acquire to release is
 * a set, recursion folded; a failed try is a member of the set that made it fail (of several
 * readers' the last one that began). The others keep their order.
 */
#include "monitor/computation/run_ops.h"

/* ---- locks ------------------------------------------------------------------------------------ */

struct run_ops_sync_operation {
	struct run_ops_maker *maker;
	const struct survey_object *object;
	struct run_ops_lock *lock;
	uint32_t lane;
};

/* `shared`: the set is a reader's; `reads`: the operation is of the read side. */
static void touch_as(const struct run_ops_sync_operation *o, enum run_op_role role, uint32_t set,
		     bool shared, bool reads)
{
	struct run_op_touch touch = { .object = o->object->number,
				      .set = set,
				      .role = (uint8_t)role,
				      .lock = true,
				      .shared = shared,
				      .writes = !reads };

	if (o->object->number == SURVEY_NONE)
		return;
	if (o->object->frozen && role != RUN_OP_LIVES) {
		touch.role = RUN_OP_CHAINS;
		touch.writes = true;
	}
	if (touch.role == RUN_OP_LIVES)
		o->maker->acts->objects.items[touch.object].mortal = true;
	run_ops_touch(o->maker, &touch);
}

static void touch(const struct run_ops_sync_operation *o, enum run_op_role role, uint32_t set,
		  bool shared)
{
	touch_as(o, role, set, shared, shared);
}

static bool has(const struct run_ops_sync_operation *o)
{
	return o->lock->writer.depth && o->lock->writer.lane == o->lane;
}

static struct run_ops_hold *find_reader(const struct run_ops_sync_operation *o)
{
	for (size_t i = 0; i < o->lock->readers.count; i++) {
		if (o->lock->readers.items[i].lane == o->lane)
			return &o->lock->readers.items[i];
	}
	return NULL;
}

/* The outermost ones are events of the lattice. */
/* Recursion is no event, but of a lock that nobody understands every operation keeps its order. */
static bool fold(const struct run_ops_sync_operation *o)
{
	if (o->object->frozen)
		touch(o, RUN_OP_CHAINS, 0, false);
	return false;
}

static bool take(const struct run_ops_sync_operation *o, uint32_t depth)
{
	if (has(o)) {
		o->lock->writer.depth += depth;
		return fold(o);
	}
	o->lock->writer = (struct run_ops_hold){ o->lane, depth, run_ops_new_set(o->maker) };
	touch(o, RUN_OP_OPENS, o->lock->writer.set, false);
	return true;
}

static bool give(const struct run_ops_sync_operation *o, bool wholly)
{
	struct run_ops_hold *writer = &o->lock->writer;

	if (has(o) && !wholly && writer->depth > 1) {
		writer->depth--;
		return fold(o);
	}
	touch(o, RUN_OP_CLOSES, writer->set, false);
	writer->depth = 0;
	return true;
}

static bool take_to_read(const struct run_ops_sync_operation *o)
{
	struct run_ops_hold *reader = find_reader(o);

	if (reader) {
		reader->depth++;
		return fold(o);
	}
	*vec_push(&o->lock->readers) =
		(struct run_ops_hold){ o->lane, 1, run_ops_new_set(o->maker) };
	touch(o, RUN_OP_OPENS, o->lock->readers.items[o->lock->readers.count - 1].set, true);
	return true;
}

/* A release that says for writing may be a reader's: pthread_rwlock_unlock is both. */
static bool give_to_read(const struct run_ops_sync_operation *o)
{
	struct run_ops_hold *reader = find_reader(o);

	if (!reader)
		return give(o, false);
	if (--reader->depth)
		return fold(o);
	touch(o, RUN_OP_CLOSES, reader->set, true);
	/* in the order in which they began */
	for (; reader + 1 < o->lock->readers.items + o->lock->readers.count; reader++)
		*reader = reader[1];
	o->lock->readers.count--;
	return true;
}

static void fail(const struct run_ops_sync_operation *o, const struct trace_event *ev)
{
	const struct run_ops_lock *lock = o->lock;
	bool to_read = ev->kind == EV_READ_FAIL;

	if (ev->mode == EVENT_TIMED)
		touch(o, RUN_OP_NOTICES, 0, to_read);
	else if (lock->writer.depth)
		touch_as(o, RUN_OP_JOINS, lock->writer.set, false, to_read);
	else if (lock->readers.count)
		touch_as(o, RUN_OP_JOINS, lock->readers.items[lock->readers.count - 1].set, true,
			 to_read);
	else
		touch(o, RUN_OP_CHAINS, 0, to_read);
}

static void begin_or_end(const struct run_ops_sync_operation *o)
{
	o->lock->writer.depth = 0;
	o->lock->readers.count = 0;
	touch(o, RUN_OP_LIVES, 0, false);
}

static bool operate(const struct run_ops_sync_operation *o, const struct trace_event *ev)
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

static bool see_lock(struct run_ops_maker *m, const struct trace_event *ev, uint32_t lane,
		     uint64_t address)
{
	struct run_ops_sync_operation o = { .maker = m, .lane = lane };

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

static bool chain(struct run_ops_maker *m, const struct trace_event *ev, enum survey_class class)
{
	const struct survey_object *object = survey_object(&m->survey, class, ev->address);
	struct run_op_touch touch = { .object = object->number,
				      .role = RUN_OP_CHAINS,
				      .writes = true };
	bool lives = begins_or_ends(ev->kind);

	if (ev->kind == EV_DOWN_REQUEST)
		return false;
	if (object->number != SURVEY_NONE) {
		if (lives) {
			touch.role = RUN_OP_LIVES;
			m->acts->objects.items[touch.object].mortal = true;
		}
		run_ops_touch(m, &touch);
	}
	return !lives;
}

/* Going on from a barrier is passing it, also when nothing says PASS. */
static bool see_barrier(struct run_ops_maker *m, const struct trace_event *ev, uint32_t lane)
{
	const struct survey_object *object = survey_object(&m->survey, SURVEY_BARRIER, ev->address);

	if (ev->kind == EV_ARRIVE && object->number != SURVEY_NONE)
		m->lanes[lane].barrier = object->number + 1;
	return chain(m, ev, SURVEY_BARRIER);
}

bool run_ops_see_sync(struct run_ops_maker *m, const struct trace_event *ev, uint32_t lane)
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
