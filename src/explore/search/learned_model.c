/*
 * Learns from a run, event by event: computes the thread's view before and after the event and
 * stores the operation under both. Tracks the values of memory cells, because the log of an atomic
 * update has only the new value.
 */
#include "explore/search/learned_model.h"

#include "base/hash.h"
#include "base/mem.h"
#include "event/event.h"

#define MOST_EVENTS 4000       /* in a run; longer runs are not learnt */
#define MOST_OPERATIONS 400000 /* in the model; then nothing more is learnt */
/*
 * Limit on the bytes that a run accesses, including copies and fills; a run with more is not
 * learnt. Every eight bytes become a cell, and a buffer of gigabytes would need too many cells.
 */
#define MOST_BYTES (1u << 20)

void learned_model_free(struct learned_model *model)
{
	map_free(&model->next);
	map_free(&model->done);
	map_free(&model->ends);
	vec_free(&model->ops);
	map_free(&model->cell_numbers);
	map_free(&model->object_numbers);
	map_free(&model->block_numbers);
	vec_free(&model->cells);
	op_uses_free_blocks(&model->block_list);
	map_free(&model->seen);
	map_free(&model->seen_after);
}

/* ---- views ----------------------------------------------------------------------------------- */

uint64_t learned_model_start(uint32_t thread)
{
	return hash_mix(hash_mix(1, thread), 11);
}

uint64_t learned_model_after(uint64_t view, const struct learned_model_op *op, uint64_t result)
{
	return hash_mix(hash_mix(view, op->site), result);
}

uint64_t learned_model_attempt(uint8_t kind, uint8_t flags)
{
	return kind * 256u + (flags & (CONTROL_EVENT_TIMED_OUT | CONTROL_EVENT_SPURIOUS));
}

bool learned_model_has_result(const struct learned_model_op *op)
{
	switch (op->kind) {
	case EV_READ:
	case EV_ATOMIC_READ:
	case EV_ATOMIC_UPDATE:
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL:
	case EV_DOWN_FAIL:
	case EV_ONCE:
	case EV_ONCE_BEGIN: return true;
	default: return op->flags & (CONTROL_EVENT_TRY | CONTROL_EVENT_TIMED);
	}
}

const struct learned_model_op *learned_model_next(const struct learned_model *model, uint64_t view)
{
	const uint64_t *at = map_get(&model->next, view);

	return at ? &model->ops.items[*at] : NULL;
}

const struct learned_model_op *learned_model_done(const struct learned_model *model, uint64_t after)
{
	const uint64_t *at = map_get(&model->done, after);

	return at ? &model->ops.items[*at] : NULL;
}

bool learned_model_ends(const struct learned_model *model, uint64_t view)
{
	return map_get(&model->ends, view);
}

/* ---- what is new ----------------------------------------------------------------------------- */

uint64_t learned_model_key(const struct learned_model_op *op, uint64_t result)
{
	return hash_mix(hash_mix(3, op->site), result);
}

enum learned_model_news learned_model_news(const struct learned_model *model,
					   const struct learned_model_op *op, uint64_t result,
					   uint64_t last)
{
	uint64_t key = learned_model_key(op, result);

	if (!map_get(&model->seen, key))
		return LEARNED_MODEL_NEW_RESULT;
	return map_get(&model->seen_after, hash_mix(key, last)) ? LEARNED_MODEL_NEW_VIEW
								: LEARNED_MODEL_NEW_SEQUENCE;
}

/* ---- learning -------------------------------------------------------------------------------- */

struct learned_model_learning {
	struct learned_model *model;
	uint64_t *views, *last; /* by thread: its current view; the key of its last result */
	VEC(uint64_t) values;	/* by cell: its value at this point of the run */
	VEC(uint8_t) written;	/* by cell: bit mask of the bytes that this run has written */
	bool new;
};

