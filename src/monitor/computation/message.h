/*
 * What an observer gets of a lattice event: the papers' ⟨e, i, V, x, c⟩. doc/lattice.md is the
 * specification. Messages are self-contained: they may come in any order and from any source.
 *
 * Threads become *columns*. A thread whose end is ordered before another thread's begin may leave
 * its column to it, so that clocks do not grow with the number of threads that ever existed. The
 * events of a column are totally ordered.
 */
#ifndef MONITOR_COMPUTATION_MESSAGE_H
#define MONITOR_COMPUTATION_MESSAGE_H

#include "base/vec.h"
#include "property/property.h"

/* `count` events of another column come before. */
struct message_need {
	uint32_t column, count;
};

enum message_role {
	MESSAGE_OPENS,	/* the write or the acquire: first of its set */
	MESSAGE_JOINS,	/* a read, a failed try, the read half of an atomic update */
	MESSAGE_CLOSES, /* the release: last of its set. A lock's set without one never closes */
	MESSAGE_PASSES, /* opens and closes: the whole set of a lock is in this step */
};
/* Membership in an atomic set (weak causality only). */
struct message_member {
	uint32_t object; /* variable or lock */
	uint32_t set;	 /* atomicity identifier: which set of the object */
	uint8_t role;	 /* enum message_role */
	bool lock;	 /* closes by a release; otherwise when all members are in */
	bool shared;	 /* excludes only sets that are not shared */
};

struct message {
	uint32_t column, position; /* position: index in its column, from 0 */
	uint32_t label; /* what monitors see (monitor/computation/label.h); 0: a silent step */
	const struct message_need *needs; /* other columns, ascending; transitively closed */
	uint32_t need_count;
	const struct message_member *members;
	uint32_t member_count;
	/*
	 * Under `all`: the events with a thread's creation, begin or join between them and this
	 * event, counted like needs: an event d of column c has one in between iff d's position is
	 * below the count here.
	 */
	const struct message_need *fences;
	uint32_t fence_count;
	/*
	 * The events of the trace that it stands for, in the order in which they happen: mostly
	 * one.
	 */
	const struct event_id *parts;
	uint32_t part_count;
	uint32_t anchor; /* index of the part that the label is about */
	bool before;	 /* it is a request: the moment before that part */
};

#endif
