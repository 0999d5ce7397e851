/* Locks that are only taken and given back: spin locks, and those of stdio's files. See mutex.c. */
#ifndef RUNTIME_SYNC_SIMPLE_LOCK_H
#define RUNTIME_SYNC_SIMPLE_LOCK_H

#include <stdint.h>

struct simple_lock {
	void *object;
	int (*try)(void *object); /* 0, or not to be had now */
	void (*wait)(void *object);
	void (*give)(void *object);
};

/* Only while record_on(). `simple_lock_try` returns what the lock's own try says. */
void simple_lock_take(const struct simple_lock *lock, uintptr_t pc);
int simple_lock_try(const struct simple_lock *lock, uintptr_t pc);
void simple_lock_give(const struct simple_lock *lock, uintptr_t pc);

#endif
