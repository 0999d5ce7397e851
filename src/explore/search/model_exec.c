/*
 * States of the model (threads, shared memory cells, objects, heap blocks) and the effect of each
 * operation on a state. Objects behave as described in doc/controlled-runs.md.
 */
#include "explore/search/model_exec.h"

#include "base/hash.h"
#include "base/mem.h"
#include "event/event.h"

#include <assert.h>
#include <string.h>

/* ---- states ---------------------------------------------------------------------------------- */

/* Room in a condition's queue of waiters and of tokens that signals leave. */
#define QUEUE 24
#define TOKEN 255 /* stands for a token in the queue; larger than any thread number */

struct model_exec_object {
	uint16_t owner; /* thread + 1; 0: none */
	uint16_t depth, readers;
	uint16_t queued;
	int32_t count; /* semaphore: count; barrier: number of arrivals; once: 1 running, 2 done */
	uint32_t meet; /* barrier: number of threads that it waits for */
	uint8_t queue[QUEUE];
};

struct model_exec_thread {
	uint64_t view, last;
	uint32_t step;	 /* number of its next step */
	uint32_t ticket; /* at a barrier: number of arrivals before its own */
	uint32_t begun, over;
};

struct model_exec_state {
	struct model_exec_thread threads[0];
	/*
	 * After the threads follow the cells (8 bytes each), the objects, and for each block a byte
	 * that is 1 if the block was freed.
	 */
};

static uint64_t *cells_of(const struct model_exec *m, const model_exec_state *state)
{
	return (uint64_t *)(state->threads + m->threads);
}

static struct model_exec_object *object_at(const struct model_exec *m,
					   const model_exec_state *state, uint32_t i)
{
	return (struct model_exec_object *)(cells_of(m, state) + m->cells) + i;
}

static uint8_t *block_at(const struct model_exec *m, const model_exec_state *state, uint32_t i)
{
	return (uint8_t *)object_at(m, state, m->objects) + i;
}

void model_exec_make(struct model_exec *m, const struct learned_model *model)
{
	assert(model->threads <= MODEL_EXEC_THREADS);
	*m = (struct model_exec){ .model = model,
				  .threads = model->threads,
				  .objects = model->objects,
				  .blocks = model->blocks };
	m->slots = mem_alloc((model->cells.count + 1) * sizeof *m->slots);
	for (size_t i = 0; i < model->cells.count; i++) {
		const struct learned_model_cell *cell = &model->cells.items[i];
		bool kept = cell->shared && cell->written && !cell->wild;
		m->slots[i] = kept ? m->cells++ : LEARNED_MODEL_NONE;
	}
	m->bytes = m->threads * sizeof(struct model_exec_thread) + m->cells * sizeof(uint64_t) +
		   m->objects * sizeof(struct model_exec_object) + m->blocks;
	m->bytes = (m->bytes + 7) & ~(size_t)7;
}

void model_exec_free(struct model_exec *m)
{
	free(m->slots);
}

void model_exec_start(const struct model_exec *m, model_exec_state *state)
{
	memset(state, 0, m->bytes);
	for (uint32_t t = 0; t < m->threads; t++)
		state->threads[t] = (struct model_exec_thread){ .view = learned_model_start(t),
								.begun = t == 0 };
	for (size_t i = 0; i < m->model->cells.count; i++)
		if (m->slots[i] != LEARNED_MODEL_NONE)
			cells_of(m, state)[m->slots[i]] = m->model->cells.items[i].first;
}

uint64_t model_exec_hash(const struct model_exec *m, const model_exec_state *state)
{
	const uint64_t *words = (const uint64_t *)state;
	uint64_t hash = 5;

	for (size_t i = 0; i < m->bytes / 8; i++)
		hash = hash_mix(hash, words[i]);
	return hash;
}

const struct learned_model_op *model_exec_next_op(const struct model_exec *m,
						  const model_exec_state *state, uint32_t thread)
{
	return learned_model_next(m->model, state->threads[thread].view);
}

