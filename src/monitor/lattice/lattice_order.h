/*
 * The messages of a computation, put in order: by column and place, with what each event waits for.
 *
 * An event waits for events (its needs) and for atomic sets. Of an object at most one set is open in a
 * cut (shared ones aside), and it forbids all others, so an open set is the one that some column
 * touched last: a *guard* says where to look for it. For each other column it names a slice of that
 * column's touches of the object; the last of them inside the cut is the one to ask. Comparing an event
 * with all rival sets instead costs their number, which on a variable that everybody writes is the
 * length of the run.
 */
#ifndef MONITOR_LATTICE_LATTICE_ORDER_H
#define MONITOR_LATTICE_LATTICE_ORDER_H

#include "base/err.h"
#include "monitor/computation/message.h"

struct lattice_event {
	uint64_t height; /* events that come before it: no cut of a lower level can take it */
	uint32_t label;
	uint32_t letter; /* what the monitors call it (monitor/lattice/state_sets.h); 0: silent */
	uint32_t code;	 /* by which payloads are stepped */
	uint32_t need, need_count;
	uint32_t member, member_count;
	uint32_t guard, guard_count;
};

struct lattice_column {
	struct lattice_event *events;
	uint32_t count;
	uint32_t first; /* number of its first event among all */
	bool guarded;	/* one of them has a guard */
};

/* What of a set is in one column. */
struct lattice_span {
	uint32_t column, first, last;
};

struct lattice_set {
	uint32_t object;
	uint32_t span, span_count;
	uint32_t members;
	bool lock, shared;
	bool closes; /* all members in: closed. Otherwise it stays open for ever */
	bool opens;  /* some cut has it open: not all of it happens at once */
};

struct lattice_touch {
	uint32_t position, set;
};

struct lattice_guard {
	uint32_t column;
	uint32_t touch, count; /* the slice */
	bool shared;	       /* the event's own membership: other shared sets do not matter */
	bool every;	       /* shared sets can be open side by side: all of the slice is asked */
	/*
	 * Sets that are all in this column, as those of most locks: then how far the column is says all.
	 * A bit for each number of events from `from` on, the last one for those beyond, too.
	 */
	bool marked;
	uint32_t from, top;
	size_t marks; /* the first word in the order's `marks` */
};

struct lattice_order {
	struct lattice_column *columns;
	uint32_t column_count;
	uint64_t event_count;
	VEC(struct message_need) needs; /* of an event: by column */
	VEC(uint32_t) members;		/* sets */
	VEC(struct lattice_set) sets;
	VEC(struct lattice_span) spans;
	VEC(struct lattice_touch) touches; /* by object, column, position */
	VEC(struct lattice_guard) guards;
	VEC(uint64_t) marks;
	struct lattice_event *events;
};

/* A message as it was fed; needs and members lie in the feed's vectors. */
struct lattice_fed {
	uint32_t column, position, label;
	uint32_t need_count, member_count;
	size_t need, member;
	uint64_t turn; /* the so-manieth that was fed */
};
struct lattice_feed {
	VEC(struct lattice_fed) messages;
	VEC(struct message_need) needs;
	VEC(struct message_member) members;
};

/* A membership, while sets are put together. */
struct lattice_touched {
	uint32_t object, column, position, set;
};
typedef VEC(struct lattice_touched) lattice_touched_list;

/* What each event must ask, of all memberships; puts them into another order. */
void lattice_find_guards(struct lattice_order *order, lattice_touched_list *touched);

/* Sorts the fed messages by column and position. False: they do not fit together. */
bool lattice_order_build(struct lattice_order *order, struct lattice_feed *feed, struct err *err);
void lattice_order_free(struct lattice_order *order);

/* May the next event of `column` follow the cut that has `cut[c]` events of each column c? */
bool lattice_order_allows(const struct lattice_order *order, const uint32_t *cut, uint32_t column);

/* So many events of `column` come before the event. */
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
