/*
 * What two accesses must be to conflict in a region's sense, and what rules a tear out without asking
 * the solver (doc/prediction.md, Atomicity).
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_CONFLICT_H
#define PREDICT_ATOMICITY_ATOMICITY_CONFLICT_H

#include "predict/atomicity/atomicity_tears.h"

/* Is b inside, and before it, whenever a is? Needs must have been made (candidates_need). */
bool tears_lean(const struct tears *tears, uint32_t a, uint32_t b);

/*
 * The three parts of tears_conflict. By what an access of the part and others do, whatever the cell: `kind`
 * and `locks` are of one node or of a group. Whether the cell counts for the part. Whether the
 * other access tears it there: what writes must change something.
 */
bool tears_kinds_conflict(struct tears *tears, const struct part *part, uint32_t local,
			  uint8_t kind, uint32_t locks);
bool tears_cell_counts(struct tears *tears, const struct part *part, uint32_t cell);
bool tears_remote_counts(const struct tears *tears, uint32_t remote, uint32_t cell);

/* Do the two accesses conflict, in the sense of the part's law? */
bool tears_conflict(struct tears *tears, const struct part *part, uint32_t local, uint32_t remote);

/* May these two be the ends? Not if both are reads at one place: a loop that looks again. */
bool tears_fit(const struct tears *tears, uint32_t l1, uint32_t l2);

/* What clocks, needs and locks do not rule out. (A signal handler may have cut in between r1 and r2.) */
bool tears_possible(const struct tears *tears, const struct tear *tear);

/* Has no window before had all of it? */
bool tears_fresh(const struct tears *tears, const struct tear *tear);

#endif
