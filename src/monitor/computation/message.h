/*
 * What an observer is told of a lattice event: the papers' ⟨e, i, V, x, c⟩. doc/lattice.md is the
 * law. Messages say everything: they may come in any order, and from anywhere.
 *
 * Threads are *columns* here: one that is over before another begins (its end is ordered before that
 * one's begin) may leave its column to it, so that clocks do not grow with every thread that ever was.
 * The events of a column are in one order.
 */
#ifndef MONITOR_COMPUTATION_MESSAGE_H
#define MONITOR_COMPUTATION_MESSAGE_H

#include "base/vec.h"
#include "property/property.h"

/* So many events of another column come before. */
struct message_need {
	uint32_t column, count;
};

enum message_role {
	MESSAGE_OPENS,	/* the write, the acquire: first of its set */
	MESSAGE_JOINS,	/* a read, a failed try; the read half of an atomic update */
	MESSAGE_CLOSES, /* the release: last. A set of a lock without one never closes */
	MESSAGE_PASSES, /* opens and closes: all of a lock's set is in this step */
};
/* Membership in an atomic set (weak causality only). */
struct message_member {
	uint32_t object; /* variable or lock */
	uint32_t set;	 /* atomicity identifier: which set of the object */
	uint8_t role;	 /* enum message_role */
	bool lock;	 /* closes by a release; otherwise when all members are in */
	bool shared;	 /* keeps out only sets that are not */
};

struct message {
	uint32_t column, position; /* position: from 0; the so-manieth of its column */
	uint32_t label; /* what monitors see (monitor/computation/label.h); 0: a silent step */
	const struct message_need *needs; /* of other columns, by column; transitively closed */
	uint32_t need_count;
	const struct message_member *members;
	uint32_t member_count;
	/*
	 * Under `all`: with a thread's creation, begin or join between, counted like needs: an
	 * event d of column c has one between itself and this event iff d's position is below the
	 * count here.
	 */
	const struct message_need *fences;
	uint32_t fence_count;
	/* What it is in the trace, in the order in which it happens: mostly one event. */
	const struct event_id *parts;
	uint32_t part_count;
	uint32_t anchor; /* which of the parts the label is about */
	bool before;	 /* the moment before it: a request */
};

#endif
