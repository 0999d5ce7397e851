// Two threads add to one counter under a mutex: every read and write is there, with its value.
// build: -pthread
// stdout: 200
// count: 201 \|r\(counter@4\)=
// count: 200 \|w\(counter@4\)=
// text: ^T[12]\|w\(counter@4\)=200\|
// count: 200 \|acq\(
// count: 200 \|rel\(
// count: 2 ^T0\|fork\(
// count: 2 ^T0\|join\(
// count: 3 \|begin
// count: 2 ^T[12]\|end
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", counter);
	return 0;
}
