/*
 * Waits for a thread that holds one of the runtime's own locks for a few instructions and is not
 * running now. Among threads of equal priority, yielding the processor is enough. But a thread with
 * a real-time policy would get its processor back at once and keep it from a holder of lower
 * priority for ever. So after some attempts it sleeps.
 */
#ifndef RUNTIME_HOST_BACKOFF_H
#define RUNTIME_HOST_BACKOFF_H

/*
 * To be called in a loop that checks whether the lock is free; `tries` counts from 0. Preserves
 * errno and is not a cancellation point.
 */
void backoff(unsigned tries);

#endif
