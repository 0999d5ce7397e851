/*
 * Waiting for somebody who holds something of the runtime's for a few instructions, and does not run now.
 * Among equals a yield lets it. But a thread of a real-time policy would only get its processor back, and
 * keep it from a holder of lower priority for ever: so who has waited for some time sleeps.
 */
#ifndef RUNTIME_HOST_BACKOFF_H
#define RUNTIME_HOST_BACKOFF_H

/* The `tries`-th time, from 0, in a loop that looks whether it is free. Keeps errno; cancels nobody. */
void backoff(unsigned tries);

#endif
