// C11 threads order as pthreads do. What was before the lock in one run need not be in another.
// build: -pthread
// plain: lib/turn.c
// stdout: 5 1 2 3 9
// text: ^T0\|fork\(T1\)\|.*predict_c11
// text: ^T0\|join\(T2\)\|.*predict_c11
// text: ^T[12]\|oncebegin\(once\)
// predict: race loose@FIRST loose@SECOND
#include <stdio.h>
#include <threads.h>

void turn_wait(int number);
void turn_done(void);

static mtx_t lock;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static int prepared, ready, guarded, loose;

static void prepare(void)
{
	prepared = 5;
}

static int first(void *unused)
{
	(void)unused;
	call_once(&once, prepare);
	loose = prepared; // FIRST
	mtx_lock(&lock);
	guarded = 1;
	ready = 1;
	cnd_broadcast(&changed);
	mtx_unlock(&lock);
	turn_done();
	return 3;
}

static int second(void *unused)
{
	(void)unused;
	turn_wait(1);
	call_once(&once, prepare);
	mtx_lock(&lock);
	guarded = 2;
	mtx_unlock(&lock);
	loose = prepared; // SECOND
	thrd_exit(9);
}

int main(void)
{
	int results[2];
	thrd_t threads[2];

	mtx_init(&lock, mtx_plain);
	cnd_init(&changed);
	thrd_create(&threads[0], first, NULL);
	thrd_create(&threads[1], second, NULL);
	mtx_lock(&lock);
	while (!ready)
		cnd_wait(&changed, &lock);
	mtx_unlock(&lock);
	for (int i = 0; i < 2; i++)
		thrd_join(threads[i], &results[i]);
	cnd_destroy(&changed);
	mtx_destroy(&lock);
	printf("%d %d %d %d %d\n", loose, ready, guarded, results[0], results[1]);
	return 0;
}
