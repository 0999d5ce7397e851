#include "base/map.h"

#include "base/mem.h"

#include <stdlib.h>

/* Fibonacci hashing, folded: addresses differ in their middle bits. */
static size_t hash(uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9e3779b97f4a7c15u;
	return (size_t)(key ^ key >> 29);
}

static struct map_slot *slot_of(const struct map *map, uint64_t key)
{
	size_t i = hash(key) & map->mask;

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
	slot = slot_of(map, key);
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
			*slot_of(map, old.slots[i].key) = old.slots[i];
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
	slot = slot_of(map, key);
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
