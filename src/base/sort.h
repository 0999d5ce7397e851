/*
 * Sorting and searching.
 *
 *	SORT_COMPARISON(by_from, struct range, a, b, sort_order(a->from, b->from))
 *	...
 *	vec_sort(&ranges, by_from);
 *
 * Several keys are joined by `?:` — `sort_order(a->from, b->from) ?: sort_order(a->to, b->to)`.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* -1, 0 or 1: how `a` compares with `b`. */
#define sort_order(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines `name`, a comparison function for qsort over items of `type`, called `a` and `b`. */
#define SORT_COMPARISON(name, type, a, b, result)                                                  \
	static int name(const void *name##_a, const void *name##_b)                                \
	{                                                                                          \
		type const *a = name##_a, *b = name##_b;                                           \
		return (result);                                                                   \
	}

/* Sorts a VEC (base/vec.h), which may be empty. */
#define vec_sort(v, comparison) sort_items((v)->items, (v)->count, sizeof *(v)->items, comparison)

/* qsort, except that it accepts a null pointer when there are no items. */
static inline void sort_items(void *items, size_t count, size_t size,
			      int (*comparison)(const void *, const void *))
{
	if (count > 1)
		qsort(items, count, size, comparison);
}

/* Comparison functions for plain numbers. */
int sort_u32(const void *a, const void *b);
int sort_u64(const void *a, const void *b);

/*
 * Binary search: sets `at` to the first number of [0, count) for which `condition`, an expression
 * that uses `at`, is true, or to `count` if there is none. The condition must not become false
 * again after it was true.
 */
#define SEARCH_FIRST(at, count, condition)                                                         \
	do {                                                                                       \
		__typeof__(at) at##_low = 0, at##_high = (count);                                  \
		while (at##_low < at##_high) {                                                     \
			(at) = at##_low + (at##_high - at##_low) / 2;                              \
			if (condition)                                                             \
				at##_high = (at);                                                  \
			else                                                                       \
				at##_low = (at) + 1;                                               \
		}                                                                                  \
		(at) = at##_low;                                                                   \
	} while (0)

#endif
