/*
 * What each thread of a window can be when nobody goes on: over, not created, or blocked at some of
 * its waiters. Cheap, and for most windows the end: somebody computes and never waits.
 */
#ifndef PREDICT_DEADLOCK_STUCK_OPTIONS_H
#define PREDICT_DEADLOCK_STUCK_OPTIONS_H

#include "predict/deadlock/waiter.h"

/* Created behind the window: for it, such a thread is not there. */
bool stuck_is_absent(const struct waiters *waiters, uint32_t thread);
bool stuck_can_be_over(const struct waiters *waiters, uint32_t thread);
bool stuck_can_be_uncreated(const struct waiters *waiters, uint32_t thread);

/*
 * Without a cycle the last in a chain of blocked threads waits for nobody: its wait was not
 * signalled, its semaphore is empty, its meeting not complete; or it waits for a lock that an ended
 * thread took with it, or for a thread that was never created. Can this one be the last?
 */
bool stuck_is_last(const struct waiters *waiters, const struct waiter *waiter);

/*
 * For each waiter: can its thread be blocked there, while all others are in one of their options?
 * NULL when there is no such prefix. To be freed.
 */
bool *stuck_find_options(const struct waiters *waiters, const struct order_clock *clock);

#endif
