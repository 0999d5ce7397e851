/*
 * The messages of a computation sorted by column and position, with the conditions under which each
 * event may come next.
 *
 * An event waits for events (its needs) and for atomic sets. In a cut at most one set of an object
 * is open (except for shared ones), and it excludes all others. So an open set is the one that some
 * column touched last. A *guard* says where to look for it: for each other column it names a slice
 * of that column's touches of the object, and the last touch inside the cut decides. Comparing an
 * event with all rival sets instead would cost their number, which for a variable that every thread
 * writes is the length of the run.
 */
#ifndef MONITOR_LATTICE_LATTICE_ORDER_H
#define MONITOR_LATTICE_LATTICE_ORDER_H

#include "base/err.h"
#include "monitor/computation/message.h"

struct lattice_event {
	uint64_t height; /* events that must come before it: no cut of a lower level can take it */
	uint32_t label;
	uint32_t symbol; /* index of its input symbol (monitor/lattice/state_sets.h); 0: silent */
	uint32_t code;	 /* what state_sets_step_*() take for the symbol */
	uint32_t need, need_count;
	uint32_t member, member_count;
	uint32_t guard, guard_count;
};

struct lattice_column {
	struct lattice_event *events;
	uint32_t count;
	uint32_t first; /* index of its first event in order->events */
	bool guarded;	/* one of its events has a guard */
};

/* The members of a set in one column. */
struct lattice_span {
	uint32_t column, first, last;
};

struct lattice_set {
	uint32_t object;
	uint32_t span, span_count;
	bool lock, shared;
	bool closes; /* closed once all members are in; otherwise it stays open for ever */
	bool opens;  /* some cut has it open: not all of it happens in one event */
};

struct lattice_touch {
	uint32_t position, set;
};

struct lattice_guard {
	uint32_t column;
	uint32_t touch, count; /* the slice of order->touches */
	/* the event's own set is shared: other shared sets do not exclude it */
	bool shared;
	bool every; /* several shared sets can be open at once: check the whole slice */
	/*
	 * Optimisation for sets that lie entirely in this column, as those of most locks: then the
	 * column's count alone tells whether one is open. One bit per count, starting at `from`;
	 * the last bit also stands for all greater counts.
	 */
	bool marked;
	uint32_t from, top;
	size_t marks; /* index of the first word in order->marks */
};

struct lattice_order {
	struct lattice_column *columns;
	uint32_t column_count;
	uint64_t event_count;
	VEC(struct message_need) needs; /* of each event: sorted by column */
	VEC(uint32_t) members;		/* of each event: indices of sets */
	VEC(struct lattice_set) sets;
	VEC(struct lattice_span) spans;
	VEC(struct lattice_touch) touches; /* sorted by object, column, position */
	VEC(struct lattice_guard) guards;
	VEC(uint64_t) marks;
	struct lattice_event *events;
};

/* A message as it was fed. Its needs and members are in the feed's vectors. */
struct lattice_fed {
	uint32_t column, position, label;
	uint32_t need_count, member_count;
	size_t need, member;
	uint64_t fed_at; /* position in the order of feeding */
};
struct lattice_feed {
	VEC(struct lattice_fed) messages;
	VEC(struct message_need) needs;
	VEC(struct message_member) members;
};

/* A membership, while sets are being built. */
struct lattice_membership {
	uint32_t object, column, position, set;
};
typedef VEC(struct lattice_membership) lattice_memberships;

/* Finds the guards of all events from all memberships. Reorders `memberships`. */
void lattice_find_guards(struct lattice_order *order, lattice_memberships *memberships);

/* Sorts the fed messages by column and position. Returns false if they are inconsistent. */
bool lattice_order_build(struct lattice_order *order, struct lattice_feed *feed, struct err *err);
void lattice_order_free(struct lattice_order *order);

/* May the next event of `column` follow the cut that has `cut[c]` events of each column c? */
bool lattice_order_allows(const struct lattice_order *order, const uint32_t *cut, uint32_t column);

/* Returns how many events of `column` must come before the event. */
uint32_t lattice_order_need(const struct lattice_order *order, const struct lattice_event *event,
			    uint32_t column);

static inline bool lattice_is_member(const struct lattice_order *order,
				     const struct lattice_event *event, uint32_t set)
{
	for (uint32_t i = 0; i < event->member_count; i++) {
		if (order->members.items[event->member + i] == set)
			return true;
	}
	return false;
}

#endif
