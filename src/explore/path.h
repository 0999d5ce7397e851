/*
 * The run that the systematic search stands in: its transitions in order, with happens-before, and
 * for each object who touched it. A stack: the search cuts it back to a branch and goes on from there
 * with what the next run did, so that only what is new is worked out anew.
 *
 * A transition is what a thread does between two decisions: an event of the log and those behind it
 * that are marked CONTROL_EVENT_NO_CHOICE.
 */
#ifndef EXPLORE_PATH_H
#define EXPLORE_PATH_H

#include "base/map.h"
#include "explore/uses.h"

#define PATH_NONE UINT32_MAX

/* A clock has an entry for each thread: how many of its transitions happened before. */
typedef VEC(uint32_t) path_clock;

struct path_node {
	uint32_t thread, local; /* the local-th transition (from 0) of its thread */
	uint32_t first, count;	/* its events */
	path_clock before;	/* program order, creation and joins alone, without itself */
	path_clock clock;	/* everything, itself included */
	uint32_t touches;	/* how many entries of `undo` there were before it */
	uint32_t previous;	/* of its thread, or PATH_NONE */
};

/* A transition that touched an object. */
struct path_touch {
	uint32_t node, event;
	uint32_t alone; /* position of the last one before it that is USE_ALONE, or PATH_NONE */
	uint8_t mode, mask;
};
typedef VEC(struct path_touch) path_history;

struct path {
	struct use_blocks blocks;
	VEC(struct control_event) events;
	VEC(struct path_node) nodes; /* those behind `depth` keep their memory */
	uint32_t depth;
	struct map objects; /* key of a use: position in histories */
	VEC(path_history) histories;
	VEC(uint32_t) undo;	      /* histories in the order they were pushed to */
	VEC(uint32_t) locals;	      /* of each thread: transitions so far */
	VEC(uint32_t) last;	      /* … and the last of them */
	VEC(uint32_t) created, ended; /* of each thread: the node, or PATH_NONE */
	use_list scratch;
};

void path_free(struct path *path);

/* Cuts the path back to `depth` transitions. */
void path_cut(struct path *path, uint32_t depth);

/*
 * Puts the transition that starts at events[*at] on top, and moves *at behind it. Its clock is not
 * yet more than program order: path_touch has to follow.
 */
struct path_node *path_push(struct path *path, const struct control_event *events, size_t count,
			    size_t *at);

/* Puts the top transition into the histories of what it touches. */
void path_touch_top(struct path *path);

/* The history of a key, or NULL. */
const path_history *path_history_of(const struct path *path, uint64_t key);

uint32_t path_at(const path_clock *clock, uint32_t thread);
void path_join(path_clock *clock, const path_clock *other);
void path_raise(path_clock *clock, uint32_t thread, uint32_t value);

/* Did node i happen before whoever has this clock? */
static inline bool path_covers(const path_clock *clock, const struct path_node *node)
{
	return node->thread < clock->count && clock->items[node->thread] > node->local;
}

/* A thread's last node below the top of the path, or PATH_NONE. */
uint32_t path_last_of(const struct path *path, uint32_t thread);

/* A number per thread, default `none`. */
uint32_t path_get(const uint32_t *items, size_t count, uint32_t thread, uint32_t none);

#endif
