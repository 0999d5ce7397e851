/*
 * Turns that a recording does not see: this file is built without hooks and uses no function that
 * is interposed. So a program has the same order each time it is recorded, and that order binds no
 * prediction. It does bind a replay: with TURN_PATIENCE nobody waits longer than for so many yields,
 * and what is predicted can happen.
 */
#include <sched.h>

void turn_wait(int number);
void turn_done(void);

static int turn;

void turn_wait(int number)
{
#ifdef TURN_PATIENCE
	for (int i = 0; i < TURN_PATIENCE && __atomic_load_n(&turn, __ATOMIC_ACQUIRE) < number; i++)
#else
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) < number)
#endif
		sched_yield();
}

void turn_done(void)
{
	__atomic_fetch_add(&turn, 1, __ATOMIC_RELEASE);
}
