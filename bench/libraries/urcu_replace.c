// FLAGS: LIBS: -lurcu -lurcu-common

// A reader follows a pointer in a read section; the writer waits for readers before it frees.
#include <urcu.h>
#include <pthread.h>
#include <stdlib.h>

struct config {
	int value;
};
static struct config *current;

static void *reader(void *unused)
{
	rcu_register_thread();
	for (int i = 0; i < 2; i++) {
		struct config *config;

		rcu_read_lock();
		config = rcu_dereference(current);
		(void)*(volatile int *)&config->value;
		rcu_read_unlock();
	}
	rcu_unregister_thread();
	return unused;
}

int main(void)
{
	struct config *old = malloc(sizeof *old), *fresh = malloc(sizeof *fresh);
	pthread_t thread;

	old->value = 1;
	fresh->value = 2;
	current = old;
	rcu_register_thread();
	pthread_create(&thread, NULL, reader, NULL);
	rcu_assign_pointer(current, fresh);
#ifndef BUG
	synchronize_rcu();
#endif
	free(old);
	rcu_unregister_thread();
	pthread_join(thread, NULL);
	free(fresh);
	return 0;
}
