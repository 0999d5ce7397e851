/* What a thread would wait for, and which threads, locks or counts block it. */
#include "check/blocked_request.h"

/* ---- what a thread requests ------------------------------------------------------------------ */

static struct checker_request request_at_next_event(const struct checker_play *play,
						    uint32_t number)
{
	const struct checker_record *record = checker_base_record(play->base, number);
	const struct checker_thread *self = &play->world->threads[record->stream];
	struct checker_request request = {
		.kind = record->kind,
		.timed = record->mode != EVENT_PLAIN,
		.thread = record->thread,
		.address = record->address,
		.event = record,
	};
	struct err why;

	switch (record->kind) {
	case EV_WOKEN:
		request.mutex = record->other;
		request.timed = record->mode || self->pending.mode == EVENT_TIMED;
		break;
	case EV_JOIN:
		request.address = checker_stream_of(play->world->trace, record->number);
		if (record->bits & CHECKER_UNEXPLAINED)
			request.kind = EV_NONE;
		break;
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_DOWN:
	case EV_ONCE: break;
	default: /* after an arrival the thread may be at a barrier, even without a PASS record */
		request.kind = self->at_barrier ? EV_PASS : EV_NONE;
		request.address = self->barrier;
	}
	if (!checker_play_is_ready(play, number, &why))
		request.kind = EV_NONE;
	return request;
}

static struct checker_request request_at_end(const struct checker_play *play, uint32_t thread)
{
	const struct checker_record *record = &play->world->threads[thread].hangs;
	struct checker_request request = {
		.kind = EV_NONE,
		.pending = true,
		.thread = thread,
		.address = record->address,
		.event = record,
	};

	switch (record->kind) {
	case EV_REQUEST: request.kind = EV_ACQUIRE; break;
	case EV_READ_REQUEST: request.kind = EV_READ_ACQUIRE; break;
	case EV_DOWN_REQUEST: request.kind = EV_DOWN; break;
	case EV_ARRIVE: request.kind = EV_PASS; break;
	case EV_JOIN_REQUEST:
		request.kind = EV_JOIN;
		request.address = checker_stream_of(play->world->trace, record->number);
		break;
	case EV_WAIT:
		request.kind = EV_WOKEN;
		request.mutex = record->other;
		request.timed = record->mode == EVENT_TIMED;
		break;
	}
	return request;
}

struct checker_request checker_next_request(const struct checker_play *play, uint32_t thread)
{
	if (play->next[thread] != CHECKER_END)
		return request_at_next_event(play, play->next[thread]);
	if (checker_play_hangs(play, thread))
		return request_at_end(play, thread);
	return (struct checker_request){ .kind = EV_NONE, .thread = thread };
}

/* ---- what blocks it -------------------------------------------------------------------------- */

/* Is the object judged? A frozen object blocks no thread. */
static bool is_judged(const struct checker_play *play, const struct checker_request *request)
{
	switch (request->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
		return !checker_base_is_frozen(play->base, CHECKER_LOCK, request->address);
	case EV_WOKEN: return !checker_base_is_frozen(play->base, CHECKER_LOCK, request->mutex);
	case EV_DOWN:
		return !checker_base_is_frozen(play->base, CHECKER_SEMAPHORE, request->address);
	case EV_PASS: return !checker_base_is_frozen(play->base, CHECKER_BARRIER, request->address);
	case EV_ONCE: return !checker_base_is_frozen(play->base, CHECKER_ONCE, request->address);
	}
	return true;
}

static uint32_t lock_blocker(const struct checker_play *play, const struct checker_request *request,
			     uint64_t address, size_t i)
{
	bool to_read = request->kind == EV_READ_ACQUIRE;
	const struct checker_hold *hold =
		checker_lock_obstacle(play->world, address, request->thread, to_read, i);
	uint8_t kind = checker_world_see(play->world, CHECKER_LOCK, address)->lock.kind;

	if (hold)
		return hold->thread;
	/*
	 * A request that was never granted can be blocked by its own thread. That thread comes
	 * after all other blockers.
	 */
	if (request->kind == EV_ACQUIRE && request->pending && kind != EVENT_LOCK_RECURSIVE &&
	    !map_get(&play->base->recursive, address) &&
	    checker_lock_written_by(play->world, address, request->thread) &&
	    (!i || checker_lock_obstacle(play->world, address, request->thread, to_read, i - 1)))
		return request->thread;
	return CHECKER_END;
}

/* A thread can be joined when all of its events have happened and it does not hang at its end. */
static bool can_be_joined(const struct checker_play *play, uint64_t stream)
{
	return stream == TRACE_NONE || (checker_play_is_finished(play, (uint32_t)stream) &&
					!checker_play_hangs(play, (uint32_t)stream));
}

uint32_t checker_request_blocker(const struct checker_play *play,
				 const struct checker_request *request, size_t i)
{
	const struct checker_once *once;

	if (!is_judged(play, request) || (request->timed && request->kind != EV_WOKEN))
		return CHECKER_END;
	switch (request->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE: return lock_blocker(play, request, request->address, i);
	case EV_WOKEN: return lock_blocker(play, request, request->mutex, i);
	case EV_JOIN:
		return i || can_be_joined(play, request->address) ? CHECKER_END
								  : (uint32_t)request->address;
	case EV_ONCE:
		once = &checker_world_see(play->world, CHECKER_ONCE, request->address)->once;
		return !i && once->running && once->runner.thread != request->thread
			       ? once->runner.thread
			       : CHECKER_END;
	}
	return CHECKER_END;
}

bool checker_request_is_blocked(const struct checker_play *play,
				const struct checker_request *request)
{
	const struct checker_semaphore *semaphore;

	if (checker_request_blocker(play, request, 0) != CHECKER_END)
		return true;
	if (!is_judged(play, request))
		return false;
	switch (request->kind) {
	case EV_DOWN:
		semaphore = &checker_world_see(play->world, CHECKER_SEMAPHORE, request->address)
				     ->semaphore;
		return !request->timed && semaphore->exact && !semaphore->count;
	case EV_PASS: return checker_play_is_at_barrier(play, request->event->stream);
	}
	return false;
}

bool checker_request_is_wait(const struct checker_play *play, const struct checker_request *request)
{
	return request->kind == EV_WOKEN && !request->timed &&
	       !checker_base_is_frozen(play->base, CHECKER_CONDITION, request->address);
}
