/*
 * Worlds (world.h): looks up objects, threads and heap blocks, copies them from the world below
 * before a change, and applies events.
 */
#include "check/world.h"

#include "base/mem.h"

#include <string.h>

/* ---- worlds ---------------------------------------------------------------------------------- */

struct checker_world *checker_world_open(const struct trace *trace, struct checker_survey *survey)
{
	struct checker_world *world = mem_zalloc(1, sizeof *world);

	world->trace = trace;
	world->survey = survey;
	world->threads = mem_zalloc(trace_stream_count(trace), sizeof *world->threads);
	world->memory.zeros = trace_is_text(trace);
	for (size_t i = 0; i < trace_initial_count(trace); i++) {
		struct trace_initial initial = trace_initial(trace, i);

		for (uint32_t k = 0; k < initial.size; k++)
			checker_memory_learn(world, initial.address + k, initial.value[k]);
	}
	return world;
}

struct checker_world *checker_world_on(const struct checker_world *under)
{
	struct checker_world *world = mem_zalloc(1, sizeof *world);
	uint32_t streams = trace_stream_count(under->trace);

	world->trace = under->trace;
	world->survey = under->survey;
	world->under = under;
	world->unseen = under->unseen;
	world->threads = mem_zalloc(streams, sizeof *world->threads);
	memcpy(world->threads, under->threads, streams * sizeof *world->threads);
	return world;
}

static void free_object(enum checker_class class, struct checker_object *object)
{
	if (class == CHECKER_LOCK)
		vec_free(&object->lock.readers);
	if (class == CHECKER_CONDITION) {
		vec_free(&object->condition.entries);
		vec_free(&object->condition.recorded);
	}
}

void checker_world_close(struct checker_world *world)
{
	if (!world)
		return;
	for (enum checker_class class = 0; class < CHECKER_CLASSES; class ++) {
		for (size_t i = 0; i < world->objects[class].items.count; i++)
			free_object(class, &world->objects[class].items.items[i]);
		vec_free(&world->objects[class].items);
		map_free(&world->objects[class].index);
	}
	map_free(&world->memory.index);
	vec_free(&world->memory.lines);
	vec_free(&world->memory.writers);
	vec_free(&world->memory.forgotten);
	map_free(&world->blocks);
	free(world->threads);
	free(world);
}

/* ---- objects --------------------------------------------------------------------------------- */

static const struct checker_object *find_object(const struct checker_world *world,
						enum checker_class class, uint64_t address)
{
	for (; world; world = world->under) {
		const uint64_t *position = map_get(&world->objects[class].index, address);

		if (position)
			return &world->objects[class].items.items[*position - 1];
	}
	return NULL;
}

/* Returns an object on which no operation has happened. Only a semaphore can start with a count. */
static struct checker_object new_object(const struct checker_world *world, enum checker_class class,
					uint64_t address)
{
	struct checker_object object = { .address = address };

	if (class == CHECKER_SEMAPHORE) {
		object.semaphore.count = checker_survey_semaphore(world->survey, address);
		object.semaphore.exact = trace_is_text(world->trace) &&
					 !checker_survey_reinitialises(world->survey, address);
	}
	return object;
}

const struct checker_object *checker_world_see(const struct checker_world *world,
					       enum checker_class class, uint64_t address)
{
	static _Thread_local struct checker_object fresh;
	const struct checker_object *object = find_object(world, class, address);

	if (object)
		return object;
	fresh = new_object(world, class, address);
	return &fresh;
}

static void *copy_items(const void *items, size_t count, size_t size)
{
	void *copy;

	if (!count)
		return NULL;
	copy = mem_alloc(count * size);
	memcpy(copy, items, count * size);
	return copy;
}

/* After an object was copied from another world: gives the copy its own lists. */
static void own_lists(enum checker_class class, struct checker_object *object)
{
	struct checker_lock *lock = &object->lock;
	struct checker_condition *condition = &object->condition;

	if (class == CHECKER_LOCK) {
		lock->readers.room = lock->readers.count;
		lock->readers.items = copy_items(lock->readers.items, lock->readers.count,
						 sizeof *lock->readers.items);
	}
	if (class == CHECKER_CONDITION) {
		condition->entries.room = condition->entries.count;
		condition->entries.items =
			copy_items(condition->entries.items, condition->entries.count,
				   sizeof *condition->entries.items);
		condition->recorded.room = condition->recorded.count;
		condition->recorded.items =
			copy_items(condition->recorded.items, condition->recorded.count,
				   sizeof *condition->recorded.items);
	}
}

