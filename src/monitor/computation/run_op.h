/*
 * A recorded run as *acts*: what of its events orders others, is counted in a lattice, or means
 * something to a property, in the recorded order. Everything that follows (clocks, sets, messages,
 * schedules) works on them; the trace is not read again. doc/lattice.md is the law.
 *
 * What no other thread can notice and no property looks at is no act. A request that a property looks
 * at is one, just before its anchor.
 */
#ifndef MONITOR_COMPUTATION_RUN_OP_H
#define MONITOR_COMPUTATION_RUN_OP_H

#include "base/vec.h"
#include "monitor/computation/variables.h"
#include "property/property.h"

/* What an act does to an object: a piece of memory, a lock, a condition … */
enum run_op_role {
	RUN_OP_OPENS,  /* a write, an acquire: a set begins */
	RUN_OP_JOINS,  /* a read of what it wrote, a try that it made fail */
	RUN_OP_CLOSES, /* a release */
	RUN_OP_FINDS, /* a read of what was there when the object began to live: before all writes */
	RUN_OP_CHAINS,	/* keeps its recorded place among all that happens to the object */
	RUN_OP_LIVES,	/* begins or ends the object's life */
	RUN_OP_NOTICES, /* orders only under strong causality: a time-out */
};

struct run_op_touch {
	uint32_t object, set; /* set: from 0, over all objects; OPENS, JOINS, CLOSES */
	uint8_t role;
	bool lock, shared;
	bool writes; /* under strong causality */
};

enum run_op_flag {
	RUN_OP_COUNTED = 1, /* a lattice event with `--events all` */
	RUN_OP_FENCE = 2,   /* creation, begin or join of a thread */
	RUN_OP_LAST = 4,    /* all that happened before comes before it */
	RUN_OP_CREATES = 8, /* thread `other` */
	RUN_OP_AWAITS = 16, /* the end of thread `other` */
	RUN_OP_BEFORE = 32, /* the moment before the event: a request */
	RUN_OP_MEANS = 64,  /* has property events or writes variables */
};

struct run_op {
	struct event_id id;
	uint32_t lane;		   /* thread: position of its stream */
	uint32_t column, position; /* position: among the acts of the column */
	uint32_t touches, touch_count;
	uint32_t events, event_count; /* property events */
	uint32_t writes, write_count; /* of variables */
	uint32_t other;
	uint8_t flags;
};

struct run_op_event {
	uint32_t property, number; /* in the set; in its events */
};
struct run_op_write {
	uint32_t variable; /* of `variables` */
	uint8_t offset, size;
	bool unknown;
	uint8_t bytes[8];
};

struct run_op_object {
	bool mortal; /* there are LIVES */
};

struct run_ops {
	const struct trace *trace;
	const struct property_set *set;
	struct variables variables;
	VEC(struct run_op) list;
	VEC(struct run_op_touch) touches;
	VEC(struct run_op_event) events;
	VEC(struct run_op_write) writes;
	VEC(struct run_op_object) objects;
	uint32_t sets, columns, lanes;
	VEC(char *) problems;
	bool ended;
};

/* `every`: accesses that no other thread notices are acts as well, where the law counts them. */
void run_ops_read(const struct trace *trace, const struct property_set *set, bool every,
		  struct run_ops *acts);
void run_ops_free(struct run_ops *acts);

#endif
