/* Which of many words did the user mean? The one that takes the fewest slips of the fingers. */
#ifndef SPEC_NEAR_H
#define SPEC_NEAR_H

#include <stddef.h>

struct near {
	const char *word, *best; /* `best`: NULL while none is near */
	size_t length;
	unsigned distance; /* of the best; what is not closer does not count */
};

void near_start(struct near *near, const char *word);
void near_try(struct near *near, const char *candidate);

/* How many letters must be changed, put in, left out, or swapped with their neighbour. */
unsigned near_distance(const char *a, const char *b);

#endif
