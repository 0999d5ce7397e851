/* Hashes of several numbers, one after the other. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

/* Of two numbers that are no hashes: mix(mix(0, a), b). In mix(a, b) they would just be xored. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

#endif
