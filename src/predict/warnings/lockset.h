/*
 * Sets of locks. Each different set is stored once, as in the table of Savage, Burrows, Nelson,
 * Sobalvarro and Anderson, "Eraser: A Dynamic Data Race Detector for Multithreaded Programs"
 * (1997), section 3.2. A set is represented by a number, which fits into the state of a byte.
 * Intersections are cached.
 */
#ifndef PREDICT_WARNINGS_LOCKSET_H
#define PREDICT_WARNINGS_LOCKSET_H

#include "base/map.h"
#include "base/vec.h"

#define LOCKSET_EMPTY 0u

/*
 * A lock that no program has. Each atomic operation counts as holding it. So atomic operations
 * exclude each other and nothing else, exactly as if they took a lock of their own.
 */
#define LOCKSET_ATOMIC 0u

struct locksets {
	VEC(uint32_t) locks; /* the locks of all sets, one set after the other, each sorted */
	VEC(size_t) start;   /* by set: its first lock; one more at the end */
	/* hash of the locks to a set; other sets with that hash are at hash + 1 … */
	struct map numbers;
	struct map intersections; /* pair of sets to their intersection */
	VEC(uint32_t) scratch;
};

void locksets_open(struct locksets *sets);
void locksets_close(struct locksets *sets);

/* The set of these locks, in any order; sorts `locks` in place. Equal sets have equal numbers. */
uint32_t locksets_find(struct locksets *sets, uint32_t *locks, size_t count);

uint32_t locksets_intersect(struct locksets *sets, uint32_t a, uint32_t b);

#endif
