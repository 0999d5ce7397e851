/* Mutexes and read-write locks: one writer, which may hold it several times, or readers. */
#include "check/world.h"

#include <inttypes.h>

static const struct checker_lock *find_lock(const struct checker_world *world, uint64_t address)
{
	return &checker_world_see(world, CHECKER_LOCK, address)->lock;
}

static const struct checker_hold *find_reader(const struct checker_lock *lock, uint32_t thread)
{
	for (size_t i = 0; i < lock->readers.count; i++) {
		if (lock->readers.items[i].thread == thread)
			return &lock->readers.items[i];
	}
	return NULL;
}

static bool is_writer(const struct checker_lock *lock, uint32_t thread)
{
	return lock->writer.depth && lock->writer.thread == thread;
}

/* ---- the rules ------------------------------------------------------------------------------- */

static bool report_held(const struct checker_world *world, const struct checker_hold *hold,
			uint64_t address, const char *does, struct err *why)
{
	return err_set(why, "%s lock %s, which %s has held since its event %" PRIu64, does,
		       checker_object_words(world->trace, address).text,
		       checker_thread_words(world->trace, hold->stream).text, hold->index);
}

static bool is_free_for_writer(const struct checker_world *world, uint64_t address,
			       const char *does, struct err *why)
{
	const struct checker_lock *lock = find_lock(world, address);

	if (lock->writer.depth)
		return report_held(world, &lock->writer, address, does, why);
	if (lock->readers.count)
		return report_held(world, &lock->readers.items[0], address, does, why);
	return true;
}

static bool report_not_held(const struct checker_world *world, uint64_t address, const char *what,
			    struct err *why)
{
	return err_set(why, "%s lock %s", what, checker_object_words(world->trace, address).text);
}

bool checker_lock_allows(const struct checker_world *world, const struct checker_record *record,
			 struct err *why)
{
	bool on_condition = record->kind == EV_WAIT || record->kind == EV_WOKEN;
	uint64_t address = on_condition ? record->other : record->address;
	const struct checker_lock *lock = find_lock(world, address);
	bool timed = record->mode == EVENT_TIMED;

	switch (record->kind) {
	case EV_ACQUIRE:
		return is_writer(lock, record->thread) ||
		       is_free_for_writer(world, address, "acquires", why);
	case EV_WOKEN: return is_free_for_writer(world, address, "wakes up with", why);
	case EV_READ_ACQUIRE:
		return lock->writer.depth ? report_held(world, &lock->writer, address,
							"acquires for reading", why)
					  : true;
	case EV_ACQUIRE_FAIL:
		return timed || lock->writer.depth || lock->readers.count
			       ? true
			       : report_not_held(world, address, "fails to acquire the unlocked",
						 why);
	case EV_READ_FAIL:
		return timed || lock->writer.depth
			       ? true
			       : report_not_held(
					 world, address,
					 "fails to acquire for reading, although no thread writes,",
					 why);
	case EV_RELEASE:
	case EV_WAIT: /* a wait releases the mutex, so its thread must hold it */
		return is_writer(lock, record->thread)
			       ? true
			       : report_not_held(world, address, "releases, without holding it,",
						 why);
	case EV_READ_RELEASE:
		return find_reader(lock, record->thread)
			       ? true
			       : report_not_held(world, address,
						 "releases from reading, without holding it,", why);
	}
	return true;
}

/* ---- the effects ----------------------------------------------------------------------------- */

static struct checker_hold new_hold(const struct checker_record *record, uint32_t depth)
{
	return (struct checker_hold){ record->thread, depth, record->stream, record->index };
}

static void take_lock(struct checker_lock *lock, const struct checker_record *record,
		      uint32_t depth)
{
	if (is_writer(lock, record->thread)) {
		lock->writer.depth += depth;
		lock->kind = EVENT_LOCK_RECURSIVE; /* a second acquire by its holder shows that */
		return;
	}
	lock->readers.count = 0; /* there are none if the acquire was allowed */
	lock->writer = new_hold(record, depth);
}

