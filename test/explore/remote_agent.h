// The error of the Remote Agent on board Deep Space 1 (the paper's figure 12): the planner looks at
// the count of events, and when there is no new one, waits; an event in between is lost. Here both
// tasks end after some plans.
#include <pthread.h>

#include "work.h"

#define PLANS 3

struct event {
	pthread_mutex_t lock;
	pthread_cond_t happened;
	int count;
};

static struct event event1 = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };
static struct event event2 = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static void signal_event(struct event *event)
{
	pthread_mutex_lock(&event->lock);
	event->count = (event->count + 1) % 3;
	pthread_cond_broadcast(&event->happened);
	pthread_mutex_unlock(&event->lock);
}

#ifdef FIXED
static int wait_for_new(struct event *event, int count)
{
	pthread_mutex_lock(&event->lock);
	if (count == event->count)
		pthread_cond_wait(&event->happened, &event->lock);
	count = event->count;
	pthread_mutex_unlock(&event->lock);
	return count;
}
#else
static void wait_for_event(struct event *event)
{
	pthread_mutex_lock(&event->lock);
	pthread_cond_wait(&event->happened, &event->lock); // WAITS
	pthread_mutex_unlock(&event->lock);
}

static int wait_for_new(struct event *event, int count)
{
	if (count == event->count)
		wait_for_event(event);
	return event->count;
}
#endif

static void *planner(void *unused)
{
	int count = 0;

	for (int i = 0; i < PLANS; i++) {
		count = wait_for_new(&event1, count);
		work(4); // the other waits by then
		signal_event(&event2);
	}
	return unused;
}

static void *executive(void *unused)
{
	int count = 0;

	for (int i = 0; i < PLANS; i++) {
		work(4); // the other waits by then
		signal_event(&event1);
		count = wait_for_new(&event2, count);
	}
	return unused;
}

static pthread_t planner_thread, executive_thread;

static void agent_start(void)
{
	pthread_create(&planner_thread, NULL, planner, NULL);
	pthread_create(&executive_thread, NULL, executive, NULL);
}

static void agent_join(void)
{
	pthread_join(planner_thread, NULL);
	pthread_join(executive_thread, NULL);
}
