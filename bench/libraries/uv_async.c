// LIBS: -luv

// A thread wakes the loop by uv_async_send. Data is under uv's mutex, which is a pthread mutex.
#include <uv.h>

static uv_async_t async;
static uv_mutex_t lock;
static int waiting, handled;

static void on_async(uv_async_t *handle)
{
	uv_mutex_lock(&lock);
	handled += waiting;
	waiting = 0;
	if (handled == 3)
		uv_close((uv_handle_t *)handle, NULL);
	uv_mutex_unlock(&lock);
}

static void sender(void *unused)
{
	(void)unused;
	for (int i = 0; i < 3; i++) {
		uv_mutex_lock(&lock);
		waiting++;
		uv_mutex_unlock(&lock);
		uv_async_send(&async);
	}
#ifdef BUG
	waiting = 0;
#endif
}

int main(void)
{
	uv_thread_t thread;

	uv_mutex_init(&lock);
	uv_async_init(uv_default_loop(), &async, on_async);
	uv_thread_create(&thread, sender, NULL);
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
	uv_thread_join(&thread);
	return handled != 3;
}
