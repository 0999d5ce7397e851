// LIBS: -lev
// libev's ev_async wakes the loop; what the sender wrote before is there.
#include <ev.h>
#include <pthread.h>

static struct ev_loop *loop;
static ev_async wakeup;
static int data, seen;

static void on_wakeup(struct ev_loop *in, ev_async *watcher, int events)
{
	(void)watcher;
	(void)events;
	seen = data;
	ev_break(in, EVBREAK_ALL);
}

static void *sender(void *unused)
{
	data = 3;
	ev_async_send(loop, &wakeup);
#ifdef BUG
	data = 4;
#endif
	return unused;
}

int main(void)
{
	pthread_t thread;

	loop = ev_loop_new(0);
	ev_async_init(&wakeup, on_wakeup);
	ev_async_start(loop, &wakeup);
	pthread_create(&thread, NULL, sender, NULL);
	ev_run(loop, 0);
	pthread_join(thread, NULL);
	return seen < 0;
}
