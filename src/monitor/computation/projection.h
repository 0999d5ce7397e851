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
	/* the entry at whose position all entries of the step happen */
	uint32_t rep;
	uint32_t head, tail; /* the step's first and last entry; `next` links its entries */
};
struct projection_column {
	VEC(struct projection_step) steps;
	uint32_t *before; /* by position of an entry: number of steps whose rep is before it */
	/* by step: another column needs this step, but not the one after it */
	uint8_t *needed_alone;
};

/* The sets of an object, while steps are visited in order. */
struct projection_sets {
	uint32_t last;	     /* 1 + the last set that is not shared; 0: none */
	VEC(uint32_t) group; /* the shared sets after `last` */
	bool unordered;
};

struct projection {
	const struct message_pool *pool;
	const uint32_t *labels;
	uint32_t columns;
	struct projection_column *by_column;
	uint32_t *next;	  /* by entry: the next entry of its step, or PROJECTION_NONE */
	uint32_t *rep_of; /* by entry: the rep of its step; PROJECTION_NONE: dropped */
	uint8_t *dead;	  /* by object: it decides nothing */
	uint32_t *clocks; /* by entry and column: how many entries of the column come before it */
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

/* Returns how many steps have their rep among the first `count` entries of a column. */
static inline uint32_t projection_steps(const struct projection *p, uint32_t column, uint32_t count)
{
	return p->by_column[column].before[count];
}

/*
 * Sets `messages`, `columns` and `silent` of the computation, and makes the index that schedules
 * need.
 */
void projection_write(struct projection *projection, struct computation *out);

#endif
