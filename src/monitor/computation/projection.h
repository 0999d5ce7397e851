/*
 * A projection while it is being made. project.c drops and merges steps, project_messages.c writes
 * the remaining ones as messages.
 */
#ifndef MONITOR_COMPUTATION_PROJECTION_H
#define MONITOR_COMPUTATION_PROJECTION_H

#include "monitor/computation/project.h"

#define PROJECTION_NONE UINT32_MAX

/* Entries of one column that happen together. */
struct projection_step {
	/* the entry at whose position they happen: the others have moved to it */
	uint32_t rep;
	uint32_t head, tail; /* entries, linked by `next` */
};
struct projection_column {
	VEC(struct projection_step) steps;
	uint32_t *before;      /* by position of an entry: number of steps whose rep is before it */
	uint8_t *needed_alone; /* by step: another column needs it, but not the step after it */
};

/* The sets of an object, while steps are visited in order. */
struct projection_sets {
	uint32_t last;	     /* the last set that is not shared, + 1 */
	VEC(uint32_t) group; /* the shared ones after it */
	bool unordered;
};

struct projection {
	const struct message_pool *pool;
	const uint32_t *labels;
	uint32_t columns;
	struct projection_column *by_column;
	uint32_t *next;	  /* by entry: the next one of its step, or PROJECTION_NONE */
	uint32_t *rep_of; /* by entry: the rep of its step; PROJECTION_NONE: dropped */
	uint8_t *dead;	  /* by object: decides nothing */
	uint32_t *clocks; /* by entry and column: how many entries come before it */
	/* the members of each set, as linked lists of indices + 1 */
	uint32_t *set_head, *member_next, *member_entry;
	struct projection_sets *objects;
	struct project *project;
};

static inline uint32_t *projection_clock(const struct projection *p, uint32_t entry)
{
	return p->clocks + (size_t)entry * p->columns;
}

static inline bool projection_is_request(const struct projection *p,
					 const struct projection_step *step)
{
	return p->pool->ops->list.items[p->pool->entries.items[step->rep].op].flags & RUN_OP_BEFORE;
}

static inline const struct message_pool_member *projection_members(const struct projection *p,
								   uint32_t entry)
{
	return p->pool->members.items + p->pool->entries.items[entry].members;
}

static inline uint32_t projection_member_count(const struct projection *p, uint32_t entry)
{
	return p->pool->entries.items[entry].member_count;
}

/* Loops over the entries `e` of a step and their members `m`. */
#define PROJECTION_EACH_MEMBER(p, step, e, m)                                                      \
	for (uint32_t e = (step)->head; e != PROJECTION_NONE; e = (p)->next[e])                    \
		for (const struct message_pool_member *                                            \
			     m = projection_members(p, e),                                         \
			    *m##_end = m + projection_member_count(p, e);                          \
		     m < m##_end; m++)

/* Returns how many steps the first `count` entries of a column are. */
static inline uint32_t projection_steps(const struct projection *p, uint32_t column, uint32_t count)
{
	return p->by_column[column].before[count];
}

/* Fills messages, columns and silent of the computation, and what schedules need. */
void projection_write(struct projection *projection, struct computation *out);

#endif