uint64_t model_exec_last(const model_exec_state *state, uint32_t thread)
{
	return state->threads[thread].last;
}

uint32_t model_exec_step(const model_exec_state *state, uint32_t thread)
{
	return state->threads[thread].step;
}

uint64_t model_exec_view(const model_exec_state *state, uint32_t thread)
{
	return state->threads[thread].view;
}

bool model_exec_ended(const struct model_exec *m, const model_exec_state *state)
{
	return learned_model_ends(m->model, state->threads[0].view);
}

static bool is_access(const struct learned_model_op *op)
{
	enum event_group group = event_group(op->kind);

	return group == EG_ACCESS || group == EG_ATOMIC;
}

bool model_exec_is_shared(const struct model_exec *m, const struct learned_model_op *op)
{
	if (op->flags & CONTROL_EVENT_NO_CHOICE)
		return false;
	if (op->block != LEARNED_MODEL_NONE || op->kind == EV_JOIN)
		return true;
	if (is_access(op))
		return op->target != LEARNED_MODEL_NONE &&
		       m->slots[op->target] != LEARNED_MODEL_NONE;
	return event_group(op->kind) != EG_THREAD && op->target != LEARNED_MODEL_NONE;
}

/* ---- can an operation happen? ---------------------------------------------------------------- */

static bool is_lock_free(const struct model_exec *m, const model_exec_state *state, uint32_t lock,
			 uint32_t thread, bool reads)
{
	const struct model_exec_object *object = object_at(m, state, lock);

	if (reads)
		return !object->owner;
	return (!object->owner && !object->readers) || object->owner == thread + 1;
}

/*
 * Returns the position of the token that would wake the thread: the oldest one after its own entry.
 * QUEUE: there is none.
 */
static uint16_t token_for(const struct model_exec_object *object, uint32_t thread)
{
	uint16_t i = 0;

	while (i < object->queued && object->queue[i] != thread)
		i++;
	while (i < object->queued && object->queue[i] != TOKEN)
		i++;
	return i < object->queued ? i : QUEUE;
}

static bool can_succeed(const struct model_exec *m, const model_exec_state *state, uint32_t thread,
			const struct learned_model_op *op)
{
	const struct model_exec_object *object;

	switch (op->kind) {
	case EV_ACQUIRE: return is_lock_free(m, state, op->target, thread, false);
	/* The lock is not recursive, so the thread fails even if it holds the lock itself. */
	case EV_ACQUIRE_FAIL:
		return is_lock_free(m, state, op->target, LEARNED_MODEL_NONE - 1, false);
	case EV_READ_ACQUIRE:
	case EV_READ_FAIL: return is_lock_free(m, state, op->target, thread, true);
	case EV_WOKEN: return token_for(object_at(m, state, op->target), thread) < QUEUE;
	case EV_DOWN:
	case EV_DOWN_FAIL: return object_at(m, state, op->target)->count > 0;
	case EV_PASS:
		object = object_at(m, state, op->target);
		return object->meet &&
		       (uint32_t)object->count >=
			       (state->threads[thread].ticket / object->meet + 1) * object->meet;
	case EV_ONCE:
	case EV_ONCE_BEGIN: return object_at(m, state, op->target)->count != 1;
	case EV_JOIN: return op->target >= m->threads || state->threads[op->target].over;
	default: return true;
	}
}

enum model_exec_can model_exec_can(const struct model_exec *m, const model_exec_state *state,
				   uint32_t thread)
{
	const struct model_exec_thread *at = &state->threads[thread];
	const struct learned_model_op *op;

	if (!at->begun || at->over)
		return MODEL_EXEC_OVER;
	op = model_exec_next_op(m, state, thread);
	if (!op)
		return MODEL_EXEC_UNKNOWN;
	if (op->kind == EV_WOKEN && !is_lock_free(m, state, op->mutex, thread, false))
		return MODEL_EXEC_BLOCKED;
	if (op->flags & CONTROL_EVENT_TRY || can_succeed(m, state, thread, op))
		return MODEL_EXEC_READY;
	return op->flags & CONTROL_EVENT_TIMED ? MODEL_EXEC_MAY_TIME_OUT : MODEL_EXEC_BLOCKED;
}

