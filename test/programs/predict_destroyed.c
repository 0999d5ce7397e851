// A mutex is destroyed while another thread may still come to it; joined, a second one may not. It may be held then, and
// it may be locked behind that: two findings.
// build: -pthread
// plain: lib/turn.c
// stdout: 2
// predict: misuse early@DESTROY early@LOCK
// predict: misuse early@DESTROY early@LOCK
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t early, late;
static int sum;

static void *use(void *unused)
{
	pthread_mutex_lock(&late);
	sum++;
	pthread_mutex_unlock(&late);
	pthread_mutex_lock(&early); // LOCK
	sum++;
	pthread_mutex_unlock(&early);
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_init(&early, NULL);
	pthread_mutex_init(&late, NULL);
	pthread_create(&thread, NULL, use, NULL);
	turn_wait(1);
	pthread_mutex_destroy(&early); // DESTROY
	pthread_join(thread, NULL);
	pthread_mutex_destroy(&late);
	printf("%d\n", sum);
	return 0;
}
