/*
 * Whether somebody waits for the static variable of `get()`: libstdc++ marks its guard so. And a
 * turn, as in turn.c. This file is built without hooks.
 */
#include <sched.h>

void guard_awaited(void);
void turn_wait(void);
void turn_done(void);

extern unsigned guard __asm__("_ZGVZ3getvE3one");
static int turn;

void guard_awaited(void)
{
	while (!(__atomic_load_n(&guard, __ATOMIC_ACQUIRE) & 1u << 16))
		sched_yield();
}

void turn_wait(void)
{
	while (!__atomic_load_n(&turn, __ATOMIC_ACQUIRE))
		sched_yield();
}

void turn_done(void)
{
	__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
}
