/*
 * Sets of locks, each different one once, as the table of Savage, Burrows, Nelson, Sobalvarro and
 * Anderson, "Eraser: A Dynamic Data Race Detector for Multithreaded Programs" (1997), section 3.2:
 * a set is a number, and so a shadow word can hold it; intersections are remembered.
 */
#ifndef PREDICT_WARNINGS_LOCKSET_H
#define PREDICT_WARNINGS_LOCKSET_H

#include "base/map.h"
#include "base/vec.h"

#define LOCKSET_EMPTY 0u

/*
 * The lock that no thread has and each atomic operation holds: atomics exclude each other and
 * nothing else, which is just what a lock of theirs would do.
 */
#define LOCKSET_ATOMIC 0u

struct locksets {
	VEC(uint32_t) locks; /* of all sets, each sorted */
	VEC(size_t) start;   /* by set; one more at the end */
	struct map numbers;  /* hash of the locks: a set; others of that hash at hash + 1 … */
	struct map meets;    /* pair of sets: their intersection */
	VEC(uint32_t) scratch;
};

void locksets_open(struct locksets *sets);
void locksets_close(struct locksets *sets);

/* The set of these locks, in any order; `locks` is sorted in place. Equal sets have equal numbers. */
uint32_t locksets_put(struct locksets *sets, uint32_t *locks, size_t count);

uint32_t locksets_meet(struct locksets *sets, uint32_t a, uint32_t b);

#endif
