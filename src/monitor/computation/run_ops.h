/* What the files that make acts share: run_ops.c walks, the others know one kind of object each. */
#ifndef MONITOR_COMPUTATION_RUN_OPS_H
#define MONITOR_COMPUTATION_RUN_OPS_H

#include "monitor/computation/run_op.h"
#include "monitor/computation/survey.h"

#define RUN_OPS_NO_SET UINT32_MAX

/* Who has a lock. */
struct run_ops_hold {
	uint32_t lane, depth, set;
};
struct run_ops_lock {
	struct run_ops_hold writer;
	VEC(struct run_ops_hold) readers;
};

struct run_ops_lane {
	uint32_t column;      /* + 1; 0: none yet */
	VEC(uint32_t) spare;  /* columns of threads that it joined */
	struct event_id last; /* its last event … */
	bool trails;	      /* … which no act stands for */
	uint32_t barrier;     /* + 1: it arrived there, and nothing says that it passed */
	uint32_t waited;      /* how deep it was in the mutex that it gave up */
};

struct run_ops_maker {
	struct run_ops *acts;
	struct survey survey;
	struct survey_lives lives;
	bool every;
	uint64_t place;
	uint32_t *cell_sets;	    /* by cell: the current set, + 1 */
	struct run_ops_lock *locks; /* by position in the survey's objects */
	struct run_ops_lane *lanes;
	VEC(uint32_t) positions; /* by column: how many acts */
	size_t *next_event;	 /* by property */
	struct trace_symbols *symbols;
	struct map globals; /* address: is it in a variable? + 1 */
};

/* One more touch of the act that is being made. */
void run_ops_touch(struct run_ops_maker *maker, const struct run_op_touch *touch);
uint32_t run_ops_new_set(struct run_ops_maker *maker);

/* Each says whether the event is counted in a lattice of all events. */
bool run_ops_see_access(struct run_ops_maker *maker, const struct trace_event *event);
bool run_ops_see_sync(struct run_ops_maker *maker, const struct trace_event *event, uint32_t lane);
void run_ops_see_descriptor(struct run_ops_maker *maker, const struct trace_event *event);
void run_ops_see_life(struct run_ops_maker *maker, const struct trace_event *event, uint32_t lane);

#endif
