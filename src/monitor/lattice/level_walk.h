/* From level to level: layouts, threads, breadth; what a walk through a lattice is made of. */
#ifndef MONITOR_LATTICE_LEVEL_WALK_H
#define MONITOR_LATTICE_LEVEL_WALK_H

#include "monitor/lattice/level_merge.h"

struct level_workers;

struct level_walk {
	/* given */
	const struct lattice_order *order;
	struct state_sets *sets;
	struct level_pool *pool;
	struct level_workers *crew; /* NULL: one thread */
	const uint32_t *ends;	    /* by column: how far it is walked */
	const uint32_t *observed;   /* columns of the observed run, or NULL */
	uint64_t breadth;	    /* 0: all */
	uint64_t memory;	    /* 0: any */
	uint64_t effort;	    /* successors to look at, about; 0: any */
	bool count;		    /* runs to each cut */
	bool find;		    /* bad states are noted in the workers */
	/* by level: how many cuts go on; overrides breadth and memory, for walking the same again */
	const uint64_t *planned;
	uint32_t narrowest; /* words of a key; for tests */

	struct level level;
	struct level_layout *layout;
	uint64_t top_bits; /* of the counts */
	uint32_t *observed_cut;
	uint64_t cuts, widest, dropped;
	bool lowered;	    /* memory made breadth smaller */
	bool hurried;	    /* effort did */
	uint64_t spent;	    /* of effort */
	bool uncounted;	    /* no memory was left for counts */
	VEC(uint64_t) kept; /* by level: how many cuts went on */
	struct level_worker *workers;
	uint32_t worker_count;
};

/* The first level: nothing happened yet. */
void level_walk_begin(struct level_walk *walk);
/* From a copy of a level of another walk, cuts beyond `ends` left out. */
void level_walk_resume(struct level_walk *walk, const struct level *level,
		       const struct level_layout *layout);
/* Makes walk->layout one that serves the level and the next one. */
void level_walk_prepare(struct level_walk *walk);
/* False: nothing follows. The level is then that of the cut of everything, or empty. */
bool level_walk_next(struct level_walk *walk);
void level_walk_end(struct level_walk *walk);

/* Threads that work together; a crew of one is NULL. */
struct level_workers *level_workers_new(unsigned jobs);
void level_workers_free(struct level_workers *crew);
unsigned level_workers_jobs(const struct level_workers *crew);
/* Calls work(context, 0 … jobs - 1), each in a thread of its own, and waits for all. */
void level_workers_run(struct level_workers *crew, void (*work)(void *context, unsigned job),
		       void *context);

#endif
