/*
 * Checks misuse of threads and synchronisation objects (doc/prediction.md, "Misuse"): destroyed
 * while in use, used before initialisation, joined although detached; and misuse by a single event
 * of the recorded run. Use after the end of a lifetime is in lifetime.c.
 */
#include "check/claim.h"
#include "check/touch.h"

static const struct checker_record *find_record(const struct checker_play *play, uint32_t number)
{
	return checker_base_record(play->base, number);
}

/* Returns the first synchronisation object on which the event operates, or NULL. */
static const struct checker_operand *first_operand(const struct checker_touch *touch)
{
	return touch->operand_count ? &touch->operands[0] : NULL;
}

/* ---- destroyed while in use ------------------------------------------------------------------ */

static bool is_hold(const struct checker_play *play, const struct checker_hold *hold,
		    const struct event_id *event)
{
	return hold->depth &&
	       trace_stream(play->world->trace, hold->stream)->number == event->stream &&
	       hold->index == event->index;
}

/*
 * Has the event's thread held the lock since this event? A thread that has ended holds no robust
 * lock.
 */
static bool holds_since(const struct checker_play *play, uint64_t address,
			const struct event_id *event)
{
	const struct checker_lock *lock =
		&checker_world_see(play->world, CHECKER_LOCK, address)->lock;

	if (is_hold(play, &lock->writer, event))
		return lock->kind != EVENT_LOCK_ROBUST ||
		       !play->world->threads[lock->writer.thread].ended;
	for (size_t i = 0; i < lock->readers.count; i++) {
		if (is_hold(play, &lock->readers.items[i], event))
			return true;
	}
	return false;
}

/* Is the event its stream's last one, of this kind and on this object? */
static bool is_last_event(const struct checker_play *play, const struct event_id *event,
			  uint8_t kind, uint64_t address)
{
	uint32_t stream = checker_stream_of(play->world->trace, event->stream);
	const struct checker_record *last;

	if (stream == TRACE_NONE)
		return false;
	last = &play->world->threads[stream].pending;
	return last->kind == kind && last->address == address &&
	       checker_claim_names(play, event, last);
}

static bool keeps_in_use(const struct checker_play *play, const struct checker_operand *object,
			 const struct event_id *event)
{
	uint32_t thread = checker_claim_thread(play, event);

	switch (object->class) {
	case CHECKER_LOCK: return holds_since(play, object->address, event);
	case CHECKER_CONDITION:
		return is_last_event(play, event, EV_WAIT, object->address) &&
		       checker_condition_unwoken(play->world, object->address, &thread, 1);
	case CHECKER_BARRIER:
		return is_last_event(play, event, EV_ARRIVE, object->address) &&
		       checker_play_is_at_barrier(
			       play, checker_stream_of(play->world->trace, event->stream));
	case CHECKER_SEMAPHORE:
	case CHECKER_ONCE:
	case CHECKER_CLASSES: break;
	}
	return false;
}

static bool destroys_in_use(const struct checker_play *play, const struct event_id *events,
			    struct err *err)
{
	uint32_t number = checker_claim_number(play, &events[0], err);
	const struct checker_operand *object;
	struct checker_touch touch;
	struct err why;

	if (!number)
		return false;
	touch = checker_touch_of(play->base, number);
	object = first_operand(&touch);
	if (touch.object != CHECKER_ENDS)
		return err_set(err, "%s does not destroy an object",
			       checker_claim_words(play, events).text);
	if (checker_base_is_frozen(play->base, object->class, object->address))
		return err_set(err, "not all operations on %s are recorded",
			       checker_object_words(play->world->trace, object->address).text);
	if (checker_claim_thread(play, &events[1]) == find_record(play, number)->thread)
		return err_set(err, "the destroy and the use are in the same thread");
	if (!checker_claim_is_next(play, &events[0], CHECKER_NO_LIFETIMES, err))
		return false;
	if (!checker_play_has_begun(play, number, &why))
		return err_set(err, "%s cannot come next: %.*s",
			       checker_claim_words(play, &events[0]).text,
			       (int)(sizeof err->text / 2), why.text);
	if (!keeps_in_use(play, object, &events[1]))
		return err_set(err, "%s does not keep %s in use",
			       checker_claim_words(play, &events[1]).text,
			       checker_object_words(play->world->trace, object->address).text);
	return true;
}

/* ---- used before initialisation -------------------------------------------------------------- */

/*
 * Can no static initialiser have initialised the object: because barriers and semaphores have none,
 * or because it is on the heap or on a stack? In a text trace all objects count as such.
 */
