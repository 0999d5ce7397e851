/*
 * Waits for one of the runtime's own locks while its holder is not running. The runtime holds such
 * a lock for a few instructions only. Among threads of equal priority, yielding the processor is
 * enough. But a waiting thread with a real-time policy would be given its processor again at once,
 * and a holder of lower priority would never run. So the waiting thread sleeps after some attempts.
 */
#ifndef RUNTIME_HOST_BACKOFF_H
#define RUNTIME_HOST_BACKOFF_H

/*
 * To be called in a loop that checks whether the lock is free; `tries` counts from 0. Preserves
 * errno and is not a cancellation point.
 */
void backoff(unsigned tries);

#endif
