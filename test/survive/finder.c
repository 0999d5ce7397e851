/* Linked into a recorded library, which then calls a function of the C library that is opaque code. */
#include <search.h>

void *finder_find(const void *key, void *const *root, int (*compare)(const void *, const void *));

void *finder_find(const void *key, void *const *root, int (*compare)(const void *, const void *))
{
	return tfind(key, root, compare);
}