static void start_reading(struct checker_lock *lock, const struct checker_record *record)
{
	struct checker_hold *hold = (struct checker_hold *)find_reader(lock, record->thread);

	if (hold)
		hold->depth++;
	else
		*vec_push(&lock->readers) = new_hold(record, 1);
}

/*
 * Ends the thread's read hold. If the thread has none, ends another reader's, on whose behalf the
 * thread releases.
 */
static void stop_reading(struct checker_lock *lock, const struct checker_record *record)
{
	struct checker_hold *hold = (struct checker_hold *)find_reader(lock, record->thread);

	if (!hold && lock->readers.count)
		hold = lock->readers.items;
	if (hold && !--hold->depth)
		*hold = lock->readers.items[--lock->readers.count];
}

static void release_lock(struct checker_lock *lock, const struct checker_record *record,
			 bool completely)
{
	if (!lock->writer.depth)
		stop_reading(lock, record);
	else if (completely || !is_writer(lock, record->thread))
		lock->writer.depth = 0;
	else
		lock->writer.depth--;
}

static void reset_lock(struct checker_lock *lock, const struct checker_record *record)
{
	lock->writer.depth = 0;
	lock->readers.count = 0;
	if (record->kind == EV_LOCK_INIT)
		lock->kind = record->mode;
	else if (lock->kind != EVENT_LOCK_RECURSIVE) /* that kind stays until an INIT */
		lock->kind = EVENT_LOCK_NORMAL;
}

void checker_lock_apply(struct checker_world *world, const struct checker_record *record)
{
	bool on_condition = record->kind == EV_WAIT || record->kind == EV_WOKEN;
	uint64_t address = on_condition ? record->other : record->address;
	struct checker_thread *thread = &world->threads[record->thread];
	struct checker_lock *lock;

	switch (record->kind) {
	case EV_REQUEST:
	case EV_READ_REQUEST: return;
	}
	lock = &checker_world_change(world, CHECKER_LOCK, address)->lock;
	switch (record->kind) {
	case EV_LOCK_INIT:
	case EV_LOCK_DESTROY: reset_lock(lock, record); break;
	case EV_ACQUIRE: take_lock(lock, record, 1); break;
	case EV_RELEASE: release_lock(lock, record, false); break;
	case EV_READ_ACQUIRE: start_reading(lock, record); break;
	case EV_READ_RELEASE:
		if (lock->readers.count)
			stop_reading(lock, record);
		else
			release_lock(lock, record, false);
		break;
	case EV_WAIT:
		thread->wait_depth = is_writer(lock, record->thread) ? lock->writer.depth : 1;
		release_lock(lock, record, true);
		break;
	case EV_WOKEN:
		take_lock(lock, record, thread->wait_depth ? thread->wait_depth : 1);
		thread->wait_depth = 0;
		break;
	}
}

/* ---- which threads block a lock -------------------------------------------------------------- */

const struct checker_hold *checker_lock_obstacle(const struct checker_world *world,
						 uint64_t address, uint32_t thread, bool to_read,
						 size_t i)
{
	const struct checker_lock *lock = find_lock(world, address);

	if (lock->writer.depth && lock->writer.thread != thread && !i--)
		return &lock->writer;
	for (size_t k = 0; !to_read && k < lock->readers.count; k++) {
		if (lock->readers.items[k].thread != thread && !i--)
			return &lock->readers.items[k];
	}
	return NULL;
}

bool checker_lock_is_held_by(const struct checker_lock *lock, uint32_t thread)
{
	return is_writer(lock, thread) || find_reader(lock, thread);
}

bool checker_lock_written_by(const struct checker_world *world, uint64_t address, uint32_t thread)
{
	return is_writer(find_lock(world, address), thread);
}
