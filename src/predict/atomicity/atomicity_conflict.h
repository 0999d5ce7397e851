/*
 * When two accesses conflict for a region, and what rules an interruption out without asking the
 * solver (doc/prediction.md, Atomicity).
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_CONFLICT_H
#define PREDICT_ATOMICITY_ATOMICITY_CONFLICT_H

#include "predict/atomicity/atomicity_interruptions.h"

/*
 * The three parts of interruptions_conflict(). First: do the kinds of an access in the fragment and
 * a remote access conflict, whatever the cell? `kind` and `locks` are those of one node or of a
 * group. Second: does the cell count for the fragment? Third: does the remote access interrupt it
 * there? A write must change the value.
 */
bool interruptions_kinds_conflict(struct interruptions *interruptions,
				  const struct region_fragment *fragment, uint32_t local,
				  uint8_t kind, uint32_t locks);
bool interruptions_cell_counts(struct interruptions *interruptions,
			       const struct region_fragment *fragment, uint32_t cell);
bool interruptions_remote_counts(const struct interruptions *interruptions, uint32_t remote,
				 uint32_t cell);

/* Do the two accesses conflict by the rules for the fragment? */
bool interruptions_conflict(struct interruptions *interruptions,
			    const struct region_fragment *fragment, uint32_t local,
			    uint32_t remote);

/* May these two be l1 and l2? Not if both are reads at one site: a loop that polls. */
bool interruptions_can_be_ends(const struct interruptions *interruptions, uint32_t l1, uint32_t l2);

/*
 * Is the interruption not ruled out by clocks, required nodes or locks? (A signal handler may have
 * run between r1 and r2.)
 */
bool interruptions_possible(const struct interruptions *interruptions,
			    const struct interruption *candidate);

/* Is part of it in no earlier window? */
bool interruptions_fresh(const struct interruptions *interruptions,
			 const struct interruption *candidate);

#endif
