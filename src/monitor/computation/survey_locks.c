#include "monitor/computation/survey_locks.h"

static struct survey_holder *find_reader(struct survey_object *lock, uint32_t lane)
{
	for (size_t i = 0; i < lock->readers.count; i++) {
		if (lock->readers.items[i].lane == lane)
			return &lock->readers.items[i];
	}
	return NULL;
}

static bool has(const struct survey_object *lock, uint32_t lane)
{
	return lock->writer.depth && lock->writer.lane == lane;
}

/* What the rules allow: doc/prediction.md, "When an event can happen". */
static bool allows(struct survey_object *lock, const struct trace_event *ev, uint32_t lane)
{
	bool is_free = !lock->writer.depth && !lock->readers.count;

	switch (ev->kind) {
	case EV_ACQUIRE: return is_free || has(lock, lane);
	case EV_WOKEN: return is_free;
	case EV_READ_ACQUIRE: return !lock->writer.depth;
	case EV_ACQUIRE_FAIL: return ev->mode == EVENT_TIMED || !is_free;
	case EV_READ_FAIL: return ev->mode == EVENT_TIMED || lock->writer.depth;
	case EV_RELEASE:
	case EV_WAIT: return has(lock, lane);
	case EV_READ_RELEASE: return find_reader(lock, lane);
	}
	return true;
}

static void take(struct survey_object *lock, uint32_t lane, uint32_t depth)
{
	if (has(lock, lane)) {
		lock->writer.depth += depth;
		return;
	}
	lock->readers.count = 0;
	lock->writer = (struct survey_holder){ lane, depth };
}

static void start_reading(struct survey_object *lock, uint32_t lane)
{
	struct survey_holder *reader = find_reader(lock, lane);

	if (reader)
		reader->depth++;
	else
		*vec_push(&lock->readers) = (struct survey_holder){ lane, 1 };
}

static void stop_reading(struct survey_object *lock, uint32_t lane)
{
	struct survey_holder *reader = find_reader(lock, lane);

	if (!reader && lock->readers.count)
		reader = lock->readers.items;
	if (reader && !--reader->depth)
		*reader = lock->readers.items[--lock->readers.count];
}

static void give(struct survey_object *lock, uint32_t lane)
{
	if (!lock->writer.depth)
		stop_reading(lock, lane);
	else if (has(lock, lane))
		lock->writer.depth--;
	else
		lock->writer.depth = 0;
}

static void follow(struct survey_object *lock, const struct trace_event *ev, uint32_t lane,
		   uint32_t *waited)
{
	switch (ev->kind) {
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY:
		lock->writer.depth = 0;
		lock->readers.count = 0;
		break;
	case EV_ACQUIRE: take(lock, lane, 1); break;
	case EV_WOKEN:
		take(lock, lane, *waited ? *waited : 1);
		*waited = 0;
		break;
	case EV_RELEASE: give(lock, lane); break;
	case EV_WAIT:
		*waited = has(lock, lane) ? lock->writer.depth : 1;
		lock->writer.depth = 0;
		break;
	case EV_READ_ACQUIRE: start_reading(lock, lane); break;
	case EV_READ_RELEASE:
		if (lock->readers.count)
			stop_reading(lock, lane);
		else
			give(lock, lane);
		break;
	}
}

void survey_locks_see(struct survey *survey, const struct trace_event *ev, uint32_t lane)
{
	bool on_condition = ev->kind == EV_WAIT || ev->kind == EV_WOKEN;
	struct survey_object *lock;

	if (ev->kind == EV_REQUEST || ev->kind == EV_READ_REQUEST ||
	    (event_group(ev->kind) == EG_CONDITION && !on_condition))
		return;
	lock = survey_object(survey, SURVEY_LOCK, on_condition ? ev->other : ev->address);
	if (!lock->lane)
		lock->lane = lane + 1;
	lock->several |= lock->lane != lane + 1;
	/* A lock that code uses which was not recorded guards what was not recorded. */
	if (ev->kind != EV_LOCK_INIT && ev->kind != EV_LOCK_DESTROY)
		lock->unexplained |= !allows(lock, ev, lane);
	lock->frozen |=
		lock->unexplained || (ev->kind != EV_LOCK_INIT && ev->kind != EV_LOCK_DESTROY &&
				      !ev->site && trace_has_sites(survey->trace));
	follow(lock, ev, lane, &survey->waited[lane]);
}