static bool has_no_initialiser(const struct checker_play *play,
			       const struct checker_operand *object)
{
	uint64_t address = object->address;

	if (object->class == CHECKER_BARRIER || object->class == CHECKER_SEMAPHORE)
		return true;
	if (trace_is_text(play->world->trace) || checker_world_block_at(play->world, address))
		return true;
	for (uint32_t i = 0; i < play->base->streams; i++) {
		const struct checker_thread *thread = &play->world->threads[i];

		if (!thread->ended && address >= thread->stack_low && address < thread->stack_high)
			return true;
	}
	return false;
}

/*
 * Is the use in the lifetime that `begin` begins, and is that the object's first lifetime in the
 * window? If the object was used before, it may have been initialised in another way.
 */
static bool is_first_life(const struct checker_play *play, uint32_t begin, uint32_t use,
			  const struct checker_touch *object, struct err *err)
{
	if (use < begin)
		return err_set(err, "the use came before the initialisation in the recorded run");
	for (uint32_t i = 1; i < use; i++) {
		struct checker_touch touch = checker_touch_of(play->base, i);

		if (i != begin && (i < begin || touch.object != CHECKER_USES) &&
		    checker_touch_same(&touch, object))
			return err_set(err, "the recorded run uses the object before");
	}
	return true;
}

static bool is_untouched(const struct checker_play *play, const struct checker_touch *object)
{
	for (size_t i = 0; i < play->order.count; i++) {
		struct checker_touch touch = checker_touch_of(play->base, play->order.items[i]);

		if (checker_touch_same(&touch, object))
			return false;
	}
	return !checker_world_knows(play->base->start, object->operands[0].class,
				    object->operands[0].address);
}

static bool uses_too_early(const struct checker_play *play, const struct event_id *events,
			   struct err *err)
{
	uint32_t begin = checker_claim_number(play, &events[0], err);
	uint32_t use = begin ? checker_claim_number(play, &events[1], err) : 0;
	struct checker_touch object, touch;

	if (!use)
		return false;
	object = checker_touch_of(play->base, begin);
	touch = checker_touch_of(play->base, use);
	if (object.object != CHECKER_BEGINS)
		return err_set(err, "%s does not initialise a sync object",
			       checker_claim_words(play, &events[0]).text);
	if (touch.object != CHECKER_USES || !checker_touch_same(&touch, &object))
		return err_set(err, "%s does not use what %s initialises",
			       checker_claim_words(play, &events[1]).text,
			       checker_claim_words(play, &events[0]).text);
	if (find_record(play, begin)->thread == find_record(play, use)->thread)
		return err_set(err, "the initialisation and the use are in the same thread");
	if (checker_play_happened(play, begin))
		return err_set(err, "%s has already happened",
			       checker_claim_words(play, &events[0]).text);
	if (!is_first_life(play, begin, use, &object, err))
		return false;
	if (!is_untouched(play, &object))
		return err_set(err, "the object has been used before");
	if (!has_no_initialiser(play, &object.operands[0]))
		return err_set(err, "the object may have a static initialiser");
	return checker_claim_is_next(play, &events[1], CHECKER_NO_OBJECTS, err);
}

/* ---- joined although detached ---------------------------------------------------------------- */

static bool is_join_of(const struct checker_play *play, uint32_t number, uint64_t thread)
{
	const struct checker_record *record = find_record(play, number), *next;

	if (record->kind == EV_JOIN)
		return record->number == thread;
	if (record->kind != EV_JOIN_REQUEST || record->next == CHECKER_END)
		return false;
	next = find_record(play, record->next);
	return record->number == thread && next->kind == EV_JOIN && next->number == thread;
}

static bool joins_detached(const struct checker_play *play, const struct event_id *events,
			   struct err *err)
{
	uint32_t detach = checker_claim_number(play, &events[0], err);
	uint32_t join = detach ? checker_claim_number(play, &events[1], err) : 0;

	if (!join)
		return false;
	if (find_record(play, detach)->kind != EV_DETACH)
		return err_set(err, "%s does not detach a thread",
			       checker_claim_words(play, &events[0]).text);
	if (!is_join_of(play, join, find_record(play, detach)->number))
		return err_set(err, "%s does not join the thread that %s detaches",
			       checker_claim_words(play, &events[1]).text,
			       checker_claim_words(play, &events[0]).text);
	if (find_record(play, detach)->thread == find_record(play, join)->thread)
		return err_set(err, "both events are in the same thread");
	return checker_claim_is_next(play, &events[1], 0, err) &&
	       (checker_play_happened(play, detach) ||
		checker_claim_is_next(play, &events[0], 0, err));
}

