/*
 * The operations on locks, conditions, semaphores, barriers, onces and channels. The operations
 * from an acquire to its release are an atomic set; recursive acquires and releases inside do not
 * count. A failed try is a member of the set that made it fail (with several readers: of the reader
 * that began last). The other objects keep their recorded order.
 */
#include "monitor/computation/run_ops.h"

/* ---- locks ----------------------------------------------------------------------------------- */

struct lock_operation {
	struct run_ops_maker *maker;
	const struct survey_object *object;
	struct lock_holders *lock;
	uint32_t thread;
};

/* `shared`: the set is a reader's; `reads`: the operation is on the read side. */
static void touch_lock_as(const struct lock_operation *o, enum run_op_role role, uint32_t set,
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
	if (o->object->frozen && role != RUN_OP_LIFETIME) {
		touch.role = RUN_OP_KEEPS_ORDER;
		touch.writes = true;
	}
	if (touch.role == RUN_OP_LIFETIME)
		o->maker->ops->objects.items[touch.object].has_lifetime = true;
	run_ops_touch(o->maker, &touch);
}

static void touch_lock(const struct lock_operation *o, enum run_op_role role, uint32_t set,
		       bool shared)
{
	touch_lock_as(o, role, set, shared, shared);
}

/*
 * Recursion is not an event of the lattice, but all operations on a frozen lock keep their order.
 * Returns false: the event does not count.
 */
static bool skip_recursion(const struct lock_operation *o)
{
	if (o->object->frozen)
		touch_lock(o, RUN_OP_KEEPS_ORDER, 0, false);
	return false;
}

static bool acquire(const struct lock_operation *o, uint32_t depth)
{
	if (lock_is_written_by(o->lock, o->thread)) {
		o->lock->writer.depth += depth;
		return skip_recursion(o);
	}
	o->lock->writer = (struct lock_holder){ o->thread, depth, run_ops_new_set(o->maker) };
	touch_lock(o, RUN_OP_OPENS, o->lock->writer.set, false);
	return true;
}

static bool release(const struct lock_operation *o, bool wholly)
{
	struct lock_holder *writer = &o->lock->writer;

	if (lock_is_written_by(o->lock, o->thread) && !wholly && writer->depth > 1) {
		writer->depth--;
		return skip_recursion(o);
	}
	touch_lock(o, RUN_OP_CLOSES, writer->set, false);
	writer->depth = 0;
	return true;
}

static bool acquire_read(const struct lock_operation *o)
{
	struct lock_holder *reader = lock_find_reader(o->lock, o->thread);

	if (reader) {
		reader->depth++;
		return skip_recursion(o);
	}
	*vec_push(&o->lock->readers) =
		(struct lock_holder){ o->thread, 1, run_ops_new_set(o->maker) };
	touch_lock(o, RUN_OP_OPENS, o->lock->readers.items[o->lock->readers.count - 1].set, true);
	return true;
}

/*
 * The release of a reader may be recorded as one of a writer: pthread_rwlock_unlock is used for
 * both.
 */
static bool release_read(const struct lock_operation *o)
{
	struct lock_holder *reader = lock_find_reader(o->lock, o->thread);

	if (!reader)
		return release(o, false);
	if (--reader->depth)
		return skip_recursion(o);
	touch_lock(o, RUN_OP_CLOSES, reader->set, true);
	/* Removes the reader. The others stay in the order in which they began. */
	for (; reader + 1 < o->lock->readers.items + o->lock->readers.count; reader++)
		*reader = reader[1];
	o->lock->readers.count--;
	return true;
}

static void fail_acquire(const struct lock_operation *o, const struct trace_event *ev)
{
	const struct lock_holders *lock = o->lock;
	bool to_read = ev->kind == EV_READ_FAIL;

	if (ev->mode == EVENT_TIMED)
		touch_lock(o, RUN_OP_TIMES_OUT, 0, to_read);
	else if (lock->writer.depth)
		touch_lock_as(o, RUN_OP_JOINS, lock->writer.set, false, to_read);
	else if (lock->readers.count)
		touch_lock_as(o, RUN_OP_JOINS, lock->readers.items[lock->readers.count - 1].set,
			      true, to_read);
	else
		touch_lock(o, RUN_OP_KEEPS_ORDER, 0, to_read);
}

