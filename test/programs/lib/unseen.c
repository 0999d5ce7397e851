/* Writes to what it was given once, and nobody sees it. Built without hooks; with turns. */
#include "turn.c"

void unseen_register(int i, int *at);
void unseen_set(int i);
void unseen_fill(int *at);

static int *registered[3];

void unseen_register(int i, int *at)
{
	registered[i] = at;
}

void unseen_set(int i)
{
	__atomic_store_n(registered[i], 1, __ATOMIC_RELEASE);
}

void unseen_fill(int *at)
{
	*at = 0;
}
