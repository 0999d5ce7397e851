// C11 threads, mutexes and conditions: the program runs as ever, whatever of it is modelled.
// build: -pthread
// stdout: 30 once 1
#include <stdio.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int sum, runs, finished;

static void start(void)
{
	runs++;
}

static int add(void *n)
{
	call_once(&once, start);
	mtx_lock(&lock);
	sum += *(int *)n;
	finished++;
	cnd_signal(&changed);
	mtx_unlock(&lock);
	return 0;
}

int main(void)
{
	thrd_t threads[2];
	int n[2] = { 10, 20 };

	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	for (int i = 0; i < 2; i++)
		thrd_create(&threads[i], add, &n[i]);
	mtx_lock(&lock);
	while (finished < 2)
		cnd_wait(&changed, &lock);
	mtx_unlock(&lock);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], NULL);
	printf("%d once %d\n", sum, runs);
	return 0;
}
