// Link-time optimisation: the code is made at link time and recorded all the same.
// build: -pthread -flto
// opt: -O2
// stdout: 10
// text: ^T1\|w\(shared@4\)=10\|
#include <pthread.h>
#include <stdio.h>

static int shared;

static void *run(void *unused)
{
	shared += 10;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("%d\n", shared);
	return 0;
}
