/*
 * What an operation of a controlled run touches, and whether two operations depend on each other
 * (doc/controlled-runs.md, "Policies and plans"). All searches share this definition with the
 * scheduler's sleep set.
 *
 * A use is a key and a mode. Keys are cells of 8 bytes with a mask of bytes, sync objects, and heap
 * blocks. A FREE touches all of its block; instead of all the cells it uses only the block's key,
 * which every access of the block uses too.
 */
#ifndef EXPLORE_SEARCH_OP_USES_H
#define EXPLORE_SEARCH_OP_USES_H

#include "base/vec.h"
#include "event/control.h"

#include <stdbool.h>

enum use_mode {
	USE_ALONE,  /* conflicts with everything */
	USE_SHARED, /* reads, read-acquires: do not conflict with each other */
	USE_FAILED, /* failed tries: do not conflict with each other */
};

struct use {
	uint64_t key;
	uint8_t mask; /* of bytes; 255 if it is not memory */
	uint8_t mode;
};
typedef VEC(struct use) use_list;

#define USE_SYNC (1ull << 63)
#define USE_BLOCK (1ull << 62)

/* The heap blocks seen so far: the controlled heap never uses an address twice. */
struct use_block {
	uint64_t start, end;
};
struct use_blocks {
	VEC(struct use_block) list; /* by address */
};
void op_uses_learn_blocks(struct use_blocks *blocks, const struct control_event *events,
			  size_t count);
/* The position in the list of the block that contains an address, or SIZE_MAX. */
size_t op_uses_find_block(const struct use_blocks *blocks, uint64_t address);
void op_uses_free_blocks(struct use_blocks *blocks);

/*
 * Appends what an event touches. `whatever`: for any outcome, because the operation has not
 * happened yet (a try that failed may succeed now).
 */
void op_uses_of(const struct use_blocks *blocks, const struct control_event *event,
		bool any_outcome, use_list *uses);

/* Do two lists have uses that conflict? */
bool op_uses_conflict(const use_list *one, const use_list *other);

static inline bool use_conflicts(uint8_t mode, uint8_t other_mode)
{
	return mode != other_mode || mode == USE_ALONE;
}

/* The number of bytes that the accesses in a log touch; bytes accessed twice count twice. */
uint64_t op_uses_count_bytes(const struct control_event *events, size_t count);

/* Kinds of events in a log. */
bool op_uses_reads(const struct control_event *event);
bool op_uses_writes(const struct control_event *event);
/* An operation on a sync object: other threads may wait for it or be made to wait by it. */
bool op_uses_sync(const struct control_event *event);

#endif
