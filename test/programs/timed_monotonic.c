// A wait on a condition whose clock is CLOCK_MONOTONIC ends when that clock has reached its time, and not before.
// build: -pthread
// stdout: waited
#include <pthread.h>
#include <stdio.h>
#include <time.h>

int main(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t condition;
	pthread_condattr_t attributes;
	struct timespec until, now;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&condition, &attributes);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&condition, &mutex, &until) == 0)
		;
	pthread_mutex_unlock(&mutex);
	clock_gettime(CLOCK_MONOTONIC, &now);
	puts(now.tv_sec > until.tv_sec ||
			     (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec)
		     ? "waited"
		     : "too early");
	return 0;
}
