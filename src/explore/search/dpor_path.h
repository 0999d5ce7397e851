/*
 * The current run of the systematic search: its transitions in order, their happens-before
 * relation, and for each object the transitions that touched it. It is a stack: the search cuts it
 * back to a branch and pushes what the next run did from there on, so only the new part is
 * computed.
 *
 * A transition is what a thread does between two scheduling decisions: an event of the log and the
 * events after it that are marked CONTROL_EVENT_NO_CHOICE.
 */
#ifndef EXPLORE_SEARCH_DPOR_PATH_H
#define EXPLORE_SEARCH_DPOR_PATH_H

#include "base/map.h"
#include "explore/search/op_uses.h"

#define DPOR_PATH_NONE UINT32_MAX

/* A vector clock: the entry of a thread is the number of that thread's transitions in the past. */
typedef VEC(uint32_t) dpor_path_clock;

struct dpor_path_node {
	uint32_t thread, local; /* `local`: number (from 0) of the transition in its thread */
	uint32_t first, count;	/* its events: start and length in dpor_path.events */
	dpor_path_clock before; /* by program order, creation and joins only; excludes this node */
	dpor_path_clock clock;	/* by all dependences; includes this node */
	uint32_t touches;	/* number of entries in `undo` before its own */
	uint32_t previous;	/* the thread's previous node, or DPOR_PATH_NONE */
};

/* An entry of an object's history: a transition touched the object. */
struct dpor_path_touch {
	uint32_t node, event;
	uint32_t alone; /* index here of the last earlier touch in USE_ALONE, or DPOR_PATH_NONE */
	uint8_t mode, mask;
};
typedef VEC(struct dpor_path_touch) dpor_path_history;

struct dpor_path {
	struct use_blocks blocks;
	VEC(struct control_event) events;
	VEC(struct dpor_path_node) nodes; /* those beyond `depth` are kept for reuse */
	uint32_t depth;
	struct map objects; /* from the key of a use to an index in `histories` */
	VEC(dpor_path_history) histories;
	VEC(uint32_t) undo;   /* index of the history for each touch, in the order of the touches */
	VEC(uint32_t) locals; /* by thread: number of its transitions in the path */
	VEC(uint32_t) last;   /* by thread: its last node, or DPOR_PATH_NONE */
	VEC(uint32_t) created, ended; /* of each thread: the node; DPOR_PATH_NONE: not yet */
	use_list scratch;
};

void dpor_path_free(struct dpor_path *path);

/* Cuts the path back to `depth` transitions. */
void dpor_path_cut(struct dpor_path *path, uint32_t depth);

/*
 * Pushes the transition that starts at events[*at] and moves *at past it. Its clock contains only
 * program order, creation and joins. The caller must add other dependences and call
 * dpor_path_touch_top().
 */
struct dpor_path_node *dpor_path_push(struct dpor_path *path, const struct control_event *events,
				      size_t count, size_t *at);

/* Appends the top transition to the history of everything that it touches. */
void dpor_path_touch_top(struct dpor_path *path);

/* Returns the history for a use's key; NULL: no transition touched it. */
const dpor_path_history *dpor_path_history_of(const struct dpor_path *path, uint64_t key);

void dpor_path_join(dpor_path_clock *clock, const dpor_path_clock *other);

/* Is the node in the past that the clock describes? */
static inline bool dpor_path_covers(const dpor_path_clock *clock, const struct dpor_path_node *node)
{
	return node->thread < clock->count && clock->items[node->thread] > node->local;
}

/* Returns a thread's last node below the top of the path, or DPOR_PATH_NONE. */
uint32_t dpor_path_last_of(const struct dpor_path *path, uint32_t thread);

/* Returns items[thread], or `none` if the array is shorter. */
uint32_t dpor_path_get(const uint32_t *items, size_t count, uint32_t thread, uint32_t none);

#endif