static uint32_t number_of(struct map *map, uint64_t address, uint32_t *count)
{
	bool fresh;
	uint64_t *number = map_put(map, address, &fresh);

	if (fresh)
		*number = (*count)++;
	return (uint32_t)*number;
}

static uint32_t cell_of(struct learned_model *model, const struct control_event *event,
			uint64_t address, bool writes)
{
	uint32_t count = (uint32_t)model->cells.count;
	uint32_t number = number_of(&model->cell_numbers, address >> 3, &count);
	struct learned_model_cell *cell;

	if (count > model->cells.count)
		*vec_push(&model->cells) = (struct learned_model_cell){ .user = event->thread };
	cell = &model->cells.items[number];
	cell->shared |= cell->user != event->thread;
	cell->written |= writes;
	return number;
}

/* The model does not track data that is copied or filled: written cells become wild. */
static void mark_cells(struct learned_model *model, const struct control_event *event,
		       uint64_t address, bool writes)
{
	for (uint64_t at = address & ~7ull; at < address + event->size; at += 8) {
		uint32_t cell = cell_of(model, event, at, writes);
		if (writes)
			model->cells.items[cell].wild = true;
	}
}

static void set_access_target(struct learned_model *model, const struct control_event *event,
			      struct learned_model_op *op)
{
	uint32_t room = 8 - (uint32_t)(event->address & 7);

	if (event->kind == EV_FENCE)
		return;
	if (event->kind == EV_COPY || event->kind == EV_FILL || event->size > room) {
		mark_cells(model, event, event->address, op_uses_writes(event));
		if (event->kind == EV_COPY)
			mark_cells(model, event, event->other, false);
	}
	op->target = cell_of(model, event, event->address, op_uses_writes(event));
	op->shift = (uint8_t)(8 * (event->address & 7));
	op->bytes = (uint8_t)(event->size < room ? event->size : room);
	if (event->kind == EV_COPY || event->kind == EV_FILL)
		op->bytes = 0;
}

