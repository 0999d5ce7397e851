/*
 * Calls of what may use vector registers from where they are live: code of the program that does not
 * know of the call. That is in front of an access (access_patch.S) and where a lane is full (refill.S).
 *
 * Whatever runs there either is compiled to use general registers only (the Makefile has the list) and
 * calls nothing else, or is called through this. tools/vectors looks whether that is so.
 */
#ifndef RUNTIME_HOST_SAVE_VECTORS_H
#define RUNTIME_HOST_SAVE_VECTORS_H

/* Before the first call: what the processor has. */
void save_vectors_prepare(void);

/* call(argument), with all vector and x87 registers as they were when it returns. */
void save_vectors_call(void (*call)(void *), void *argument);

#endif
