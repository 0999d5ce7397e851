/*
 * What a monitor knows of a lattice event: the papers' ⟨e, i, V, x, c⟩. doc/lattice.md is the
 * specification. Messages are self-contained: they may come in any order and from any source.
 *
 * Threads become *columns*. If the end of a thread is ordered before the begin of another thread,
 * both may share a column, so that clocks do not grow with the number of threads that ever existed.
 * The events of a column are totally ordered.
 */
#ifndef MONITOR_COMPUTATION_MESSAGE_H
#define MONITOR_COMPUTATION_MESSAGE_H

#include "base/vec.h"
#include "property/property.h"

/* `count` events of another column come before the event. */
struct message_need {
	uint32_t column, count;
};

enum message_role {
	MESSAGE_OPENS, /* a write or an acquire: the first member of its set */
	MESSAGE_JOINS, /* a read, a failed try, the read half of an atomic update */
	/* a release: the last member; a lock's set without a release never closes */
	MESSAGE_CLOSES,
	MESSAGE_PASSES, /* opens and closes: the whole set of a lock is in this step */
};
/* Membership in an atomic set (weak causality only). */
struct message_member {
	uint32_t object; /* variable or lock */
	uint32_t set;	 /* atomicity identifier: which set of the object */
	uint8_t role;	 /* enum message_role */
	bool lock;	 /* a lock's set, which a release closes; other sets close when complete */
	bool shared;	 /* a shared set, which excludes only sets that are not shared */
};

struct message {
	uint32_t column, position; /* position: index in its column, from 0 */
	uint32_t label; /* what monitors see (monitor/computation/label.h); 0: a silent step */
	/* needed events of other columns, by ascending column; transitively closed */
	const struct message_need *needs;
	uint32_t need_count;
	const struct message_member *members;
	uint32_t member_count;
	/*
	 * Under `all`: the events after which a creation, begin or join of a thread comes before
	 * this event. In column c, these are the events with a position less than the count for c.
	 */
	const struct message_need *fences;
	uint32_t fence_count;
	/*
	 * The events of the trace for which the message stands, in the order in which they happen:
	 * mostly one.
	 */
	const struct event_id *parts;
	uint32_t part_count;
	uint32_t anchor; /* index of the part to which the label belongs */
	bool before;	 /* the message is a request: the moment before that part */
};

#endif
