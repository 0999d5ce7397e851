// Semaphores: a bounded queue, a try that fails, a wait that times out.
// build: -pthread
// stdout: sum 45
// stdout: 1 1 2
// text: ^T0\|sinit\(.*,3\)
// count: 10 ^T1\|down\(
// count: 10 ^T2\|down\(
// count: 10 ^T1\|post\(
// count: 10 ^T2\|post\(
// count: 1 ^T0\|trydown\(.*\)=0\|
// count: 1 ^T0\|trydown\(.*\)=timeout\|
// count: 1 ^T0\|trydown\(.*\)=1\|
// text: ^T2\|w\(sum@4\)=45\|
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

#define ROOM 3

static sem_t full, empty;
static int queue[ROOM], sum;

static void *produce(void *unused)
{
	for (int i = 0; i < 10; i++) {
		sem_wait(&empty);
		queue[i % ROOM] = i;
		sem_post(&full);
	}
	return unused;
}

static void *consume(void *unused)
{
	for (int i = 0; i < 10; i++) {
		sem_wait(&full);
		sum += queue[i % ROOM];
		sem_post(&empty);
	}
	return unused;
}

int main(void)
{
	pthread_t producer, consumer;
	struct timespec past = { 1, 0 };
	int value;

	sem_init(&full, 0, 0);
	sem_init(&empty, 0, ROOM);
	pthread_create(&producer, NULL, produce, NULL);
	pthread_create(&consumer, NULL, consume, NULL);
	pthread_join(producer, NULL);
	pthread_join(consumer, NULL);
	printf("sum %d\n", sum);
	int busy = sem_trywait(&full) == -1 && errno == EAGAIN;
	int late = sem_timedwait(&full, &past) == -1 && errno == ETIMEDOUT;
	sem_trywait(&empty);
	sem_getvalue(&empty, &value);
	printf("%d %d %d\n", busy, late, value);
	sem_destroy(&full);
	sem_destroy(&empty);
	return 0;
}