/* ---- misuse in the recorded run -------------------------------------------------------------- */

/*
 * Does a thread release a lock that it does not hold? This is tested in text traces only. In a
 * recording there is a MISUSE event, because the library reports it.
 */
static bool releases_unheld_lock(const struct checker_play *play, uint32_t number)
{
	const struct checker_record *record = find_record(play, number);
	struct checker_world *world;
	bool without;

	if ((record->kind != EV_RELEASE && record->kind != EV_READ_RELEASE) ||
	    !trace_is_text(play->world->trace))
		return false;
	world = checker_base_before(play->base, number);
	without = !checker_lock_is_held_by(
		&checker_world_see(world, CHECKER_LOCK, record->address)->lock, record->thread);
	checker_world_close(world);
	return without;
}

/*
 * Does the thread hold any lock? Frozen locks do not count, because unrecorded code may have
 * released them. Robust locks do not count either: they are left to the next thread.
 */
static bool holds_any(const struct checker_play *play, const struct checker_world *world,
		      uint32_t thread)
{
	const struct checker_world *top = world;

	for (; world; world = world->under) {
		for (size_t i = 0; i < world->objects[CHECKER_LOCK].items.count; i++) {
			uint64_t address = world->objects[CHECKER_LOCK].items.items[i].address;
			const struct checker_lock *lock =
				&checker_world_see(top, CHECKER_LOCK, address)->lock;

			if (checker_lock_is_held_by(lock, thread) &&
			    lock->kind != EVENT_LOCK_ROBUST &&
			    !checker_base_is_frozen(play->base, CHECKER_LOCK, address))
				return true;
		}
	}
	return false;
}

/*
 * Does a thread end while it holds a lock? In a recording, the end of the main thread does not
 * count: it ends the process, so no thread waits for a lock any more.
 */
static bool ends_with_lock(const struct checker_play *play, uint32_t number)
{
	const struct checker_record *record = find_record(play, number);
	struct checker_world *world;
	bool with;

	if (record->kind != EV_END ||
	    (!trace_is_text(play->world->trace) &&
	     !checker_survey_creates(play->world->survey,
				     trace_stream(play->world->trace, record->thread)->number)))
		return false;
	world = checker_base_before(play->base, number);
	with = holds_any(play, world, record->thread);
	checker_world_close(world);
	return with;
}

static bool is_recorded_misuse(const struct checker_play *play, enum event_misuse misuse,
			       const struct event_id *event, struct err *err)
{
	uint32_t number = checker_claim_number(play, event, err);
	const struct checker_record *record;

	if (!number)
		return false;
	record = find_record(play, number);
	if ((record->kind == EV_MISUSE && record->mode == misuse) ||
	    (misuse == EVENT_MISUSE_NOT_HELD && releases_unheld_lock(play, number)) ||
	    (misuse == EVENT_MISUSE_HELD_AT_END && ends_with_lock(play, number)))
		return true;
	return err_set(err, "%s is not a misuse of this kind",
		       checker_claim_words(play, event).text);
}

/* ---- all kinds of misuse --------------------------------------------------------------------- */

bool checker_play_misuses(const struct checker_play *play, const struct checker_witness *witness,
			  struct err *err)
{
	if (witness->misuse == EVENT_MISUSE_NO_RECHECK)
		return err_set(err, "a wait without a recheck is a warning, not a claim");
	if (witness->event_count == 1 && witness->misuse != EVENT_MISUSE_NONE)
		return is_recorded_misuse(play, witness->misuse, witness->events, err);
	if (witness->event_count != 2)
		return err_set(err, "a misuse has one or two events, not %zu",
			       witness->event_count);
	switch (witness->misuse) {
	case EVENT_MISUSE_DESTROYED:
	case EVENT_MISUSE_CLOSED: return checker_play_uses_after_end(play, witness, err);
	case EVENT_MISUSE_DESTROY_IN_USE: return destroys_in_use(play, witness->events, err);
	case EVENT_MISUSE_NOT_INIT: return uses_too_early(play, witness->events, err);
	case EVENT_MISUSE_JOIN_DETACHED: return joins_detached(play, witness->events, err);
	default: break;
	}
	return err_set(
		err,
		"a misuse of this kind has a single event, and the recorded run must contain it");
}
