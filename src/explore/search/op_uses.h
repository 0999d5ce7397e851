/*
 * Determines what an operation of a controlled run touches, and whether two operations depend on
 * each other (doc/controlled-runs.md, "Policies and plans"). All searches and the sleep set of the
 * scheduler use the same definition.
 *
 * A use is a key and a mode. Keys are memory cells of 8 bytes (with a mask of bytes),
 * synchronisation objects, and heap blocks. A FREE touches all bytes of its block. Instead of
 * listing all cells, it uses the key of the block, which every access to the block uses too.
 */
#ifndef EXPLORE_SEARCH_OP_USES_H
#define EXPLORE_SEARCH_OP_USES_H

#include "base/vec.h"
#include "event/control.h"

#include <stdbool.h>

enum use_mode {
	USE_ALONE,  /* conflicts with everything */
	USE_SHARED, /* reads, read-acquires: these do not conflict with each other */
	USE_FAILED, /* failed tries: these do not conflict with each other */
};

struct use {
	uint64_t key;
	uint8_t mask; /* of the bytes in the cell; 255 if the key is not a cell */
	uint8_t mode;
};
typedef VEC(struct use) use_list;

#define USE_SYNC (1ull << 63)
#define USE_BLOCK (1ull << 62)

/* The heap blocks seen so far. The heap of a controlled run never uses an address twice. */
struct use_block {
	uint64_t start, end;
};
struct use_blocks {
	VEC(struct use_block) list; /* sorted by address */
};
void op_uses_learn_blocks(struct use_blocks *blocks, const struct control_event *events,
			  size_t count);
/* Returns the index of the block that contains the address, or SIZE_MAX. */
size_t op_uses_find_block(const struct use_blocks *blocks, uint64_t address);
void op_uses_free_blocks(struct use_blocks *blocks);

/*
 * Appends the uses of an event. `any_outcome`: the event has not happened yet, so include the uses
 * of all its possible outcomes (a try that failed may succeed then).
 */
void op_uses_of(const struct use_blocks *blocks, const struct control_event *event,
		bool any_outcome, use_list *uses);

/* Does a use of one list conflict with a use of the other? */
bool op_uses_conflict(const use_list *one, const use_list *other);

static inline bool use_conflicts(uint8_t mode, uint8_t other_mode)
{
	return mode != other_mode || mode == USE_ALONE;
}

/*
 * Returns the number of bytes that the accesses in a log touch. Bytes that are accessed twice count
 * twice.
 */
uint64_t op_uses_count_bytes(const struct control_event *events, size_t count);

/* Does the event read memory? Does it write memory? */
bool op_uses_reads(const struct control_event *event);
bool op_uses_writes(const struct control_event *event);
/* Is the event an operation on a synchronisation object? */
bool op_uses_sync(const struct control_event *event);

#endif