static struct learned_model_op make_op(struct learned_model *model,
				       const struct control_event *event)
{
	struct learned_model_op op = { .kind = event->kind,
				       .flags = event->flags,
				       .step = event->step,
				       .target = LEARNED_MODEL_NONE,
				       .mutex = LEARNED_MODEL_NONE,
				       .block = LEARNED_MODEL_NONE,
				       .value = event->other,
				       .site = event->site };
	size_t block = op_uses_find_block(&model->block_list, event->address);

	switch (event_group(event->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC: set_access_target(model, event, &op); break;
	case EG_THREAD: op.target = (uint32_t)event->address; return op;
	case EG_LOCK:
	case EG_CONDITION:
	case EG_SEMAPHORE:
	case EG_BARRIER:
	case EG_ONCE:
		op.target = number_of(&model->object_numbers, event->address, &model->objects);
		if (event->kind == EV_WAIT || event->kind == EV_WOKEN)
			op.mutex = number_of(&model->object_numbers, event->other, &model->objects);
		break;
	case EG_MEMORY:
		if (event->kind != EV_FREE)
			return op;
		break;
	default: return op;
	}
	if (block != SIZE_MAX)
		op.block = number_of(&model->block_numbers,
				     model->block_list.list.items[block].start, &model->blocks);
	return op;
}

static uint64_t low_bytes(unsigned bytes)
{
	return bytes >= 8 ? UINT64_MAX : (1ull << 8 * bytes) - 1;
}

/*
 * Applies an access to the tracked value of its cell. Returns the value that the access found: for
 * a read, the logged value. For an atomic update it is the tracked value, which is 0 if the program
 * has neither written nor read the cell before. Otherwise returns 0.
 */
static uint64_t apply_access(struct learned_model_learning *learning,
			     const struct learned_model_op *op)
{
	struct learned_model_cell *cell = &learning->model->cells.items[op->target];
	uint64_t mask = low_bytes(op->bytes) << op->shift, found;
	uint8_t bytes = (uint8_t)(((1u << op->bytes) - 1) << op->shift / 8);
	uint64_t *value;

	while (learning->values.count <= op->target) {
		size_t next = learning->values.count;
		*vec_push(&learning->values) = learning->model->cells.items[next].first;
		*vec_push(&learning->written) = 0;
	}
	value = &learning->values.items[op->target];
	found = (*value & mask) >> op->shift;
	if (op->kind == EV_READ || op->kind == EV_ATOMIC_READ) {
		uint8_t strange =
			bytes & ~(learning->written.items[op->target] | cell->first_known);
		uint64_t read = op->value & low_bytes(op->bytes);
		if (found != read && !strange)
			cell->wild = true;
		*value = (*value & ~mask) | read << op->shift;
		if (strange) {
			cell->first = (cell->first & ~mask) | read << op->shift;
			cell->first_known |= strange;
		}
		return read;
	}
	*value = (*value & ~mask) | (op->value << op->shift & mask);
	learning->written.items[op->target] |= bytes;
	return op->kind == EV_ATOMIC_UPDATE ? found : 0;
}

static uint64_t find_result(struct learned_model_learning *learning,
			    const struct learned_model_op *op)
{
	enum event_group group = event_group(op->kind);

	if ((group == EG_ACCESS || group == EG_ATOMIC) && op->target != LEARNED_MODEL_NONE &&
	    op->bytes)
		return apply_access(learning, op);
	return learned_model_has_result(op) ? learned_model_attempt(op->kind, op->flags) : 0;
}

static void learn_event(struct learned_model_learning *learning, const struct control_event *event)
{
	struct learned_model *model = learning->model;
	struct learned_model_op op = make_op(model, event);
	uint64_t *view = &learning->views[event->thread], *last = &learning->last[event->thread];
	uint64_t result = find_result(learning, &op), *slot;
	bool fresh;

	op.result = result;
	slot = map_put(&model->next, *view, &fresh);
	if (fresh)
		*slot = model->ops.count;
	*view = learned_model_after(*view, &op, result);
	slot = map_put(&model->done, *view, &fresh);
	if (fresh) {
		*slot = model->ops.count;
		*vec_push(&model->ops) = op;
		learning->new = true;
	}
	if (!learned_model_has_result(&op))
		return;
	map_put(&model->seen, learned_model_key(&op, result), NULL);
	map_put(&model->seen_after, hash_mix(learned_model_key(&op, result), *last), NULL);
	*last = learned_model_key(&op, result);
}

bool learned_model_learn(struct learned_model *model, const struct outcome *outcome)
{
	struct learned_model_learning learning = { .model = model };
	uint32_t threads = outcome->thread_count;

	if (outcome->events_lost || outcome->event_count > MOST_EVENTS ||
	    model->ops.count > MOST_OPERATIONS ||
	    op_uses_count_bytes(outcome->events, outcome->event_count) > MOST_BYTES)
		return false;
	for (uint32_t i = 0; i < outcome->event_count; i++)
		if (threads <= outcome->events[i].thread)
			threads = outcome->events[i].thread + 1;
	learning.views = mem_alloc((threads + 1) * sizeof *learning.views);
	learning.last = mem_zalloc(threads + 1, sizeof *learning.last);
	for (uint32_t t = 0; t < threads; t++)
		learning.views[t] = learned_model_start(t);
	op_uses_learn_blocks(&model->block_list, outcome->events, outcome->event_count);
	for (uint32_t i = 0; i < outcome->event_count; i++)
		learn_event(&learning, &outcome->events[i]);
	if (outcome->result == CONTROL_ENDED)
		map_put(&model->ends, learning.views[0], NULL);
	model->threads = model->threads < threads ? threads : model->threads;
	free(learning.views);
	free(learning.last);
	vec_free(&learning.values);
	vec_free(&learning.written);
	return learning.new;
}
