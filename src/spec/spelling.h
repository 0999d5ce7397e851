/* Finds the candidate with the smallest edit distance to a misspelt word, for "did you mean". */
#ifndef SPEC_SPELLING_H
#define SPEC_SPELLING_H

#include <stddef.h>

struct spelling {
	const char *word, *best; /* `best` is NULL until a candidate is close enough */
	size_t length;
	unsigned distance; /* distance of the best candidate; only a closer candidate replaces it */
};

void spelling_start(struct spelling *near, const char *word);
void spelling_try(struct spelling *near, const char *candidate);

/* "; did you mean 'NAME'?", or "" if `best` is NULL. Names of more than 100 bytes are cut. */
struct spelling_hint {
	char text[160];
};
struct spelling_hint spelling_hint(const char *best);

/*
 * Returns how many characters must be changed, inserted, deleted or swapped with a neighbour to get
 * from `a` to `b`.
 */
unsigned spelling_distance(const char *a, const char *b);

#endif
