/* A hash table of sets of locks, and a cache of intersections. */
#include "predict/warnings/lockset.h"

#include "base/hash.h"

#include <stdint.h>
#include <string.h>

void locksets_open(struct locksets *sets)
{
	*sets = (struct locksets){ 0 };
	*vec_push(&sets->start) = 0;
	locksets_find(sets, NULL, 0);
}

void locksets_close(struct locksets *sets)
{
	vec_free(&sets->locks);
	vec_free(&sets->start);
	vec_free(&sets->scratch);
	map_free(&sets->numbers);
	map_free(&sets->intersections);
}

static size_t count_of(const struct locksets *sets, uint32_t set)
{
	return sets->start.items[set + 1] - sets->start.items[set];
}

static const uint32_t *locks_of(const struct locksets *sets, uint32_t set)
{
	return sets->locks.items + sets->start.items[set];
}

/* Insertion sort: a thread rarely holds more than three locks. */
static void sort_locks(uint32_t *locks, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t one = locks[i];
		size_t k = i;

		for (; k && locks[k - 1] > one; k--)
			locks[k] = locks[k - 1];
		locks[k] = one;
	}
}

uint32_t locksets_find(struct locksets *sets, uint32_t *locks, size_t count)
{
	uint64_t hash = HASH_FNV_START, *number;
	bool fresh;

	sort_locks(locks, count);
	for (size_t i = 0; i < count; i++)
		hash = hash_mix(hash, locks[i]);
	for (;; hash++) {
		number = map_put(&sets->numbers, hash, &fresh);
		if (fresh)
			break;
		if (count_of(sets, (uint32_t)*number) == count &&
		    (!count ||
		     !memcmp(locks_of(sets, (uint32_t)*number), locks, count * sizeof *locks)))
			return (uint32_t)*number;
	}
	*number = sets->start.count - 1;
	for (size_t i = 0; i < count; i++)
		*vec_push(&sets->locks) = locks[i];
	*vec_push(&sets->start) = sets->locks.count;
	return (uint32_t)*number;
}

static uint32_t intersect(struct locksets *sets, uint32_t a, uint32_t b)
{
	const uint32_t *x = locks_of(sets, a), *x_end = x + count_of(sets, a);
	const uint32_t *y = locks_of(sets, b), *y_end = y + count_of(sets, b);

	sets->scratch.count = 0;
	while (x < x_end && y < y_end) {
		if (*x == *y)
			*vec_push(&sets->scratch) = *x;
		if (*x < *y)
			x++;
		else
			y++;
	}
	return locksets_find(sets, sets->scratch.items, sets->scratch.count);
}

uint32_t locksets_intersect(struct locksets *sets, uint32_t a, uint32_t b)
{
	uint64_t *cached;
	bool fresh;

	if (a == b || a == LOCKSET_EMPTY)
		return a;
	if (b == LOCKSET_EMPTY)
		return b;
	cached = map_put(&sets->intersections, (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a),
			 &fresh);
	if (fresh)
		*cached = intersect(sets, a, b);
	return (uint32_t)*cached;
}
