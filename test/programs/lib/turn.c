/*
 * Turns that a recording does not see: this file is built without hooks and uses no function that
 * is interposed. So a program has the same order each time it is recorded, and that order binds no
 * prediction.
 */
#include <sched.h>

void turn_wait(int number);
void turn_done(void);

static int turn;

void turn_wait(int number)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) < number)
		sched_yield();
}

void turn_done(void)
{
	__atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
}
