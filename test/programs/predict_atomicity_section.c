// Two threads guard a counter with lock A, a third one with lock B: it races with them, and it can
// come in the middle of their critical sections. What all three guard with A is fine.
// build: -pthread
// plain: lib/turn.c
// stdout: 7 7
// predict: race counter@READ counter@WRITE
// predict: race counter@CHANGE counter@WRITE
// predict: atomicity counter@READ counter@WRITE counter@CHANGE
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t A = PTHREAD_MUTEX_INITIALIZER, B = PTHREAD_MUTEX_INITIALIZER;
static int counter, guarded;

static void *count(void *argument)
{
	int value;

	turn_wait((int)(long)argument);
	pthread_mutex_lock(&A);
	value = counter;     // READ
	counter = value + 1; // CHANGE
	value = guarded;
	guarded = value + 1;
	pthread_mutex_unlock(&A);
	turn_done();
	return NULL;
}

static void *set(void *unused)
{
	turn_wait(2);
	pthread_mutex_lock(&B);
	counter = 7; // WRITE
	pthread_mutex_unlock(&B);
	pthread_mutex_lock(&A);
	guarded = 7;
	pthread_mutex_unlock(&A);
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], NULL, count, (void *)0L);
	pthread_create(&threads[1], NULL, count, (void *)1L);
	pthread_create(&threads[2], NULL, set, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", counter, guarded);
	return 0;
}
