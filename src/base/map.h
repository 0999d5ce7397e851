/*
 * A hash map from 64-bit keys to 64-bit values: open addressing with linear probing, at most half
 * full, 16 bytes per slot. Entries cannot be removed one by one.
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
	struct map_slot *slots; /* key 0 marks an empty slot; the entry of key 0 is in `zero` */
	size_t mask, count;
	bool has_zero;
	uint64_t zero;
};

/* Returns the value of `key`, or NULL if it has none. Valid until the next map_put(). */
uint64_t *map_get(const struct map *map, uint64_t key);

/*
 * Returns the value of `key`, adding it as 0 if it has none. `fresh`, if not NULL, is set to
 * whether it was added.
 */
uint64_t *map_put(struct map *map, uint64_t key, bool *fresh);

void map_free(struct map *map);

#endif
