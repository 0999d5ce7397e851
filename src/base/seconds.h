/* How long things take. */
#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

#include <time.h>

/* Since some moment that is the same for the whole process; never set back. */
static inline double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#endif
