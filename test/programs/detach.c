// Detached threads, main ending by pthread_exit, a thread number per pthread_t though ids recur.
// build: -pthread
// stdout: reused, last out 21
// count: 22 ^T0\|fork\(
// count: 20 ^T0\|join\(
// count: 1 ^T0\|detach\(T21\)
// count: 1 ^T22\|join\(T0\)
// text: ^T20\|w\(total@4\)=20\|
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t done;
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
	pthread_mutex_lock(&lock);
	total++;
	pthread_mutex_unlock(&lock);
	sem_post(&done);
	return unused;
}

static void *last(void *main_thread)
{
	pthread_join(*(pthread_t *)main_thread, NULL);
	printf("last out %d\n", total);
	return NULL;
}

int main(void)
{
	static pthread_t self;
	pthread_t thread;

	sem_init(&done, 0, 0);
	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, add, NULL);
		pthread_join(thread, NULL);
	}
	pthread_create(&thread, NULL, add, NULL);
	pthread_detach(thread);
	for (int i = 0; i < 21; i++)
		sem_wait(&done);
	printf("reused, ");
	self = pthread_self();
	pthread_create(&thread, NULL, last, &self);
	pthread_exit(NULL);
}
