/* Findings: what the analyses report, for the report, for confirmation and for exploration. */
#ifndef PREDICT_DRIVER_FINDING_H
#define PREDICT_DRIVER_FINDING_H

#include "order/window/window.h"
#include "property/property.h"

enum finding_kind {
	FINDING_RACE,
	FINDING_DEADLOCK,
	FINDING_LOST_SIGNAL,
	FINDING_ATOMICITY,
	FINDING_USE_AFTER_FREE,
	FINDING_MISUSE,
	FINDING_LOCKSET,    /* a warning of Eraser */
	FINDING_LOCK_ORDER, /* a warning of GoodLock */
	FINDING_PATTERN,    /* this and the following belong to properties */
	FINDING_LTL,	    /* always, never, ltl: found by src/monitor */
	FINDING_ERE,
	FINDING_MONITOR,
	FINDING_GRAMMAR,
	FINDING_KINDS
};
const char *finding_kind_name(enum finding_kind kind); /* for example "lost-signal" */

/*
 * A warning is a suspicion that nothing proves: it comes from predict/warnings, or it is a lead
 * that no run has proved. It does not count as a bug.
 */
enum finding_status { FINDING_OBSERVED, FINDING_CONFIRMED, FINDING_PREDICTED, FINDING_WARNING };
const char *finding_status_name(enum finding_status status);

typedef VEC(struct event_id) finding_ids;

struct finding_lock {
	uint64_t address;
	struct event_id taken;
	bool shared;
};

/*
 * An event of a finding, with the facts that only the window knew. The report reads the other facts
 * from the trace again.
 */
struct finding_event {
	struct event_id id;
	uint8_t kind;
	uint64_t address, size, site;
	bool pending;  /* a request that was never granted */
	bool in_block; /* it accesses a heap block, `block` */
	struct window_block block;
	VEC(struct finding_lock) held; /* outermost first */
	/*
	 * Deadlocks: the event of this finding whose thread holds what this one waits for, if any.
	 */
	uint32_t waits_for; /* position in events, or ORDER_NONE */
	/*
	 * Properties: which event of the property this is (ORDER_NONE: the write of a variable),
	 * and whether the moment before the event is meant.
	 */
	uint32_t named;
	bool before;
};

struct finding {
	enum finding_kind kind;
	enum finding_status status;
	uint64_t count;		  /* instances at the same code sites that have a witness */
	enum event_misuse misuse; /* which misuse, for FINDING_MISUSE */
	bool environment;	  /* depends on an event that only the environment explains */
	bool benign;		  /* a race with a write of the value that is there already */
	/*
	 * Possible only if code that is not recorded neither waits nor orders its callers: a lead.
	 */
	bool unrecorded;
	VEC(struct finding_event) events;
	/* The schedule from the start of its window, and the position of each stream there. */
	finding_ids steps;
	finding_ids start; /* by stream: the index of its next event, if that is > 0 */
	/*
	 * Properties only, otherwise NULL: the property, which of its formulas (from 1), and a
	 * value for each of its parameters. A parameter that no event binds has type
	 * FINDING_UNBOUND. The texts belong to the property set, which must outlive the finding. A
	 * pattern's events are in the order of the pattern; any other formula has one event, at
	 * which it is violated.
	 */
	const struct spec_property *property;
	uint32_t formula;
	VEC(struct property_value) binding;
	/* formulas: the events of the violating run that the monitor saw */
	VEC(struct event_id) run;
	bool at_start; /* the formula is violated before anything happens: there are no events */
	bool at_end;   /* the formula is violated because the run is over */
	/*
	 * Atomicity: where the region begins (a probe, or the event that took the lock), and the
	 * lock's address or the region's name. The finding owns the name. The events are l1, r1,
	 * (r2,) l2.
	 */
	struct event_id region;
	uint64_t region_lock;
	char *region_name; /* NULL: a critical section */
	/* Inferred from two sections of the lock: a warning until a run fails because of it. */
	bool inferred;
	uint32_t lead; /* its number in predict_result.leads, from 1; otherwise 0 */
};

#define FINDING_UNBOUND 0xff

void finding_free(struct finding *finding);

/*
 * Is it a use after the end of a lifetime: after a free, a destroy or a close? Its events are then
 * the end and the use.
 */
bool finding_is_use_after_end(const struct finding *finding);
/* Does each of its threads wait for another of them? */
bool finding_is_cycle(const struct finding *finding);

#endif
