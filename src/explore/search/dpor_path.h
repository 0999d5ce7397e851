/*
 * The run that the systematic search stands in: its transitions in order, with happens-before, and
 * for each object the transitions that touched it. It is a stack: the search cuts it back to a
 * branch and continues from there with what the next run did, so that only the new part is
 * computed.
 *
 * A transition is what a thread does between two scheduling decisions: an event of the log and the
 * following ones that are marked CONTROL_EVENT_NO_CHOICE.
 */
#ifndef EXPLORE_SEARCH_DPOR_PATH_H
#define EXPLORE_SEARCH_DPOR_PATH_H

#include "base/map.h"
#include "explore/search/op_uses.h"

#define DPOR_PATH_NONE UINT32_MAX

/* A clock has an entry for each thread: how many of its transitions happened before. */
typedef VEC(uint32_t) dpor_path_clock;

struct dpor_path_node {
	uint32_t thread, local; /* number (from 0) of the transition in its thread */
	uint32_t first, count;	/* its events */
	dpor_path_clock before; /* by program order, creation and joins alone, without itself */
	dpor_path_clock clock;	/* by all dependences, including itself */
	uint32_t touches;	/* number of entries in `undo` before it */
	uint32_t previous;	/* of its thread, or DPOR_PATH_NONE */
};

/* A transition that touched an object. */
struct dpor_path_touch {
	uint32_t node, event;
	uint32_t
		alone; /* position of the last earlier touch that is USE_ALONE, or DPOR_PATH_NONE */
	uint8_t mode, mask;
};
typedef VEC(struct dpor_path_touch) dpor_path_history;

struct dpor_path {
	struct use_blocks blocks;
	VEC(struct control_event) events;
	VEC(struct dpor_path_node) nodes; /* those beyond `depth` keep their memory */
	uint32_t depth;
	struct map objects; /* from the key of a use to the position in `histories` */
	VEC(dpor_path_history) histories;
	VEC(uint32_t) undo;	      /* histories in the order in which they were appended to */
	VEC(uint32_t) locals;	      /* of each thread: number of transitions so far */
	VEC(uint32_t) last;	      /* … and the last of them */
	VEC(uint32_t) created, ended; /* of each thread: the node, or DPOR_PATH_NONE */
	use_list scratch;
};

void dpor_path_free(struct dpor_path *path);

/* Cuts the path back to `depth` transitions. */
void dpor_path_cut(struct dpor_path *path, uint32_t depth);

/*
 * Pushes the transition that starts at events[*at] and moves *at past it. Its clock has only
 * program order so far: dpor_path_touch_top() has to follow.
 */
struct dpor_path_node *dpor_path_push(struct dpor_path *path, const struct control_event *events,
				      size_t count, size_t *at);

/* Appends the top transition to the histories of everything it touches. */
void dpor_path_touch_top(struct dpor_path *path);

/* The history of a key, or NULL. */
const dpor_path_history *dpor_path_history_of(const struct dpor_path *path, uint64_t key);

uint32_t dpor_path_at(const dpor_path_clock *clock, uint32_t thread);
void dpor_path_join(dpor_path_clock *clock, const dpor_path_clock *other);
void dpor_path_raise(dpor_path_clock *clock, uint32_t thread, uint32_t value);

/* Did the node happen before the event that has this clock? */
static inline bool dpor_path_covers(const dpor_path_clock *clock, const struct dpor_path_node *node)
{
	return node->thread < clock->count && clock->items[node->thread] > node->local;
}

/* A thread's last node below the top of the path, or DPOR_PATH_NONE. */
uint32_t dpor_path_last_of(const struct dpor_path *path, uint32_t thread);

/* Returns a number that is kept per thread; `none` if there is none yet. */
uint32_t dpor_path_get(const uint32_t *items, size_t count, uint32_t thread, uint32_t none);

#endif
