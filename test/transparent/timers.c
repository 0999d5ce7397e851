// Threads that the C library makes for timers.
#include "say.h"

#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t ticks;

static void tick(union sigval value)
{
	sem_post(value.sival_ptr);
}

int main(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
				  .sigev_notify_function = tick,
				  .sigev_value.sival_ptr = &ticks };
	struct itimerspec often = { { 0, 1000000 }, { 0, 1000000 } };
	timer_t timer;

	sem_init(&ticks, 0, 0);
	SAY(timer_create(CLOCK_MONOTONIC, &event, &timer));
	SAY(timer_settime(timer, 0, &often, NULL));
	for (int i = 0; i < 200; i++)
		sem_wait(&ticks);
	SAY(timer_delete(timer));
	return 0;
}
