/*
 * What a program that is going to be killed leaves for its judge: a file mapped shared, which the
 * kernel keeps. progress.c, which is not instrumented, writes it.
 */
#ifndef TEST_SURVIVE_PROGRESS_H
#define TEST_SURVIVE_PROGRESS_H

#include <stdint.h>

#define PROGRESS_THREADS 4

struct progress {
	uint64_t cells;			    /* where the threads write: one uint64_t each */
	uint64_t reached[PROGRESS_THREADS]; /* the last number each of them is done with */
};

/* Call it first; NULL when the environment names no file (PROGRESS). */
struct progress *progress_open(const void *cells);

/* The write of `number` has been made, and so has its record: the call ends the segment. */
void progress_reached(struct progress *progress, int thread, uint64_t number);

#endif