/* ---- results --------------------------------------------------------------------------------- */

static uint64_t mask_of(const struct learned_model_op *op)
{
	return (op->bytes >= 8 ? UINT64_MAX : (1ull << 8 * op->bytes) - 1) << op->shift;
}

/* Returns the result of a try, of a timed operation or of a once. */
static uint64_t result_of_attempt(const struct model_exec *m, const model_exec_state *state,
				  uint32_t thread, const struct learned_model_op *op)
{
	bool well = can_succeed(m, state, thread, op);
	uint8_t late = op->flags & CONTROL_EVENT_TIMED && !well ? CONTROL_EVENT_TIMED_OUT : 0;

	switch (op->kind) {
	case EV_ACQUIRE:
	case EV_ACQUIRE_FAIL:
		return learned_model_attempt(well ? EV_ACQUIRE : EV_ACQUIRE_FAIL, late);
	case EV_READ_ACQUIRE:
	case EV_READ_FAIL:
		return learned_model_attempt(well ? EV_READ_ACQUIRE : EV_READ_FAIL, late);
	case EV_DOWN:
	case EV_DOWN_FAIL: return learned_model_attempt(well ? EV_DOWN : EV_DOWN_FAIL, late);
	case EV_ONCE:
	case EV_ONCE_BEGIN:
		return learned_model_attempt(
			object_at(m, state, op->target)->count ? EV_ONCE : EV_ONCE_BEGIN, 0);
	default: return learned_model_attempt(op->kind, late);
	}
}

uint64_t model_exec_result(const struct model_exec *m, const model_exec_state *state,
			   uint32_t thread)
{
	const struct learned_model_op *op = model_exec_next_op(m, state, thread);

	if (!learned_model_has_result(op))
		return 0;
	if (!is_access(op))
		return result_of_attempt(m, state, thread, op);
	if (op->target == LEARNED_MODEL_NONE || m->slots[op->target] == LEARNED_MODEL_NONE ||
	    !op->bytes)
		return op->result;
	return (cells_of(m, state)[m->slots[op->target]] & mask_of(op)) >> op->shift;
}

bool model_exec_uses_freed(const struct model_exec *m, const model_exec_state *state,
			   uint32_t thread)
{
	const struct learned_model_op *op = model_exec_next_op(m, state, thread);

	return op->block != LEARNED_MODEL_NONE && *block_at(m, state, op->block);
}

/* ---- executing ------------------------------------------------------------------------------- */

static void remove_from_queue(struct model_exec_object *object, uint16_t at)
{
	memmove(object->queue + at, object->queue + at + 1, object->queued - at - 1u);
	object->queue[--object->queued] = 0;
}

static uint16_t count_tokens(const struct model_exec_object *object)
{
	uint16_t tokens = 0;

	for (uint16_t i = 0; i < object->queued; i++)
		tokens += object->queue[i] == TOKEN;
	return tokens;
}

static void enqueue(struct model_exec_object *object, uint8_t what)
{
	if (object->queued < QUEUE)
		object->queue[object->queued++] = what;
}

static void signal_one(struct model_exec_object *object)
{
	if (object->queued > 2 * count_tokens(object))
		enqueue(object, TOKEN);
}

static void wake_waiter(struct model_exec_object *object, uint32_t thread, bool by_token)
{
	uint16_t token = token_for(object, thread), i = 0;

	if (by_token && token < QUEUE)
		remove_from_queue(object, token);
	while (i < object->queued && object->queue[i] != thread)
		i++;
	if (i < object->queued)
		remove_from_queue(object, i);
	while (object->queued && 2 * count_tokens(object) > object->queued) {
		for (i = 0; object->queue[i] != TOKEN;)
			i++;
		remove_from_queue(object, i);
	}
}

