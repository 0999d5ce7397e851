/*
 * The parts of a window that belong together, for atomicity: stretches of one region, annotated or
 * a critical section, in which its thread waits for nobody (doc/prediction.md, Atomicity).
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_PARTS_H
#define PREDICT_ATOMICITY_ATOMICITY_PARTS_H

#include "predict/driver/analysis.h"
#include "predict/atomicity/atomicity_calls.h"
#include "predict/atomicity/atomicity_regions.h"

struct part {
	uint32_t thread;       /* of the model */
	bool annotated;	       /* else it is a critical section, */
	bool inferred;	       /* or two of them: what the first reads, what the next writes */
	uint64_t lock;	       /* its address */
	uint32_t name;	       /* of an annotated one: in the regions' names */
	struct event_id begin; /* the probe, or what took the lock */
	uint64_t place;	       /* where it begins in the code: one finding for each */
	uint32_t first, last;  /* accesses in it, as nodes */
	uint32_t count;	       /* of them */
};

struct part_access {
	uint32_t cell, part, node;
};

struct parts {
	VEC(struct part) items;
	VEC(struct part_access) accesses; /* by cell, part, node */
};

/* Which parts there are to be. */
struct parts_wanted {
	const struct regions *regions; /* annotated ones; NULL: none */
	bool sections;		       /* critical sections */
	const struct calls *calls; /* two critical sections of one lock, in one call; NULL: none */
};

/* Only parts with two accesses or more have any in the list. */
void parts_make(struct parts *parts, const struct window *window,
		const struct parts_wanted *wanted);
void parts_free(struct parts *parts);

/* The accesses of a cell in a part. */
const struct part_access *parts_find(const struct parts *parts, uint32_t cell, uint32_t part,
				     size_t *count);

#endif
