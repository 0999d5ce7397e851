// A spin lock guards as a mutex does, and two of them can be taken in two orders.
// build: -pthread
// plain: lib/turn.c
// stdout: 2
// predict: deadlock left@FIRST right@SECOND
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_spinlock_t left, right;
static int guarded;

static void *first(void *unused)
{
	pthread_spin_lock(&right);
	pthread_spin_lock(&left); // FIRST
	guarded++;
	pthread_spin_unlock(&left);
	pthread_spin_unlock(&right);
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	while (pthread_spin_trylock(&left))
		;
	pthread_spin_lock(&right); // SECOND
	guarded++;
	pthread_spin_unlock(&right);
	pthread_spin_unlock(&left);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_spin_init(&left, PTHREAD_PROCESS_PRIVATE);
	pthread_spin_init(&right, PTHREAD_PROCESS_PRIVATE);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", guarded);
	pthread_spin_destroy(&left);
	pthread_spin_destroy(&right);
	return 0;
}
