/*
 * Fragments: the parts of a window's regions that must be atomic. A region (annotated, a critical
 * section, or inferred from two critical sections) is cut into fragments where its thread waits for
 * another thread (doc/prediction.md, Atomicity).
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_FRAGMENTS_H
#define PREDICT_ATOMICITY_ATOMICITY_FRAGMENTS_H

#include "predict/driver/analysis.h"
#include "predict/atomicity/atomicity_calls.h"
#include "predict/atomicity/atomicity_regions.h"

struct region_fragment {
	uint32_t thread; /* number in the model */
	bool annotated;	 /* an annotated region; if neither this nor inferred: a critical section */
	bool inferred;	 /* two critical sections: reads in the first, writes in the second */
	uint64_t lock;	 /* address of the lock, unless annotated */
	uint32_t name;	 /* if annotated: position in the names of the regions */
	struct event_id begin; /* the probe, or the event that took the lock */
	uint64_t site_key;     /* key of the site where the region begins */
	uint32_t first, last;  /* nodes of the first and last access */
	uint32_t count;	       /* number of accesses */
};

struct fragment_access {
	uint32_t cell, fragment, node;
};

struct fragments {
	VEC(struct region_fragment) items;
	VEC(struct fragment_access) accesses; /* sorted by cell, fragment, node */
};

/* The kinds of regions that are cut into fragments. */
struct fragments_wanted {
	const struct regions *regions; /* the annotated regions; NULL: none */
	bool sections;		       /* include critical sections */
	const struct calls *calls;     /* for inferred regions; NULL: none */
};

/* Makes the fragments. A fragment with a single access has no items in `accesses`. */
void fragments_make(struct fragments *fragments, const struct window *window,
		    const struct fragments_wanted *wanted);
void fragments_free(struct fragments *fragments);

/* Returns the fragment's accesses to a cell, and sets *count to their number. */
const struct fragment_access *fragments_find(const struct fragments *fragments, uint32_t cell,
					     uint32_t fragment, size_t *count);

#endif
