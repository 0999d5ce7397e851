// What runs when threads and the process end, in which order; and how many keys there are.
#include "say.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_key_t first, second, again;
static int rounds;

static void destroy(void *name)
{
	printf("destructor %s\n", (char *)name);
}

/* Set anew each time: the library gives up after some rounds. */
static void destroy_again(void *value)
{
	rounds++;
	pthread_setspecific(again, value);
}

static void *use_keys(void *unused)
{
	pthread_setspecific(second, "second");
	pthread_setspecific(first, "first");
	pthread_setspecific(again, &rounds);
	return unused;
}

static void *leave_early(void *unused)
{
	pthread_setspecific(first, "first, pthread_exit");
	pthread_exit(&rounds);
	return unused;
}

static void exit_one(void)
{
	printf("atexit one\n");
}

static void exit_two(void)
{
	printf("atexit two\n");
	atexit(exit_one);
}

static void on_end(int status, void *name)
{
	printf("on_exit %d %s\n", status, (char *)name);
}

__attribute__((destructor)) static void at_last(void)
{
	printf("destructor of the program\n");
}

static void *end_process(void *unused)
{
	pthread_setspecific(first, "not called");
	exit(42);
	return unused;
}

static int count_keys(void)
{
	static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
	int count = 0;

	while (count <= PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], NULL) == 0)
		count++;
	for (int i = 0; i < count; i++)
		pthread_key_delete(keys[i]);
	return count;
}

int main(void)
{
	SAY(pthread_key_create(&first, destroy));
	SAY(pthread_key_create(&second, destroy));
	SAY(pthread_key_create(&again, destroy_again));
	SAY(count_keys() >= PTHREAD_KEYS_MAX - 4);
	say_in_thread(use_keys, NULL);
	SAY(rounds);
	SAY(say_in_thread(leave_early, NULL) == &rounds);
	SAY(pthread_getspecific(first) == NULL);
	SAY(pthread_setspecific(PTHREAD_KEYS_MAX, "none"));
	SAY(pthread_key_delete(PTHREAD_KEYS_MAX));
	SAY(pthread_join(pthread_self(), NULL));
	SAY(pthread_detach(pthread_self()));
	SAY(pthread_detach(pthread_self()));
	atexit(exit_one);
	on_exit(on_end, "name");
	atexit(exit_two);
	printf("not flushed yet");
	say_in_thread(end_process, NULL);
	return 1;
}
// serial: no
