// A jump leaves functions, but no lock: what is behind it is still under the lock that was taken before it.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2
// predict: race loose@UNLOCKED loose@OTHER
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded, loose;

static __attribute__((noipa)) void dive(jmp_buf *back, int depth)
{
	if (depth)
		dive(back, depth - 1);
	pthread_mutex_lock(&lock);
	longjmp(*back, 1);
}

static void *first(void *unused)
{
	jmp_buf back;

	if (setjmp(back) == 0)
		dive(&back, 3);
	guarded++;
	pthread_mutex_unlock(&lock);
	loose = 1; // UNLOCKED
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	pthread_mutex_lock(&lock);
	guarded++;
	pthread_mutex_unlock(&lock);
	loose = 2; // OTHER
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d\n", guarded, loose);
	return 0;
}
