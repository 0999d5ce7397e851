/* What the analyses find, and where they put it. */
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
	FINDING_LOCKSET,    /* Eraser's */
	FINDING_LOCK_ORDER, /* GoodLock's */
	FINDING_PATTERN,    /* a property's; so are the others from here on */
	FINDING_LTL,	    /* always, never, ltl: found by src/monitor */
	FINDING_ERE,
	FINDING_MONITOR,
	FINDING_GRAMMAR,
	FINDING_KINDS
};
const char *finding_kind_name(enum finding_kind kind); /* "lost-signal" */

/* A warning (predict/warnings/warnings.h) is no finding that counts: nothing is proved, it has no steps. */
enum finding_status { FINDING_OBSERVED, FINDING_CONFIRMED, FINDING_PREDICTED, FINDING_WARNING };
const char *finding_status_name(enum finding_status status);

struct finding_lock {
	uint64_t address;
	struct event_id taken;
	bool shared;
};

/* An event of a finding, with what only the window knew; the rest is read again by the report. */
struct finding_event {
	struct event_id id;
	uint8_t kind;
	uint64_t address, size, site;
	bool pending;  /* the request that never came through */
	bool in_block; /* of a heap block: */
	struct window_block block;
	VEC(struct finding_lock) held; /* outermost first */
	/* deadlocks: the event of this finding whose thread has what this one waits for, if any */
	uint32_t waits_for; /* position in events, or ORDER_NONE */
	/*
	 * Properties: which event of the property it is (ORDER_NONE: the write of a variable), and
	 * whether the moment before is meant.
	 */
	uint32_t named;
	bool before;
};

struct finding {
	enum finding_kind kind;
	enum finding_status status;
	uint64_t count;		  /* instances at the same code sites that have a witness */
	enum event_misuse misuse; /* of FINDING_MISUSE: which */
	bool environment;	  /* leans on something only the environment explains */
	VEC(struct finding_event) events;
	/* The schedule, from the start of its window; and where each stream stands there. */
	VEC(struct event_id) steps;
	VEC(struct event_id) start; /* a stream and the index of its next event; only those > 0 */
	/*
	 * Properties, NULL otherwise: the property, which of its formulas (from 1), and a value for
	 * each of its parameters, whose type is FINDING_UNBOUND where no event binds it. Texts are
	 * the property set's, which must outlive the finding. Events are in the pattern's order; of
	 * another formula there is one, at which it is violated.
	 */
	const struct spec_property *property;
	uint32_t formula;
	VEC(struct property_value) binding;
	VEC(struct event_id) run; /* of a formula: what its monitor saw of the violating run */
	bool at_start; /* a formula is violated before anything happens: there are no events */
	bool at_end;   /* a formula is violated because the run is over */
	/*
	 * Atomicity: where the region begins, a probe or what took the lock; the lock's address, or
	 * the region's name, which is the finding's own. Events are l1, r1, (r2,) l2.
	 */
	struct event_id region;
	uint64_t region_lock;
	char *region_name; /* NULL: a critical section */
	/* The region is inferred: two sections of the lock. A warning, until a run fails by it. */
	bool inferred;
	uint32_t lead; /* of predict_result.leads: its number among them, from 1; else 0 */
};

#define FINDING_UNBOUND 0xff

void finding_free(struct finding *finding);

/* Is it a use of what is over: after a free, a destroy, a close? Its events are end and use. */
bool finding_is_of_life(const struct finding *finding);

#endif
