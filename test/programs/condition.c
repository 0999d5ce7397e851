// Condition variables: ping-pong by signal, a broadcast to three, a wait that times out.
// build: -pthread
// stdout: turns 20
// stdout: woken 3
// stdout: timed out 1
// count: 20 \|notify\(
// count: 1 ^T0\|notifyall\(
// count: 1 ^T0\|wait\(.*\)=timed\|
// count: 1 ^T0\|woken\(.*\)=timeout\|
// text: \|w\(turns@4\)=20\|
// text: \|w\(woken@4\)=3\|
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn, turns, open_gate, woken;

static void *play(void *me)
{
	int mine = *(int *)me;

	for (int i = 0; i < 10; i++) {
		pthread_mutex_lock(&lock);
		while (turn != mine)
			pthread_cond_wait(&changed, &lock);
		turns++;
		turn = !mine;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *pass(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!open_gate)
		pthread_cond_wait(&changed, &lock);
	woken++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[3];
	int players[2] = { 0, 1 };
	struct timespec past = { 1, 0 };

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, play, &players[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("turns %d\n", turns);

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, pass, NULL);
	pthread_mutex_lock(&lock);
	open_gate = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("woken %d\n", woken);

	pthread_mutex_lock(&lock);
	printf("timed out %d\n", pthread_cond_timedwait(&changed, &lock, &past) == ETIMEDOUT);
	pthread_mutex_unlock(&lock);
	pthread_cond_destroy(&changed);
	return 0;
}
