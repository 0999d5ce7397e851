/*
 * A program of this folder says what it sees of the world: results, errno, numbers. It says the same
 * when it is recorded (test/transparent/run).
 */
#ifndef TEST_TRANSPARENT_SAY_H
#define TEST_TRANSPARENT_SAY_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* An integer expression, and its value. */
#define SAY(expression) printf("%s: %ld\n", #expression, (long)(expression))

/* The same of a call that may set errno, which was 55 before. */
#define SAY_ERRNO(call)                                                                            \
	do {                                                                                       \
		errno = 55;                                                                        \
		long say_result = (long)(call);                                                    \
		int say_error = errno;                                                             \
		printf("%s: %ld, errno %d\n", #call, say_result, say_error);                       \
	} while (0)

/* So many accesses that buffers are full and written, whatever the compiler thinks of it. */
static inline void say_work(int steps)
{
	static __thread volatile unsigned long cells[16];

	for (int i = 0; i < steps; i++)
		cells[i % 16] += (unsigned long)i;
}

/* Runs something in a thread of its own to its end; returns what it returns. */
static inline void *say_in_thread(void *(*routine)(void *), void *argument)
{
	pthread_t thread;
	void *result = NULL;

	if (pthread_create(&thread, NULL, routine, argument))
		printf("no thread\n");
	else
		pthread_join(thread, &result);
	return result;
}

#endif
