/* The hash map: grows by doubling when it is half full. */
#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

#include <stdlib.h>

/* Fibonacci hashing. The upper half is folded in first: addresses differ in their middle bits. */
static size_t hash_key(uint64_t key)
{
	return (size_t)hash_mix(0, key ^ key >> 32);
}

/* Returns the slot of `key`, or the empty slot where it belongs. */
static struct map_slot *find_slot(const struct map *map, uint64_t key)
{
	size_t i = hash_key(key) & map->mask;

	while (map->slots[i].key && map->slots[i].key != key)
		i = (i + 1) & map->mask;
	return &map->slots[i];
}

uint64_t *map_get(const struct map *map, uint64_t key)
{
	struct map_slot *slot;

	if (!key)
		return map->has_zero ? (uint64_t *)&map->zero : NULL;
	if (!map->slots)
		return NULL;
	slot = find_slot(map, key);
	return slot->key ? &slot->value : NULL;
}

static void grow(struct map *map)
{
	struct map old = *map;
	size_t room = old.slots ? (old.mask + 1) * 2 : 16;

	map->slots = mem_zalloc(room, sizeof *map->slots);
	map->mask = room - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++) {
		if (old.slots[i].key)
			*find_slot(map, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

uint64_t *map_put(struct map *map, uint64_t key, bool *fresh)
{
	struct map_slot *slot;
	bool made;

	if (!key) {
		made = !map->has_zero;
		map->has_zero = true;
		if (fresh)
			*fresh = made;
		return &map->zero;
	}
	if (!map->slots || map->count * 2 >= map->mask)
		grow(map);
	slot = find_slot(map, key);
	made = !slot->key;
	if (made) {
		slot->key = key;
		map->count++;
	}
	if (fresh)
		*fresh = made;
	return &slot->value;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}
