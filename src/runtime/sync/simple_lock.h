/*
 * Locks that are only acquired and released, without types or timeouts: spin locks and the locks of
 * stdio's files. Their sequence numbers are taken as in mutex.c.
 */
#ifndef RUNTIME_SYNC_SIMPLE_LOCK_H
#define RUNTIME_SYNC_SIMPLE_LOCK_H

#include <stdint.h>

/* The C library's functions of one kind of lock. */
struct simple_lock_functions {
	int (*try_lock)(void *lock); /* returns 0 if it got the lock */
	void (*lock)(void *lock);
	void (*unlock)(void *lock);
};

/* Defines `functions` with the library's functions of the three names. */
#define SIMPLE_LOCK(functions, try_lock_name, lock_name, unlock_name)                              \
	static int functions##_try(void *object)                                                   \
	{                                                                                          \
		return real()->try_lock_name(object);                                              \
	}                                                                                          \
	static void functions##_lock(void *object)                                                 \
	{                                                                                          \
		real()->lock_name(object);                                                         \
	}                                                                                          \
	static void functions##_unlock(void *object)                                               \
	{                                                                                          \
		real()->unlock_name(object);                                                       \
	}                                                                                          \
	static const struct simple_lock_functions functions = { functions##_try, functions##_lock, \
								functions##_unlock };

/*
 * To be called only while record_on(). `simple_lock_try` returns the result of the lock's try
 * function.
 */
void simple_lock_acquire(const struct simple_lock_functions *real, void *lock, uintptr_t pc);
int simple_lock_try(const struct simple_lock_functions *real, void *lock, uintptr_t pc);
void simple_lock_release(const struct simple_lock_functions *real, void *lock, uintptr_t pc);

#endif
