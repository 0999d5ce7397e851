// A region of memory is used like a stack by two threads; each drops what it pushed, and the lock is held for
// each operation alone. If the other one pushes in between, what is dropped is not on top.
// property: grammars.prop
// violates: LastInFirstOut drop@DROP
#include "pair.h"

struct region {
	int size;
};
static struct region region = { 4096 };

EVENT static void push(struct region *r, int block)
{
	(void)r;
	(void)block;
}

EVENT static void drop(struct region *r, int block) // DROP
{
	(void)r;
	(void)block;
}

static void work(int block)
{
	enter();
	push(&region, block);
#ifndef FIXED
	leave();
	enter();
#endif
	push(&region, block + 1);
	drop(&region, block + 1);
	drop(&region, block);
	leave();
}

static void *first(void *unused)
{
	work(10);
	return unused;
}

static void *second(void *unused)
{
	work(20);
	return unused;
}
