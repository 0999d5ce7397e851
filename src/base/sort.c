/* Comparison functions for arrays of plain numbers. */
#include "base/sort.h"

int sort_u32(const void *a, const void *b)
{
	return sort_order(*(const uint32_t *)a, *(const uint32_t *)b);
}

int sort_u64(const void *a, const void *b)
{
	return sort_order(*(const uint64_t *)a, *(const uint64_t *)b);
}
