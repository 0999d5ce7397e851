/*
 * Shared by the files that make operations: run_ops.c reads the trace, the others handle one kind
 * of object each.
 */
#ifndef MONITOR_COMPUTATION_RUN_OPS_H
#define MONITOR_COMPUTATION_RUN_OPS_H

#include "monitor/computation/run_op.h"
#include "monitor/computation/survey.h"

#define RUN_OPS_NO_SET UINT32_MAX

struct run_ops_thread {
	uint32_t column;      /* 1 + its column; 0: none yet */
	VEC(uint32_t) spare;  /* columns that joined threads have left to it */
	struct event_id last; /* its last event */
	bool needs_op;	      /* the last event is not an operation */
	uint32_t barrier;     /* 1 + the barrier at which its last event arrived; 0: none */
	uint32_t waited;      /* recursion depth of the mutex that it released to wait */
};

struct run_ops_maker {
	struct run_ops *ops;
	struct survey survey;
	struct survey_lifetimes lifetimes;
	bool every;
	uint64_t position;
	uint32_t *cell_sets; /* by cell: 1 + the current set; 0: not written yet */
	struct run_ops_thread *threads;
	VEC(uint32_t) column_ops; /* by column: number of operations */
	size_t *next_event;	  /* by property: index of its next event */
	struct trace_symbols *symbols;
	struct map globals; /* from an address to 1 if it is in a global variable, otherwise 0 */
};

/* Adds a touch to the operation that is being made. */
void run_ops_touch(struct run_ops_maker *maker, const struct run_op_touch *touch);
uint32_t run_ops_new_set(struct run_ops_maker *maker);

/*
 * Each function adds the touches of an event. A bool result says whether the event counts in a
 * lattice of all events.
 */
bool run_ops_add_access(struct run_ops_maker *maker, const struct trace_event *event);
bool run_ops_add_sync(struct run_ops_maker *maker, const struct trace_event *event,
		      uint32_t thread);
void run_ops_add_descriptor(struct run_ops_maker *maker, const struct trace_event *event);
void run_ops_add_lifetime(struct run_ops_maker *maker, const struct trace_event *event,
			  uint32_t thread);

#endif
