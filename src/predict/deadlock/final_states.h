/*
 * The state that each thread of a window can have when no thread can go on: over, not created, or
 * blocked at one of its waiters. This test is cheap, and for most windows it is the end of the
 * search: some thread computes and never waits.
 */
#ifndef PREDICT_DEADLOCK_FINAL_STATES_H
#define PREDICT_DEADLOCK_FINAL_STATES_H

#include "predict/deadlock/waiter.h"

/*
 * Is the thread created after the window? Then it does not exist as far as the window is concerned.
 * The other two: can it be over; can it be not created?
 */
bool final_is_absent(const struct waiters *waiters, uint32_t thread);
bool final_can_be_over(const struct waiters *waiters, uint32_t thread);
bool final_can_be_uncreated(const struct waiters *waiters, uint32_t thread);

/*
 * If there is no cycle, the last thread in a chain of blocked threads does not wait for a thread:
 * its wait was not signalled, its semaphore is empty, its barrier is not complete; or it waits for
 * a lock that an ended thread kept, or for a thread that was never created. Can this waiter be that
 * last one?
 */
bool final_can_be_last(const struct waiters *waiters, const struct waiter *waiter);

/*
 * For each waiter: can its thread be blocked there while every other thread is in one of its
 * states? Returns NULL if there is no such prefix. The caller frees the array.
 */
bool *final_find_waiters(const struct waiters *waiters, const struct order_clock *clock);

#endif
