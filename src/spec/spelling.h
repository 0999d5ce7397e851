/* Which of many words did the user mean? The one that takes the fewest slips of the fingers. */
#ifndef SPEC_SPELLING_H
#define SPEC_SPELLING_H

#include <stddef.h>

struct spelling {
	const char *word, *best; /* `best`: NULL while none is near */
	size_t length;
	unsigned distance; /* of the best; what is not closer does not count */
};

void spelling_start(struct spelling *near, const char *word);
void spelling_try(struct spelling *near, const char *candidate);

/* How many letters must be changed, put in, left out, or swapped with their neighbour. */
unsigned spelling_distance(const char *a, const char *b);

#endif
