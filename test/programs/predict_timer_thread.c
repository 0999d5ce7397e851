// The C library makes a thread for a timer, which nobody is seen to create: what it signals wakes who waits, also
// under control, where that thread takes no turns.
// build: -pthread
// stdout: 6 3
// predict: silent
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int sum, times;

static void tick(union sigval value)
{
	pthread_mutex_lock(&lock);
	sum += *(const int *)value.sival_ptr;
	if (++times % 2)
		pthread_cond_signal(&changed);
	else
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	struct itimerspec soon = { .it_value = { .tv_nsec = 1000 } };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick };
	int step = 2;
	timer_t timer;

	event.sigev_value.sival_ptr = &step;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return 1;
	for (int i = 1; i <= 3; i++) {
		timer_settime(timer, 0, &soon, NULL);
		pthread_mutex_lock(&lock);
		while (times < i)
			pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
	timer_delete(timer);
	pthread_mutex_lock(&lock);
	printf("%d %d\n", sum, times);
	pthread_mutex_unlock(&lock);
	return 0;
}
