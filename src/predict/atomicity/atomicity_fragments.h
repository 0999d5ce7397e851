/*
 * The fragments of a window that must be atomic: parts of one region, annotated or a critical
 * section, in which its thread does not wait for another thread (doc/prediction.md, Atomicity).
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_FRAGMENTS_H
#define PREDICT_ATOMICITY_ATOMICITY_FRAGMENTS_H

#include "predict/driver/analysis.h"
#include "predict/atomicity/atomicity_calls.h"
#include "predict/atomicity/atomicity_regions.h"

struct region_fragment {
	uint32_t thread;       /* of the model */
	bool annotated;	       /* otherwise it is a critical section, */
	bool inferred;	       /* or two of them: reads in the first, writes in the second */
	uint64_t lock;	       /* its address */
	uint32_t name;	       /* of an annotated one: in the regions' names */
	struct event_id begin; /* the probe, or the event that took the lock */
	uint64_t site_key;     /* key of the code site where it begins: one finding for each */
	uint32_t first, last;  /* first and last access in it, as nodes */
	uint32_t count;	       /* number of accesses */
};

struct fragment_access {
	uint32_t cell, fragment, node;
};

struct fragments {
	VEC(struct region_fragment) items;
	VEC(struct fragment_access) accesses; /* by cell, fragment, node */
};

/* Which fragments to make. */
struct fragments_wanted {
	const struct regions *regions; /* annotated ones; NULL: none */
	bool sections;		       /* critical sections */
	const struct calls *calls; /* two critical sections of one lock, in one call; NULL: none */
};

/* Only fragments with two accesses or more have accesses in the list. */
void fragments_make(struct fragments *fragments, const struct window *window,
		    const struct fragments_wanted *wanted);
void fragments_free(struct fragments *fragments);

/* The accesses to a cell in a fragment. */
const struct fragment_access *fragments_find(const struct fragments *fragments, uint32_t cell,
					     uint32_t fragment, size_t *count);

#endif
