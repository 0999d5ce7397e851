#include "check/blocked_request.h"

/* ---- what a thread requests ---------------------------------------------------------------- */

static struct checker_want want_next(const struct checker_play *play, uint32_t number)
{
	const struct checker_record *record = checker_base_record(play->base, number);
	const struct checker_thread *self = &play->world->threads[record->stream];
	struct checker_want want = {
		.kind = record->kind,
		.timed = record->mode != EVENT_PLAIN,
		.thread = record->thread,
		.address = record->address,
		.event = record,
	};
	struct err why;

	switch (record->kind) {
	case EV_WOKEN:
		want.mutex = record->other;
		want.timed = record->mode || self->pending.mode == EVENT_TIMED;
		break;
	case EV_JOIN:
		want.address = checker_stream_of(play->world->trace, record->number);
		if (record->bits & CHECKER_UNEXPLAINED)
			want.kind = EV_NONE;
		break;
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
	case EV_DOWN:
	case EV_ONCE: break;
	default: /* it may be at a barrier, even without a PASS record */
		want.kind = self->meets ? EV_PASS : EV_NONE;
		want.address = self->barrier;
	}
	if (!checker_play_is_ready(play, number, &why))
		want.kind = EV_NONE;
	return want;
}

static struct checker_want want_pending(const struct checker_play *play, uint32_t thread)
{
	const struct checker_record *record = &play->world->threads[thread].hangs;
	struct checker_want want = {
		.kind = EV_NONE,
		.pending = true,
		.thread = thread,
		.address = record->address,
		.event = record,
	};

	switch (record->kind) {
	case EV_REQUEST: want.kind = EV_ACQUIRE; break;
	case EV_READ_REQUEST: want.kind = EV_READ_ACQUIRE; break;
	case EV_DOWN_REQUEST: want.kind = EV_DOWN; break;
	case EV_ARRIVE: want.kind = EV_PASS; break;
	case EV_JOIN_REQUEST:
		want.kind = EV_JOIN;
		want.address = checker_stream_of(play->world->trace, record->number);
		break;
	case EV_WAIT:
		want.kind = EV_WOKEN;
		want.mutex = record->other;
		want.timed = record->mode == EVENT_TIMED;
		break;
	}
	return want;
}

struct checker_want checker_want_of(const struct checker_play *play, uint32_t thread)
{
	if (play->next[thread] != CHECKER_END)
		return want_next(play, play->next[thread]);
	if (checker_play_hangs(play, thread))
		return want_pending(play, thread);
	return (struct checker_want){ .kind = EV_NONE, .thread = thread };
}

/* ---- what blocks it ------------------------------------------------------------------------ */

/* Is the object judged? A frozen object blocks no thread. */
static bool is_judged(const struct checker_play *play, const struct checker_want *want)
{
	switch (want->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE:
		return !checker_base_is_frozen(play->base, CHECKER_LOCK, want->address);
	case EV_WOKEN: return !checker_base_is_frozen(play->base, CHECKER_LOCK, want->mutex);
	case EV_DOWN: return !checker_base_is_frozen(play->base, CHECKER_SEMAPHORE, want->address);
	case EV_PASS: return !checker_base_is_frozen(play->base, CHECKER_BARRIER, want->address);
	case EV_ONCE: return !checker_base_is_frozen(play->base, CHECKER_ONCE, want->address);
	}
	return true;
}

static uint32_t lock_blocker(const struct checker_play *play, const struct checker_want *want,
			     uint64_t address, size_t i)
{
	bool to_read = want->kind == EV_READ_ACQUIRE;
	const struct checker_hold *hold =
		checker_lock_obstacle(play->world, address, want->thread, to_read, i);
	uint8_t kind = checker_world_see(play->world, CHECKER_LOCK, address)->lock.kind;

	if (hold)
		return hold->thread;
	/* A request that was never granted can block itself; it comes after all other blockers. */
	if (want->kind == EV_ACQUIRE && want->pending && kind != EVENT_LOCK_RECURSIVE &&
	    !map_get(&play->base->recursive, address) &&
	    checker_lock_written_by(play->world, address, want->thread) &&
	    (!i || checker_lock_obstacle(play->world, address, want->thread, to_read, i - 1)))
		return want->thread;
	return CHECKER_END;
}

/* A thread can be joined when all of its events have happened and it does not hang at its end. */
static bool can_be_joined(const struct checker_play *play, uint64_t stream)
{
	return stream == TRACE_NONE || (checker_play_is_through(play, (uint32_t)stream) &&
					!checker_play_hangs(play, (uint32_t)stream));
}

uint32_t checker_want_blocker(const struct checker_play *play, const struct checker_want *want,
			      size_t i)
{
	const struct checker_once *once;

	if (!is_judged(play, want) || (want->timed && want->kind != EV_WOKEN))
		return CHECKER_END;
	switch (want->kind) {
	case EV_ACQUIRE:
	case EV_READ_ACQUIRE: return lock_blocker(play, want, want->address, i);
	case EV_WOKEN: return lock_blocker(play, want, want->mutex, i);
	case EV_JOIN:
		return i || can_be_joined(play, want->address) ? CHECKER_END
							       : (uint32_t)want->address;
	case EV_ONCE:
		once = &checker_world_see(play->world, CHECKER_ONCE, want->address)->once;
		return !i && once->running && once->runner.thread != want->thread
			       ? once->runner.thread
			       : CHECKER_END;
	}
	return CHECKER_END;
}

bool checker_want_is_blocked(const struct checker_play *play, const struct checker_want *want)
{
	const struct checker_semaphore *semaphore;

	if (checker_want_blocker(play, want, 0) != CHECKER_END)
		return true;
	if (!is_judged(play, want))
		return false;
	switch (want->kind) {
	case EV_DOWN:
		semaphore = &checker_world_see(play->world, CHECKER_SEMAPHORE, want->address)
				     ->semaphore;
		return !want->timed && semaphore->exact && !semaphore->count;
	case EV_PASS: return checker_play_is_at_barrier(play, want->event->stream);
	}
	return false;
}

bool checker_want_is_wait(const struct checker_play *play, const struct checker_want *want)
{
	return want->kind == EV_WOKEN && !want->timed &&
	       !checker_base_is_frozen(play->base, CHECKER_CONDITION, want->address);
}
