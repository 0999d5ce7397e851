// LIBS: -levent -levent_pthreads
// A thread activates an event of another thread's loop; libevent locks its base.
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>

static struct event_base *base;
static struct event *wakeup;
static int data, seen;

static void on_wakeup(evutil_socket_t fd, short what, void *unused)
{
	(void)fd;
	(void)what;
	(void)unused;
	seen = data;
	event_base_loopbreak(base);
}

static void *sender(void *unused)
{
	data = 4;
	event_active(wakeup, EV_READ, 0);
#ifdef BUG
	data = 5;
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

	evthread_use_pthreads();
	base = event_base_new();
	wakeup = event_new(base, -1, EV_PERSIST, on_wakeup, NULL);
	event_add(wakeup, NULL);
	pthread_create(&thread, NULL, sender, NULL);
	event_base_dispatch(base);
	pthread_join(thread, NULL);
	event_free(wakeup);
	event_base_free(base);
	return seen < 0;
}
