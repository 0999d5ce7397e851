/*
 * Tracks which threads hold each lock in the recorded run, to find operations that the rules do not
 * allow.
 */
#include "monitor/computation/survey.h"

static struct survey_holder *find_reader(struct survey_object *lock, uint32_t thread)
{
	for (size_t i = 0; i < lock->readers.count; i++) {
		if (lock->readers.items[i].thread == thread)
			return &lock->readers.items[i];
	}
	return NULL;
}

static bool holds_lock(const struct survey_object *lock, uint32_t thread)
{
	return lock->writer.depth && lock->writer.thread == thread;
}

/* Do the rules allow the event (doc/prediction.md, "When an event can happen")? */
static bool is_allowed(struct survey_object *lock, const struct trace_event *ev, uint32_t thread)
{
	bool is_free = !lock->writer.depth && !lock->readers.count;

	switch (ev->kind) {
	case EV_ACQUIRE: return is_free || holds_lock(lock, thread);
	case EV_WOKEN: return is_free;
	case EV_READ_ACQUIRE: return !lock->writer.depth;
	case EV_ACQUIRE_FAIL: return ev->mode == EVENT_TIMED || !is_free;
	case EV_READ_FAIL: return ev->mode == EVENT_TIMED || lock->writer.depth;
	case EV_RELEASE:
	case EV_WAIT: return holds_lock(lock, thread);
	case EV_READ_RELEASE: return find_reader(lock, thread);
	}
	return true;
}

static void acquire(struct survey_object *lock, uint32_t thread, uint32_t depth)
{
	if (holds_lock(lock, thread)) {
		lock->writer.depth += depth;
		return;
	}
	lock->readers.count = 0;
	lock->writer = (struct survey_holder){ thread, depth };
}

static void acquire_read(struct survey_object *lock, uint32_t thread)
{
	struct survey_holder *reader = find_reader(lock, thread);

	if (reader)
		reader->depth++;
	else
		*vec_push(&lock->readers) = (struct survey_holder){ thread, 1 };
}

static void release_read(struct survey_object *lock, uint32_t thread)
{
	struct survey_holder *reader = find_reader(lock, thread);

	if (!reader && lock->readers.count)
		reader = lock->readers.items;
	if (reader && !--reader->depth)
		*reader = lock->readers.items[--lock->readers.count];
}

static void release(struct survey_object *lock, uint32_t thread)
{
	if (!lock->writer.depth)
		release_read(lock, thread);
	else if (holds_lock(lock, thread))
		lock->writer.depth--;
	else
		lock->writer.depth = 0;
}

static void update_lock(struct survey_object *lock, const struct trace_event *ev, uint32_t thread,
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
		*waited = holds_lock(lock, thread) ? lock->writer.depth : 1;
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
		lock->unexplained |= !is_allowed(lock, ev, thread);
	lock->frozen |=
		lock->unexplained || (ev->kind != EV_LOCK_INIT && ev->kind != EV_LOCK_DESTROY &&
				      !ev->site && trace_has_sites(survey->trace));
	update_lock(lock, ev, thread, &survey->waited[thread]);
}
