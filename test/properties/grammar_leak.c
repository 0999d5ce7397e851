// What is pushed is dropped, each but the last: the word of the region is not complete where the region ends.
// property: grammars.prop
// violates: observed LastInFirstOut over@DROP
#include "pair.h"

#include <stdlib.h>

struct region {
	int size;
};
static struct region *region;

EVENT static void push(struct region *r, int block)
{
	r->size += block;
}

EVENT static void drop(struct region *r, int block) // DROP
{
	r->size -= block;
}

static void *first(void *unused)
{
	enter();
	region = calloc(1, sizeof *region);
	push(region, 10);
	push(region, 20);
	drop(region, 20);
#ifdef FIXED
	drop(region, 10);
#endif
	free(region);
	leave();
	return unused;
}

static void *second(void *unused)
{
	return unused;
}
