/*
 * Lists the cells, objects and heap blocks that an operation touches. Heap blocks are kept sorted
 * by address for binary search.
 */
#include "explore/search/op_uses.h"

#include "base/sort.h"
#include "event/event.h"

#include <string.h>

bool op_uses_reads(const struct control_event *event)
{
	return event->kind == EV_READ || event->kind == EV_ATOMIC_READ ||
	       event->kind == EV_ATOMIC_UPDATE;
}

bool op_uses_writes(const struct control_event *event)
{
	return event->kind == EV_WRITE || event->kind == EV_ATOMIC_WRITE ||
	       event->kind == EV_ATOMIC_UPDATE || event->kind == EV_FILL || event->kind == EV_COPY;
}

bool op_uses_sync(const struct control_event *event)
{
	switch (event_group(event->kind)) {
	case EG_LOCK:
	case EG_CONDITION:
	case EG_SEMAPHORE:
	case EG_BARRIER:
	case EG_ONCE: return true;
	default: return false;
	}
}

/* ---- heap blocks ----------------------------------------------------------------------------- */

/* Returns the index of the first block that ends after `address`. */
static size_t find_block_end(const struct use_blocks *blocks, uint64_t address)
{
	size_t at;

	SEARCH_FIRST(at, blocks->list.count, blocks->list.items[at].end > address);
	return at;
}

static void learn_block(struct use_blocks *blocks, uint64_t start, uint64_t size)
{
	size_t at = find_block_end(blocks, start), moved;

	if (at < blocks->list.count && blocks->list.items[at].start == start)
		return;
	vec_push(&blocks->list);
	moved = blocks->list.count - 1 - at;
	memmove(&blocks->list.items[at + 1], &blocks->list.items[at],
		moved * sizeof *blocks->list.items);
	blocks->list.items[at] = (struct use_block){ start, start + (size ? size : 1) };
}

void op_uses_learn_blocks(struct use_blocks *blocks, const struct control_event *events,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (events[i].kind == EV_ALLOC)
			learn_block(blocks, events[i].address, events[i].size);
}

size_t op_uses_find_block(const struct use_blocks *blocks, uint64_t address)
{
	size_t at = find_block_end(blocks, address);

	return at < blocks->list.count && blocks->list.items[at].start <= address ? at : SIZE_MAX;
}

void op_uses_free_blocks(struct use_blocks *blocks)
{
	vec_free(&blocks->list);
}

static void use_block(const struct use_blocks *blocks, uint64_t address, use_list *uses)
{
	size_t at = op_uses_find_block(blocks, address);

	if (at != SIZE_MAX)
		*vec_push(uses) =
			(struct use){ USE_BLOCK | blocks->list.items[at].start, 255, USE_SHARED };
}

/* ---- what an event touches ------------------------------------------------------------------- */

static void use_bytes(const struct use_blocks *blocks, uint64_t address, uint64_t size,
		      uint8_t mode, use_list *uses)
{
	uint64_t end = address + (size ? size : 1);

	for (uint64_t cell = address >> 3; cell <= (end - 1) >> 3; cell++) {
		unsigned mask = 255;
		if (cell == address >> 3)
			mask &= 255u << (address & 7);
		if (cell == (end - 1) >> 3)
			mask &= 255u >> (7 - ((end - 1) & 7));
		*vec_push(uses) = (struct use){ cell, (uint8_t)mask, mode };
	}
	use_block(blocks, address, uses);
}

static void use_object(const struct use_blocks *blocks, uint64_t address, uint8_t mode,
		       use_list *uses)
{
	*vec_push(uses) = (struct use){ USE_SYNC | address, 255, mode };
	use_block(blocks, address, uses);
}

static uint8_t mode_of(const struct control_event *event, bool any_outcome)
{
	if (any_outcome && (event->flags & (CONTROL_EVENT_TRY | CONTROL_EVENT_TIMED)))
		return USE_ALONE;
	switch (event->kind) {
	case EV_READ_ACQUIRE: return USE_SHARED;
	case EV_ACQUIRE_FAIL:
	case EV_READ_FAIL:
	case EV_DOWN_FAIL: return any_outcome ? USE_ALONE : USE_FAILED;
	default: return USE_ALONE;
	}
}

void op_uses_of(const struct use_blocks *blocks, const struct control_event *event,
		bool any_outcome, use_list *uses)
{
	bool writes;

	switch (event_group(event->kind)) {
	case EG_ACCESS:
	case EG_ATOMIC:
		if (event->kind == EV_COPY)
			use_bytes(blocks, event->other, event->size, USE_SHARED, uses);
		/*
		 * For any outcome: an atomic read may be a compare-and-exchange that failed and can
		 * succeed.
		 */
		writes = op_uses_writes(event) || (any_outcome && event->kind == EV_ATOMIC_READ);
		if (event->kind != EV_FENCE)
			use_bytes(blocks, event->address, event->size,
				  writes ? USE_ALONE : USE_SHARED, uses);
		return;
	case EG_MEMORY:
		if (event->kind == EV_FREE)
			*vec_push(uses) =
				(struct use){ USE_BLOCK | event->address, 255, USE_ALONE };
		return;
	case EG_LOCK:
	case EG_CONDITION:
	case EG_SEMAPHORE:
	case EG_BARRIER:
	case EG_ONCE:
		use_object(blocks, event->address, mode_of(event, any_outcome), uses);
		if (event->kind == EV_WAIT || event->kind == EV_WOKEN)
			use_object(blocks, event->other, USE_ALONE, uses);
		return;
	default: return; /* threads: enable, but do not conflict; other events: invisible */
	}
}

uint64_t op_uses_count_bytes(const struct control_event *events, size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		if (event_group(events[i].kind) == EG_ACCESS)
			bytes += events[i].size;
	return bytes;
}

bool op_uses_conflict(const use_list *one, const use_list *other)
{
	for (size_t a = 0; a < one->count; a++)
		for (size_t b = 0; b < other->count; b++) {
			const struct use *x = &one->items[a], *y = &other->items[b];
			if (x->key == y->key && (x->mask & y->mask) &&
			    use_conflicts(x->mode, y->mode))
				return true;
		}
	return false;
}
