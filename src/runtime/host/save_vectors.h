/*
 * Calls a function that may use vector registers from a place where they are live: in code of the
 * program that does not know of the call. That is before an access (access_patch.S) and when a
 * thread buffer is full (refill.S).
 *
 * All code that runs there is either compiled to use general registers only (the folders that the
 * Makefile lists) and calls nothing else, or is called through this. tools/vectors checks that.
 */
#ifndef RUNTIME_HOST_SAVE_VECTORS_H
#define RUNTIME_HOST_SAVE_VECTORS_H

/* Determines what the processor supports. To be called before the first call. */
void save_vectors_prepare(void);

/* Calls call(argument); afterwards all vector and x87 registers have their previous values. */
void save_vectors_call(void (*call)(void *), void *argument);

#endif
