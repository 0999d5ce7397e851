/*
 * The messages of a computation sorted by column and position, with the conditions under which each
 * event may come next.
 *
 * An event waits for other events (its needs) and for other atomic sets to close. In a cut at
 * most one set of an object is open (except for shared sets), and it excludes all others. An open
 * set is always the set that some column touched last. So a *guard* says where to look for an open
 * set: for each other column it names a slice of that column's touches of the object, and the last
 * touch inside the cut decides. Comparing an event with all other sets instead would cost their
 * number, which for a variable that every thread writes is the length of the run.
 */
#ifndef MONITOR_LATTICE_LATTICE_ORDER_H
#define MONITOR_LATTICE_LATTICE_ORDER_H

#include "base/err.h"
#include "monitor/computation/message.h"

struct lattice_event {
	/* number of events that must come before it: it follows no cut of a lower level */
	uint64_t height;
	uint32_t label;
	uint32_t symbol; /* index of its input symbol (monitor/lattice/state_sets.h); 0: silent */
	uint32_t code;	 /* argument of state_sets_step_*() for the symbol */
	uint32_t need, need_count;
	uint32_t member, member_count;
	uint32_t guard, guard_count;
};

struct lattice_column {
	struct lattice_event *events;
	uint32_t count;
	uint32_t first; /* index of its first event in order->events */
	bool guarded;	/* some of its events have guards */
};

/* The members of a set in one column: `first` and `last` are positions. */
struct lattice_span {
	uint32_t column, first, last;
};

struct lattice_set {
	uint32_t object;
	uint32_t span, span_count;
	bool lock, shared;
	/* it closes when all members are in the cut; otherwise it stays open for ever */
	bool closes;
	bool opens; /* it is open in some cut: its members are not all in one event */
};

struct lattice_touch {
	uint32_t position, set;
};

struct lattice_guard {
	uint32_t column;
	uint32_t touch, count; /* slice of order->touches */
	/* the event's own set is shared, so other shared sets do not exclude it */
	bool shared;
	bool every; /* several shared sets can be open at once: check the whole slice */
	/*
	 * Optimisation if each set lies entirely in one column, as the sets of most locks do: then
	 * the number of this column's events in the cut alone tells whether a set is open. There is
	 * one bit per number, starting at `from`; the last bit also stands for all greater numbers.
	 */
	bool marked;
	uint32_t from, top;
	size_t marks; /* index of the first word in order->marks */
};

struct lattice_order {
	struct lattice_column *columns;
	uint32_t column_count;
	uint64_t event_count;
	VEC(struct message_need) needs; /* a slice for each event, sorted by column */
	VEC(uint32_t) members;		/* a slice for each event: indices of sets */
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
