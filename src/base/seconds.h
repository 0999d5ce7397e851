/* Measuring elapsed time. */
#ifndef BASE_SECONDS_H
#define BASE_SECONDS_H

#include <time.h>

/* Seconds since an arbitrary fixed moment; never goes back. */
static inline double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#endif
