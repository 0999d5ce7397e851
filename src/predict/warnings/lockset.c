#include "predict/warnings/lockset.h"

#include <stdint.h>
#include <string.h>

void locksets_open(struct locksets *sets)
{
	*sets = (struct locksets){ 0 };
	*vec_push(&sets->start) = 0;
	locksets_put(sets, NULL, 0);
}

void locksets_close(struct locksets *sets)
{
	vec_free(&sets->locks);
	vec_free(&sets->start);
	vec_free(&sets->scratch);
	map_free(&sets->numbers);
	map_free(&sets->meets);
}

static size_t count_of(const struct locksets *sets, uint32_t set)
{
	return sets->start.items[set + 1] - sets->start.items[set];
}

static const uint32_t *locks_of(const struct locksets *sets, uint32_t set)
{
	return sets->locks.items + sets->start.items[set];
}

/* Few: a thread rarely holds more than three. */
static void sort(uint32_t *locks, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t one = locks[i];
		size_t k = i;

		for (; k && locks[k - 1] > one; k--)
			locks[k] = locks[k - 1];
		locks[k] = one;
	}
}

uint32_t locksets_put(struct locksets *sets, uint32_t *locks, size_t count)
{
	uint64_t hash = 0xcbf29ce484222325u, *number;
	bool fresh;

	sort(locks, count);
	for (size_t i = 0; i < count; i++)
		hash = (hash ^ locks[i]) * 0x9e3779b97f4a7c15u;
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

static uint32_t meet(struct locksets *sets, uint32_t a, uint32_t b)
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
	return locksets_put(sets, sets->scratch.items, sets->scratch.count);
}

uint32_t locksets_meet(struct locksets *sets, uint32_t a, uint32_t b)
{
	uint64_t *known;
	bool fresh;

	if (a == b || a == LOCKSET_EMPTY)
		return a;
	if (b == LOCKSET_EMPTY)
		return b;
	if (a > b) {
		uint32_t c = a;

		a = b;
		b = c;
	}
	known = map_put(&sets->meets, (uint64_t)a << 32 | b, &fresh);
	if (fresh) {
		uint32_t both = meet(sets, a, b);

		*known = both;
	}
	return (uint32_t)*known;
}
