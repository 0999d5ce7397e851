/*
 * A hash map from 64-bit keys to 64-bit values: open addressing, linear probes, at most half full.
 * 16 bytes a slot. Entries are not removed one by one.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key, value;
};

struct map {
	struct map_slot *slots; /* a key of 0 marks an empty slot; key 0 itself lives in `zero` */
	size_t mask, count;
	bool has_zero;
	uint64_t zero;
};

/* The value of `key`, or NULL. Good until the next map_put. */
uint64_t *map_get(const struct map *map, uint64_t key);

/* The value of `key`, made (as 0) when it was not there; `*fresh`, if asked for, says which. */
uint64_t *map_put(struct map *map, uint64_t key, bool *fresh);

void map_free(struct map *map);

#endif