static void reset_lock(const struct lock_operation *o)
{
	o->lock->writer.depth = 0;
	o->lock->readers.count = 0;
	touch_lock(o, RUN_OP_LIFETIME, 0, false);
}

static bool add_lock_operation(const struct lock_operation *o, const struct trace_event *ev)
{
	uint32_t *waited = &o->maker->threads[o->thread].waited;

	switch (ev->kind) {
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: reset_lock(o); return false;
	case EV_ACQUIRE: return acquire(o, 1);
	case EV_RELEASE: return o->lock->writer.depth ? release(o, false) : release_read(o);
	case EV_READ_ACQUIRE: return acquire_read(o);
	case EV_READ_RELEASE: return release_read(o);
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL: fail_acquire(o, ev); return true;
	case EV_WAIT:
		*waited = lock_is_written_by(o->lock, o->thread) ? o->lock->writer.depth : 1;
		release(o, true);
		return true;
	case EV_WOKEN:
		acquire(o, *waited ? *waited : 1);
		*waited = 0;
		return true;
	}
	return false;
}

static bool add_lock(struct run_ops_maker *m, const struct trace_event *ev, uint32_t thread,
		     uint64_t address)
{
	struct lock_operation o = { .maker = m, .thread = thread };
	struct survey_object *object;

	if (ev->kind == EV_REQUEST || ev->kind == EV_READ_REQUEST)
		return false;
	object = survey_object(&m->survey, SURVEY_LOCK, address);
	o.object = object;
	o.lock = &object->holders;
	return add_lock_operation(&o, ev);
}

/* ---- objects that keep their order ----------------------------------------------------------- */

static bool is_init_or_destroy(uint8_t kind)
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

static bool keep_order(struct run_ops_maker *m, const struct trace_event *ev,
		       enum survey_class class)
{
	const struct survey_object *object = survey_object(&m->survey, class, ev->address);
	struct run_op_touch touch = { .object = object->number,
				      .role = RUN_OP_KEEPS_ORDER,
				      .writes = true };
	bool is_lifetime = is_init_or_destroy(ev->kind);

	if (ev->kind == EV_DOWN_REQUEST)
		return false;
	if (object->number != SURVEY_NONE) {
		if (is_lifetime) {
			touch.role = RUN_OP_LIFETIME;
			m->ops->objects.items[touch.object].has_lifetime = true;
		}
		run_ops_touch(m, &touch);
	}
	return !is_lifetime;
}

/*
 * A thread that runs on after it arrived at a barrier has passed it, even if no PASS was recorded.
 */
static bool add_barrier(struct run_ops_maker *m, const struct trace_event *ev, uint32_t thread)
{
	const struct survey_object *object = survey_object(&m->survey, SURVEY_BARRIER, ev->address);

	if (ev->kind == EV_ARRIVE && object->number != SURVEY_NONE)
		m->threads[thread].barrier = object->number + 1;
	return keep_order(m, ev, SURVEY_BARRIER);
}

bool run_ops_add_sync(struct run_ops_maker *m, const struct trace_event *ev, uint32_t thread)
{
	switch (event_group(ev->kind)) {
	case EG_LOCK: return add_lock(m, ev, thread, ev->address);
	case EG_CONDITION:
		if (ev->kind == EV_WAIT || ev->kind == EV_WOKEN)
			add_lock(m, ev, thread, ev->other);
		return keep_order(m, ev, SURVEY_CONDITION);
	case EG_SEMAPHORE: return keep_order(m, ev, SURVEY_SEMAPHORE);
	case EG_BARRIER: return add_barrier(m, ev, thread);
	case EG_ONCE: return keep_order(m, ev, SURVEY_ONCE);
	case EG_CHANNEL: return keep_order(m, ev, SURVEY_CHANNEL);
	default: return false;
	}
}
