/* From level to level: layouts, threads, breadth; what a walk through a lattice is made of. */
#ifndef MONITOR_LEVEL_WALK_H
#define MONITOR_LEVEL_WALK_H

#include "monitor/level_merge.h"

struct level_crew;

struct level_walk {
	/* given */
	const struct lattice_order *order;
	struct sets *sets;
	struct level_pool *pool;
	struct level_crew *crew;  /* NULL: one thread */
	const uint32_t *ends;	  /* by column: how far it is walked */
	const uint32_t *observed; /* columns of the observed run, or NULL */
	uint64_t breadth;	  /* 0: all */
	uint64_t memory;	  /* 0: any */
	uint64_t effort;	  /* successors to look at, about; 0: any */
	bool count;		  /* runs to each cut */
	bool find;		  /* bad states are noted in the workers */
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
struct level_crew *level_crew_new(unsigned jobs);
void level_crew_free(struct level_crew *crew);
unsigned level_crew_jobs(const struct level_crew *crew);
/* Calls work(context, 0 … jobs - 1), each in a thread of its own, and waits for all. */
void level_crew_run(struct level_crew *crew, void (*work)(void *context, unsigned job),
		    void *context);

#endif
