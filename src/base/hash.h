/* Hash functions for tables: of numbers, sequences of numbers, and text. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* 2^64 divided by the golden ratio: the multiplier of Fibonacci hashing. */
#define HASH_GOLDEN 0x9e3779b97f4a7c15u

/*
 * Adds `value` to a hash. For two plain numbers write hash_mix(hash_mix(0, a), b): hash_mix(a, b)
 * would only xor them.
 */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * HASH_GOLDEN;
	return hash ^ hash >> 29;
}

/*
 * A well-mixed hash of one number: the finaliser of MurmurHash3. The sum of such hashes is a hash
 * of a set.
 */
static inline uint64_t hash_number(uint64_t value)
{
	value = (value ^ value >> 33) * 0xff51afd7ed558ccdu;
	value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53u;
	return value ^ value >> 33;
}

#define HASH_FNV_START 0xcbf29ce484222325u

/* FNV-1a over bytes. Begin with HASH_FNV_START, or go on from an earlier result. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ at[i]) * 0x100000001b3u;
	return hash;
}

#endif
