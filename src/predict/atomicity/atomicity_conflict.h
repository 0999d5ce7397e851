/*
 * When two accesses conflict for a region, and what rules an interruption out without asking the
 * solver (doc/prediction.md, Atomicity).
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_CONFLICT_H
#define PREDICT_ATOMICITY_ATOMICITY_CONFLICT_H

#include "predict/atomicity/atomicity_interruptions.h"

/*
 * The three conditions of interruptions_conflict():
 * - interruptions_kinds_conflict(): do the kinds and the locks of the two accesses conflict,
 *   whatever the cell? `local` is an access in the fragment. `kind` and `locks` are those of a
 *   remote access, or of a group of them.
 * - interruptions_cell_counts(): does the fragment's region protect the cell?
 * - interruptions_remote_counts(): is the remote access a read, or a write that changes the cell's
 *   value?
 */
bool interruptions_kinds_conflict(struct interruptions *interruptions,
				  const struct region_fragment *fragment, uint32_t local,
				  uint8_t kind, uint32_t locks);
bool interruptions_cell_counts(struct interruptions *interruptions,
			       const struct region_fragment *fragment, uint32_t cell);
bool interruptions_remote_counts(const struct interruptions *interruptions, uint32_t remote,
				 uint32_t cell);

/* Do the two accesses meet all three conditions in some cell? */
bool interruptions_conflict(struct interruptions *interruptions,
			    const struct region_fragment *fragment, uint32_t local,
			    uint32_t remote);

/* Can these two be l1 and l2? Not if both are reads at one site: a loop that polls. */
bool interruptions_can_be_ends(const struct interruptions *interruptions, uint32_t l1, uint32_t l2);

/*
 * Returns false if nodes that must precede others (must_precede.h) or locks rule the interruption
 * out. Locks are tested at both r1 and r2: the other thread may hold different ones there, for
 * example if a signal handler ran in between.
 */
bool interruptions_possible(const struct interruptions *interruptions,
			    const struct interruption *candidate);

/* Is r2 or l2 in no earlier window? */
bool interruptions_fresh(const struct interruptions *interruptions,
			 const struct interruption *candidate);

#endif
