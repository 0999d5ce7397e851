/*
 * A lock and a flag that a recording does not see: this file is built without hooks and uses no
 * function that is interposed.
 */
#include <sched.h>

void own_lock(int *lock);
void own_unlock(int *lock);
void own_set(int *flag);
void own_await(int *flag);

void own_lock(int *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void own_unlock(int *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

void own_set(int *flag)
{
	__atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

void own_await(int *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		sched_yield();
}