static void acquire_lock(struct model_exec_object *lock, uint32_t thread)
{
	lock->owner = (uint16_t)(thread + 1);
	lock->depth++;
}

static void apply_to_object(const struct model_exec *m, model_exec_state *state, uint32_t thread,
			    const struct learned_model_op *op)
{
	struct model_exec_object *object = object_at(m, state, op->target);

	switch (op->kind) {
	case EV_ACQUIRE: acquire_lock(object, thread); break;
	case EV_RELEASE:
		if (!object->depth || --object->depth == 0)
			object->owner = object->depth = 0;
		break;
	case EV_READ_ACQUIRE: object->readers++; break;
	case EV_READ_RELEASE: object->readers -= object->readers > 0; break;
	case EV_WAIT:
		enqueue(object, (uint8_t)thread);
		object = object_at(m, state, op->mutex);
		object->owner = object->depth = 0;
		break;
	case EV_WOKEN:
		wake_waiter(object, thread,
			    !(op->flags & (CONTROL_EVENT_TIMED_OUT | CONTROL_EVENT_SPURIOUS)));
		acquire_lock(object_at(m, state, op->mutex), thread);
		break;
	case EV_SIGNAL: signal_one(object); break;
	case EV_BROADCAST:
		while (object->queued > 2 * count_tokens(object) && object->queued < QUEUE)
			enqueue(object, TOKEN);
		break;
	case EV_SEM_INIT: object->count = (int32_t)op->value; break;
	case EV_POST: object->count++; break;
	case EV_DOWN: object->count--; break;
	case EV_BARRIER_INIT: object->meet = (uint32_t)op->value; break;
	case EV_ARRIVE: state->threads[thread].ticket = (uint32_t)object->count++; break;
	case EV_ONCE_BEGIN: object->count = 1; break;
	case EV_ONCE_END: object->count = 2; break;
	default: break;
	}
}

static void apply_operation(const struct model_exec *m, model_exec_state *state, uint32_t thread,
			    const struct learned_model_op *op)
{
	uint64_t *cell;

	if (is_access(op)) {
		if (op->target == LEARNED_MODEL_NONE ||
		    m->slots[op->target] == LEARNED_MODEL_NONE || op->kind == EV_READ ||
		    op->kind == EV_ATOMIC_READ)
			return;
		cell = &cells_of(m, state)[m->slots[op->target]];
		*cell = (*cell & ~mask_of(op)) | (op->value << op->shift & mask_of(op));
	} else if (op->kind == EV_CREATE) {
		if (op->target < m->threads)
			state->threads[op->target].begun = true;
	} else if (op->kind == EV_END) {
		state->threads[thread].over = true;
	} else if (op->kind == EV_FREE) {
		if (op->block != LEARNED_MODEL_NONE)
			*block_at(m, state, op->block) = 1;
	} else if (event_group(op->kind) != EG_THREAD && op->target != LEARNED_MODEL_NONE) {
		apply_to_object(m, state, thread, op);
	}
}

bool model_exec_execute(const struct model_exec *m, model_exec_state *state, uint32_t thread)
{
	const struct learned_model_op *op = model_exec_next_op(m, state, thread);
	uint64_t result = model_exec_result(m, state, thread);
	uint64_t after = learned_model_after(state->threads[thread].view, op, result);
	const struct learned_model_op *done = learned_model_done(m->model, after);

	if (!done)
		return false;
	if (learned_model_has_result(op))
		state->threads[thread].last = learned_model_key(op, result);
	state->threads[thread].view = after;
	state->threads[thread].step = op->step + 1;
	apply_operation(m, state, thread, done);
	return true;
}
