/* Semaphores, barriers and pthread_once: objects with a count. */
#include "check/world.h"

#include <inttypes.h>

/* ---- semaphores ------------------------------------------------------------------------------ */

static const struct checker_semaphore *see_semaphore(const struct checker_world *world,
						     uint64_t address)
{
	return &checker_world_see(world, CHECKER_SEMAPHORE, address)->semaphore;
}

bool checker_semaphore_allows(const struct checker_world *world,
			      const struct checker_record *record, struct err *why)
{
	uint64_t count = see_semaphore(world, record->address)->count;
	struct checker_words name = checker_object_words(world->trace, record->address);

	if (record->kind == EV_DOWN && !count)
		return err_set(why, "takes from semaphore %s, which is at 0", name.text);
	if (record->kind == EV_DOWN_FAIL && record->mode != EVENT_TIMED && count)
		return err_set(why, "fails to take from semaphore %s, which is at %" PRIu64,
			       name.text, count);
	return true;
}

void checker_semaphore_apply(struct checker_world *world, const struct checker_record *record)
{
	struct checker_semaphore *semaphore;

	if (record->kind == EV_DOWN_REQUEST)
		return; /* it does nothing to the semaphore */
	semaphore = &checker_world_change(world, CHECKER_SEMAPHORE, record->address)->semaphore;
	switch (record->kind) {
	case EV_SEM_INIT: *semaphore = (struct checker_semaphore){ record->number, true }; break;
	case EV_SEM_DESTROY: *semaphore = (struct checker_semaphore){ 0, false }; break;
	case EV_POST: semaphore->count++; break;
	case EV_DOWN: semaphore->count -= semaphore->count > 0; break;
	}
}

/* ---- barriers -------------------------------------------------------------------------------- */

/*
 * Returns the number of threads that meet in a round. Which threads meet is fixed: an ARRIVE
 * carries the number of its round in the base run (`note`). The rounds of a barrier come one after
 * the other, so one count, for the current round, suffices.
 */
static uint64_t round_size(const struct checker_barrier *barrier,
			   const struct checker_record *record)
{
	return barrier->size ? barrier->size
			     : record->number; /* the INIT or the first arrival gives the number */
}

static bool can_arrive(const struct checker_world *world, const struct checker_record *record,
		       struct err *why)
{
	const struct checker_barrier *barrier =
		&checker_world_see(world, CHECKER_BARRIER, record->address)->barrier;
	struct checker_words name = checker_object_words(world->trace, record->address);
	uint32_t next = checker_barrier_next(world, record->address);
	uint64_t size = round_size(barrier, record);

	if (!size)
		return err_set(why, "arrives at barrier %s, whose thread count is unknown",
			       name.text);
	if (record->number && record->number != size)
		return err_set(
			why, "arrives at barrier %s for %" PRIu64 " threads, which is for %" PRIu64,
			name.text, record->number, size);
	if (record->note > next)
		return err_set(why, "arrives at barrier %s before the previous round is complete",
			       name.text);
	return true;
}

uint32_t checker_barrier_next(const struct checker_world *world, uint64_t address)
{
	const struct checker_barrier *barrier =
		&checker_world_see(world, CHECKER_BARRIER, address)->barrier;

	return barrier->round + (barrier->size && barrier->arrived >= barrier->size);
}

bool checker_barrier_complete(const struct checker_world *world, uint64_t address, uint32_t round)
{
	const struct checker_barrier *barrier =
		&checker_world_see(world, CHECKER_BARRIER, address)->barrier;

	return round < barrier->round ||
	       (round == barrier->round && barrier->arrived >= barrier->size);
}

bool checker_barrier_is_used(const struct checker_world *world, uint64_t address)
{
	const struct checker_barrier *barrier =
		&checker_world_see(world, CHECKER_BARRIER, address)->barrier;

	return barrier->arrived && barrier->arrived < barrier->size;
}

bool checker_barrier_allows(const struct checker_world *world, const struct checker_record *record,
			    struct err *why)
{
	const struct checker_thread *thread = &world->threads[record->stream];
	struct checker_words name = checker_object_words(world->trace, record->address);

	if (record->kind == EV_ARRIVE)
		return can_arrive(world, record, why);
	if (record->kind != EV_PASS)
		return true;
	if (!thread->at_barrier || thread->barrier != record->address)
		return err_set(why, "passes barrier %s, where it did not arrive", name.text);
	if (checker_barrier_complete(world, record->address, thread->round))
		return true;
	return err_set(why, "passes barrier %s before all threads have arrived", name.text);
}

static void apply_arrival(struct checker_world *world, const struct checker_record *record)
{
	struct checker_barrier *barrier =
		&checker_world_change(world, CHECKER_BARRIER, record->address)->barrier;
	struct checker_thread *thread = &world->threads[record->stream];

	uint32_t next = checker_barrier_next(world, record->address);
	if (next > barrier->round) {
		barrier->round = next;
		barrier->arrived = 0;
	}
	/*
	 * stored even if it contradicts the size: the next arrival is judged by the last number
	 * given
	 */
	if (record->number)
		barrier->size = record->number;
	barrier->arrived++;
	thread->at_barrier = true;
	thread->barrier = record->address;
	thread->round = barrier->round;
}

void checker_barrier_apply(struct checker_world *world, const struct checker_record *record)
{
	struct checker_barrier *barrier;

	barrier = &checker_world_change(world, CHECKER_BARRIER, record->address)->barrier;
	switch (record->kind) {
	case EV_BARRIER_INIT:
	case EV_BARRIER_DESTROY:
		*barrier = (struct checker_barrier){
			record->kind == EV_BARRIER_INIT ? record->number : 0, 0, barrier->round + 1
		};
		break;
	case EV_ARRIVE: apply_arrival(world, record); break;
	}
}

/* ---- once ------------------------------------------------------------------------------------ */

/*
 * A routine that ends with an exception is run again, so a once can have several ends. An event
 * carries how many ends came before it in the base run (`note`), and waits for as many.
 */
bool checker_once_allows(const struct checker_world *world, const struct checker_record *record,
			 struct err *why)
{
	const struct checker_once *once =
		&checker_world_see(world, CHECKER_ONCE, record->address)->once;
	struct checker_words name = checker_object_words(world->trace, record->address);

	if (record->kind == EV_ONCE_END)
		return once->passed_early
			       ? err_set(why,
					 "ends once %s, which other threads have passed already",
					 name.text)
			       : true;
	if (once->running)
		return err_set(
			why, "reaches once %s, which %s has been running since its event %" PRIu64,
			name.text, checker_thread_words(world->trace, once->runner.stream).text,
			once->runner.index);
	if (once->ended < record->note)
		return err_set(why, "reaches once %s before it has been run", name.text);
	return true;
}

void checker_once_apply(struct checker_world *world, const struct checker_record *record)
{
	struct checker_once *once =
		&checker_world_change(world, CHECKER_ONCE, record->address)->once;

	switch (record->kind) {
	case EV_ONCE_BEGIN:
		once->running = true;
		once->runner =
			(struct checker_hold){ record->thread, 1, record->stream, record->index };
		break;
	case EV_ONCE_END:
		once->running = false;
		once->passed_early = false;
		once->ended++;
		break;
	case EV_ONCE: once->passed_early |= !once->ended; break;
	}
}
