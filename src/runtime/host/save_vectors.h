/*
 * Calls a function that may use vector registers from a place where vector registers are live,
 * because the program's code does not know of the call. There are two such places: before an access
 * (access_patch.S), and where a thread buffer is full (refill.S).
 *
 * All code that runs there is either compiled to use general registers only (the folders that the
 * Makefile lists), or is called through save_vectors_call(). tools/vectors checks that.
 */
#ifndef RUNTIME_HOST_SAVE_VECTORS_H
#define RUNTIME_HOST_SAVE_VECTORS_H

/* Determines what the processor supports. To be called before the first call. */
void save_vectors_prepare(void);

/* Calls call(argument); afterwards all vector and x87 registers have their previous values. */
void save_vectors_call(void (*call)(void *), void *argument);

#endif
