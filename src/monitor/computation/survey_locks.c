/*
 * Tracks which threads hold each lock in the recorded run, to find operations that the rules do not
 * allow.
 */
#include "monitor/computation/survey.h"

/* Do the rules allow the event (doc/prediction.md, "When an event can happen")? */
static bool is_allowed(struct lock_holders *lock, const struct trace_event *ev, uint32_t thread)
{
	bool is_free = !lock->writer.depth && !lock->readers.count;

	switch (ev->kind) {
	case EV_ACQUIRE: return is_free || lock_is_written_by(lock, thread);
	case EV_WOKEN: return is_free;
	case EV_READ_ACQUIRE: return !lock->writer.depth;
	case EV_ACQUIRE_FAIL: return ev->mode == EVENT_TIMED || !is_free;
	case EV_READ_FAIL: return ev->mode == EVENT_TIMED || lock->writer.depth;
	case EV_RELEASE:
	case EV_WAIT: return lock_is_written_by(lock, thread);
	case EV_READ_RELEASE: return lock_find_reader(lock, thread);
	}
	return true;
}

static void acquire(struct lock_holders *lock, uint32_t thread, uint32_t depth)
{
	if (lock_is_written_by(lock, thread)) {
		lock->writer.depth += depth;
		return;
	}
	lock->readers.count = 0;
	lock->writer = (struct lock_holder){ thread, depth, 0 };
}

static void acquire_read(struct lock_holders *lock, uint32_t thread)
{
	struct lock_holder *reader = lock_find_reader(lock, thread);

	if (reader)
		reader->depth++;
	else
		*vec_push(&lock->readers) = (struct lock_holder){ thread, 1, 0 };
}

static void release_read(struct lock_holders *lock, uint32_t thread)
{
	struct lock_holder *reader = lock_find_reader(lock, thread);

	if (!reader && lock->readers.count)
		reader = lock->readers.items;
	if (reader && !--reader->depth)
		*reader = lock->readers.items[--lock->readers.count];
}

static void release(struct lock_holders *lock, uint32_t thread)
{
	if (!lock->writer.depth)
		release_read(lock, thread);
	else if (lock_is_written_by(lock, thread))
		lock->writer.depth--;
	else
		lock->writer.depth = 0;
}

static void update_lock(struct lock_holders *lock, const struct trace_event *ev, uint32_t thread,
			uint32_t *waited)
{
	switch (ev->kind) {
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY:
		lock->writer.depth = 0;
		lock->readers.count = 0;
		break;
	case EV_ACQUIRE: acquire(lock, thread, 1); break;
	case EV_WOKEN:
		acquire(lock, thread, *waited ? *waited : 1);
		*waited = 0;
		break;
	case EV_RELEASE: release(lock, thread); break;
	case EV_WAIT:
		*waited = lock_is_written_by(lock, thread) ? lock->writer.depth : 1;
		lock->writer.depth = 0;
		break;
	case EV_READ_ACQUIRE: acquire_read(lock, thread); break;
	case EV_READ_RELEASE:
		if (lock->readers.count)
			release_read(lock, thread);
		else
			release(lock, thread);
		break;
	}
}

void survey_locks_see(struct survey *survey, const struct trace_event *ev, uint32_t thread)
{
	bool on_condition = ev->kind == EV_WAIT || ev->kind == EV_WOKEN;
	struct survey_object *lock;

	if (ev->kind == EV_REQUEST || ev->kind == EV_READ_REQUEST ||
	    (event_group(ev->kind) == EG_CONDITION && !on_condition))
		return;
	lock = survey_object(survey, SURVEY_LOCK, on_condition ? ev->other : ev->address);
	if (!lock->thread)
		lock->thread = thread + 1;
	lock->several |= lock->thread != thread + 1;
	/* A lock that unrecorded code uses protects data that was not recorded. */
	if (ev->kind != EV_LOCK_INIT && ev->kind != EV_LOCK_DESTROY)
		lock->unexplained |= !is_allowed(&lock->holders, ev, thread);
	lock->frozen |=
		lock->unexplained || (ev->kind != EV_LOCK_INIT && ev->kind != EV_LOCK_DESTROY &&
				      !ev->site && trace_has_sites(survey->trace));
	update_lock(&lock->holders, ev, thread, &survey->waited[thread]);
}