struct checker_object *checker_world_change(struct checker_world *world, enum checker_class class,
					    uint64_t address)
{
	const struct checker_object *under;
	struct checker_object *object;
	bool fresh;
	uint64_t *position = map_put(&world->objects[class].index, address, &fresh);

	if (!fresh)
		return &world->objects[class].items.items[*position - 1];
	under = find_object(world->under, class, address);
	object = vec_push(&world->objects[class].items);
	*position = world->objects[class].items.count;
	*object = under ? *under : new_object(world, class, address);
	if (under)
		own_lists(class, object);
	return object;
}

bool checker_world_knows(const struct checker_world *world, enum checker_class class,
			 uint64_t address)
{
	return find_object(world, class, address);
}

bool checker_object_allows(const struct checker_world *world, enum checker_class class,
			   const struct checker_record *record, struct err *why)
{
	switch (class) {
	case CHECKER_LOCK: return checker_lock_allows(world, record, why);
	case CHECKER_CONDITION: return checker_condition_allows(world, record, why);
	case CHECKER_SEMAPHORE: return checker_semaphore_allows(world, record, why);
	case CHECKER_BARRIER: return checker_barrier_allows(world, record, why);
	case CHECKER_ONCE: return checker_once_allows(world, record, why);
	case CHECKER_CLASSES: break;
	}
	return true;
}

/* ---- threads and blocks ---------------------------------------------------------------------- */

uint64_t checker_world_block(const struct checker_world *world, uint64_t address)
{
	for (; world; world = world->under) {
		const uint64_t *size = map_get(&world->blocks, address);

		if (size)
			return *size ? *size - 1 : 0;
	}
	return 0;
}

static bool block_covers(const struct checker_world *world, uint64_t start, uint64_t address)
{
	uint64_t size = start <= address ? checker_world_block(world, start) : 0;

	return size && address - start < size;
}

bool checker_world_block_at(const struct checker_world *world, uint64_t address)
{
	const struct checker_world *top = world;

	for (; world; world = world->under) {
		for (size_t i = 0; world->blocks.slots && i <= world->blocks.mask; i++) {
			if (world->blocks.slots[i].key &&
			    block_covers(top, world->blocks.slots[i].key, address))
				return true;
		}
	}
	return false;
}

static bool is_request(const struct checker_record *record)
{
	switch (record->kind) {
	case EV_REQUEST:
	case EV_READ_REQUEST:
	case EV_DOWN_REQUEST:
	case EV_JOIN_REQUEST:
	case EV_WAIT:
	case EV_ARRIVE: return true;
	}
	return false;
}

static void apply_thread(struct checker_world *world, const struct checker_record *record)
{
	struct checker_thread *self = &world->threads[record->stream];
	uint32_t other;

	switch (record->kind) {
	case EV_CREATE:
		other = checker_stream_of(world->trace, record->number);
		if (other != TRACE_NONE)
			world->threads[other].created = true;
		else
			world->unseen++;
		break;
	case EV_BEGIN:
		self->stack_low = record->address;
		self->stack_high = record->other;
		break;
	case EV_END: self->ended = true; break;
	}
}

void checker_world_apply(struct checker_world *world, const struct checker_record *record,
			 uint32_t number)
{
	struct checker_thread *self = &world->threads[record->stream];

	/* a thread that does something else has passed the barrier; an ARRIVE sets this again */
	self->at_barrier = false;
	switch (event_group(record->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC: checker_memory_apply(world, record, number); break;
	case EG_MEMORY:
		if (record->kind == EV_ALLOC || record->kind == EV_FREE)
			*map_put(&world->blocks, record->address, NULL) =
				record->kind == EV_ALLOC ? record->size + 1 : 0;
		checker_memory_apply(world, record, number);
		break;
	case EG_THREAD: apply_thread(world, record); break;
	case EG_LOCK: checker_lock_apply(world, record); break;
	case EG_CONDITION:
		checker_condition_apply(world, record, number);
		if (record->kind == EV_WAIT || record->kind == EV_WOKEN)
			checker_lock_apply(world, record);
		break;
	case EG_SEMAPHORE: checker_semaphore_apply(world, record); break;
	case EG_BARRIER: checker_barrier_apply(world, record); break;
	case EG_ONCE: checker_once_apply(world, record); break;
	default: break;
	}
	self->done++;
	if (is_request(record))
		self->pending = world->threads[record->thread].hangs = *record;
	else
		self->pending.kind = world->threads[record->thread].hangs.kind = EV_NONE;
}
