// Locks are taken in one function and released in another; one of the ways out of a step forgets to.
// property: grammars.prop
// violates: observed Matched leave@LEFT
#include <pthread.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, row = PTHREAD_MUTEX_INITIALIZER;
static int rows[2];

static void open_table(void)
{
	pthread_mutex_lock(&table);
}

static void close_table(void)
{
	pthread_mutex_unlock(&table);
}

static __attribute__((noipa)) int step_row(int number, int value)
{
	int well = value >= 0;

	pthread_mutex_lock(&row);
	if (well) {
		rows[number] = value;
		pthread_mutex_unlock(&row);
	}
#ifdef FIXED
	if (!well)
		pthread_mutex_unlock(&row);
#endif
	return well; // LEFT
}

static __attribute__((noipa)) int step_table(int value)
{
	int well;

	open_table();
	well = step_row(0, 1) && step_row(1, value);
	close_table();
	return well;
}

static void *run(void *value)
{
	step_table(*(int *)value);
	return NULL;
}

int main(void)
{
	int values[] = { 7, -7 };
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, run, &values[i]);
		pthread_join(thread, NULL);
	}
	return 0;
}
