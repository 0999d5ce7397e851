// FLAGS: LIBS: -lurcu -lurcu-common

// call_rcu frees in a thread of the library, after all readers.
#include <urcu.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
	struct rcu_head head;
	int value;
};
static struct node *current;

static void free_node(struct rcu_head *head)
{
	free(caa_container_of(head, struct node, head));
}

static void *reader(void *unused)
{
	rcu_register_thread();
	rcu_read_lock();
	(void)*(volatile int *)&rcu_dereference(current)->value;
	rcu_read_unlock();
	rcu_unregister_thread();
	return unused;
}

int main(void)
{
	struct node *old = malloc(sizeof *old), *fresh = malloc(sizeof *fresh);
	pthread_t thread;

	old->value = 1;
	fresh->value = 2;
	current = old;
	rcu_register_thread();
	pthread_create(&thread, NULL, reader, NULL);
	rcu_xchg_pointer(&current, fresh);
#ifdef BUG
	free(old);
#else
	call_rcu(&old->head, free_node);
	rcu_barrier();
#endif
	rcu_unregister_thread();
	pthread_join(thread, NULL);
	return 0;
}
