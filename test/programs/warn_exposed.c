// What only looks protected: written under the read side of a lock, read plainly beside atomic
// writes; and a wait that takes its mutex again inside of another lock. That main joins the thread
// before it takes both is not looked at.
// build: -pthread
// stdout: 2
// warns: lockset table@WRITTEN table@WRITTEN
// warns: lockset flag@SEEN flag@RESET
// warns: lock-order woken@WAIT outer@JOINED
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int table, flag;
static _Atomic int turn;

static void write_while_reading(void)
{
	pthread_rwlock_rdlock(&table_lock);
	table++; // WRITTEN
	pthread_rwlock_unlock(&table_lock);
}

static void *waits(void *unused)
{
	write_while_reading();
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	pthread_mutex_lock(&inner);
	pthread_mutex_lock(&outer);
	turn = 1;
	while (turn == 1)
		pthread_cond_wait(&woken, &inner); // WAIT
	pthread_mutex_unlock(&outer);
	pthread_mutex_unlock(&inner);
	__atomic_store_n(&flag, 0, __ATOMIC_RELEASE); // RESET
	return unused;
}

static void *signals(void *unused)
{
	write_while_reading();
	while (turn == 0)
		;
	int seen = flag; // SEEN
	pthread_mutex_lock(&inner);
	turn = 1 + seen;
	pthread_cond_signal(&woken);
	pthread_mutex_unlock(&inner);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, waits, NULL);
	pthread_create(&threads[1], NULL, signals, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_lock(&inner);
	pthread_mutex_lock(&outer); // JOINED
	pthread_mutex_unlock(&outer);
	pthread_mutex_unlock(&inner);
	printf("%d\n", turn);
	return 0;
}
