/*
 * A projection while it is made: what project.c, which drops and merges, and project_messages.c, which
 * writes down what is left, share.
 */
#ifndef MONITOR_COMPUTATION_PROJECTION_H
#define MONITOR_COMPUTATION_PROJECTION_H

#include "monitor/computation/project.h"

#define PROJECTION_NONE UINT32_MAX

/* Entries of one column that happen together. */
struct projection_step {
	uint32_t rep;	     /* when they happen: the others have moved to it */
	uint32_t head, tail; /* entries, by `next` */
};
struct projection_lane {
	VEC(struct projection_step) steps;
	uint32_t *before;      /* by position of an entry: steps whose rep is in front of it */
	uint8_t *needed_alone; /* by step: somebody needs it, and not the one behind it */
};

/* The sets of an object, while steps are walked in their order. */
struct projection_sets {
	uint32_t last;	     /* that is not shared, + 1 */
	VEC(uint32_t) group; /* the shared ones since */
	bool unordered;
};

struct projection {
	const struct message_pool *pool;
	const uint32_t *labels;
	uint32_t columns;
	struct projection_lane *lanes;
	uint32_t *next;	  /* by entry: the next of its step, PROJECTION_NONE */
	uint32_t *rep_of; /* by entry: that of its step; PROJECTION_NONE: dropped */
	uint8_t *dead;	  /* by object: decides nothing */
	uint32_t *clocks; /* by entry and column: so many entries come before it */
	uint32_t *set_head, *member_next, *member_entry; /* members of each set: numbers + 1 */
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
	return p->pool->acts->list.items[p->pool->entries.items[step->rep].act].flags &
	       RUN_OP_BEFORE;
}

/* Of so many entries of a column: how many steps that is. */
static inline uint32_t projection_steps(const struct projection *p, uint32_t column, uint32_t count)
{
	return p->lanes[column].before[count];
}

/* Fills messages, columns, silent of the computation, and what schedules need. */
void projection_write(struct projection *projection, struct computation *out);

#endif
