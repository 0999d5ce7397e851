/*
 * The state that each thread of a window can have when no thread can go on: over, not created, or
 * blocked at one of its waiters. This test is cheap and ends the search in most windows, in which
 * some thread computes and never waits.
 */
#ifndef PREDICT_DEADLOCK_FINAL_STATES_H
#define PREDICT_DEADLOCK_FINAL_STATES_H

#include "predict/deadlock/waiter.h"

/*
 * States of a thread at the cut. final_is_absent(): is the thread created after the window? Then
 * the window's analysis ignores it. final_can_be_over(): can it have ended?
 */
bool final_is_absent(const struct waiters *waiters, uint32_t thread);
bool final_can_be_over(const struct waiters *waiters, uint32_t thread);

/*
 * Follow a chain of blocked threads, each waiting for the next. If there is no cycle, the last one
 * is not blocked by a blocked thread: its wait was not signalled, its semaphore is empty, its
 * barrier is not complete; or it waits for a lock that an ended thread kept, or for a thread that
 * was never created. Can this waiter be the last one?
 */
bool final_can_be_last(const struct waiters *waiters, const struct waiter *waiter);

/*
 * Returns an array by waiter: can its thread be blocked there while every other thread is in one of
 * its states? Returns NULL if there is no prefix after which no thread can go on. The caller frees
 * the array.
 */
bool *final_find_waiters(const struct waiters *waiters, const struct order_clock *clock);

#endif
