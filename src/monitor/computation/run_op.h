/*
 * A recorded run as a list of *operations*, in the recorded order. An operation is an event that
 * orders other events, counts in a lattice, or matters to a property. Everything that follows
 * (clocks, sets, messages, schedules) works on this list; the trace is not read again.
 * doc/lattice.md is the specification.
 *
 * An event that no other thread can notice and that matters to no property is not an operation. A
 * request that matters to a property is an operation of its own, just before its anchor.
 */
#ifndef MONITOR_COMPUTATION_RUN_OP_H
#define MONITOR_COMPUTATION_RUN_OP_H

#include "base/vec.h"
#include "monitor/computation/variables.h"
#include "property/property.h"

/* What an operation does to an object: a piece of memory, a lock, a condition, … */
enum run_op_role {
	RUN_OP_OPENS,  /* a write, an acquire: a set begins */
	RUN_OP_JOINS,  /* a read of the value written, a try that failed because of the set */
	RUN_OP_CLOSES, /* a release */
	/* a read of the object's value at the start of its lifetime: comes before all writes */
	RUN_OP_READS_INITIAL,
	RUN_OP_KEEPS_ORDER, /* keeps its recorded position among all operations on the object */
	RUN_OP_LIFETIME,    /* begins or ends the object's lifetime */
	RUN_OP_TIMES_OUT,   /* an acquire that timed out: ordered only under strong causality */
};

struct run_op_touch {
	/* set: its number among the sets of all objects; for OPENS, JOINS, CLOSES */
	uint32_t object, set;
	uint8_t role;
	bool lock, shared;
	bool writes; /* counts as a write under strong causality */
};

enum run_op_flag {
	RUN_OP_COUNTED = 1,   /* a lattice event with `--events all` */
	RUN_OP_FENCE = 2,     /* creation, begin or join of a thread */
	RUN_OP_AFTER_ALL = 4, /* all earlier operations come before it */
	RUN_OP_CREATES = 8,   /* creates thread `other` */
	RUN_OP_AWAITS = 16,   /* waits for the end of thread `other` */
	RUN_OP_BEFORE = 32,   /* a request: the moment before the event */
	RUN_OP_RELEVANT = 64, /* has property events or writes variables of properties */
};

struct run_op {
	struct event_id id;
	uint32_t thread;	   /* index of the thread's stream */
	uint32_t column, position; /* position: among the operations of the column */
	uint32_t touches, touch_count;
	uint32_t events, event_count; /* slice of run_ops.events: its property events */
	uint32_t writes, write_count; /* slice of run_ops.writes: its writes of variables */
	uint32_t other;
	uint8_t flags;
};

struct run_op_event {
	/* index of the property in the set; index of the event among the property's events */
	uint32_t property, number;
};

struct run_op_object {
	bool has_lifetime; /* its begin or end was recorded: there are LIFETIME touches */
};

struct run_ops {
	const struct trace *trace;
	const struct property_set *set;
	struct variables variables;
	VEC(struct run_op) list;
	VEC(struct run_op_touch) touches;
	VEC(struct run_op_event) events;
	VEC(struct label_write) writes; /* `variable` is an index in `variables` */
	VEC(struct run_op_object) objects;
	uint32_t sets, columns, threads;
	VEC(char *) problems;
	bool ended;
};

/*
 * Reads the operations of a trace. `every`: accesses that no other thread notices are included
 * where doc/lattice.md counts them.
 */
void run_ops_read(const struct trace *trace, const struct property_set *set, bool every,
		  struct run_ops *ops);
void run_ops_free(struct run_ops *ops);

#endif
