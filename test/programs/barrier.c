// A barrier of three, five rounds: each round has one serial thread and sees the others' writes.
// build: -pthread
// stdout: serial 5, sums right 15
// text: ^T0\|binit\(.*,3\)
// count: 30 \|barrier\(.*,3\)
// count: 20 \|passed\(.*\)\|
// count: 10 \|passed\(.*\)=serial\|
// count: 5 \|w\(serial@4\)=
// count: 15 \|u\(right@4,relaxed\)=
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int slots[3];
static int serial, right;

static void *run(void *slot)
{
	int *mine = slot;

	for (int round = 1; round <= 5; round++) {
		*mine = round;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		int sum = slots[0] + slots[1] + slots[2];
		__atomic_fetch_add(&right, sum == 3 * round, __ATOMIC_RELAXED);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];

	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, &slots[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	printf("serial %d, sums right %d\n", serial, right);
	return 0;
}
