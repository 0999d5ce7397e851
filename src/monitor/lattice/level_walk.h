/*
 * A walk through a lattice, level by level: chooses layouts, splits a level among threads, limits
 * the number of cuts.
 */
#ifndef MONITOR_LATTICE_LEVEL_WALK_H
#define MONITOR_LATTICE_LEVEL_WALK_H

#include "monitor/lattice/level_merge.h"

struct level_workers;

struct level_walk {
	/* set by the caller */
	const struct lattice_order *order;
	struct state_sets *sets;
	struct level_pool *pool;
	struct level_workers *threads; /* NULL: one thread */
	const uint32_t *ends;	       /* by column: events at or beyond this are not walked */
	const uint32_t *observed;      /* columns of the observed run, or NULL */
	uint64_t breadth;	       /* 0: all */
	uint64_t memory;	       /* 0: no limit */
	uint64_t effort;	       /* about how many successors to compute; 0: no limit */
	bool count;		       /* count the runs to each cut */
	bool find;		       /* record violations in the workers */
	/*
	 * By level: how many cuts to keep. Overrides breadth, effort and memory, to repeat a walk.
	 */
	const uint64_t *planned;
	uint32_t narrowest; /* least number of words of a key; for tests */

	struct level level;
	struct level_layout *layout;
	uint64_t top_bits; /* number of bits of the largest count */
	uint32_t *observed_cut;
	uint64_t cuts, widest, dropped;
	bool lowered;	    /* the memory limit reduced the number of cuts */
	bool hurried;	    /* the effort limit reduced the number of cuts */
	uint64_t spent;	    /* part of `effort` used so far */
	bool uncounted;	    /* counting stopped for lack of memory */
	VEC(uint64_t) kept; /* by level: how many cuts were kept */
	struct level_worker *workers;
	uint32_t worker_count;
};

/* Returns a walk through the same lattice, without counts and limits of its own. */
struct level_walk level_walk_like(const struct level_walk *model);
/* Starts at the first level: the empty cut. */
void level_walk_begin(struct level_walk *walk);
/* Starts from a copy of a level of another walk, without the cuts beyond `ends`. */
void level_walk_resume(struct level_walk *walk, const struct level *level,
		       const struct level_layout *layout);
/* Replaces walk->layout if it is not valid for the next level. */
void level_walk_prepare(struct level_walk *walk);
/*
 * Advances to the next level. Returns false if there is none: then the level is the last one, with
 * the cut of all events, or it is empty.
 */
bool level_walk_next(struct level_walk *walk);
void level_walk_end(struct level_walk *walk);

/* ---- prune_cuts.c ---------------------------------------------------------------------------- */

/*
 * Reduces the walk's level to `most` cuts. Keeps the cut of the observed run; then cuts with a
 * monitor state that no kept cut has; then cuts with a set of states that no kept cut has; then
 * others, evenly spread.
 */
void prune_cuts(struct level_walk *walk, uint64_t most);

/* ---- level_workers.c ------------------------------------------------------------------------- */

/* Threads that share work. NULL stands for the calling thread alone. */
struct level_workers *level_workers_new(unsigned jobs);
void level_workers_free(struct level_workers *threads);
unsigned level_workers_jobs(const struct level_workers *threads);
/* Calls work(context, 0 … jobs - 1), each in a thread of its own, and waits for all. */
void level_workers_run(struct level_workers *threads, void (*work)(void *context, unsigned job),
		       void *context);

#endif
