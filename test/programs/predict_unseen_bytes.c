// What changes without a recorded write was changed behind the reader's back, when and by whom nobody knows: what came
// before may have been needed for it. Be it a variable that one thread alone looks at, a page that a file is mapped to, or
// memory that several look at. On a stack of its own a thread's own calls put what they like.
// build: -pthread
// plain: lib/unseen.c
// stdout: 3 1
// predict: race private@STORE private@LOAD
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

void turn_wait(int number);
void turn_done(void);
void unseen_register(int i, int *at);
void unseen_set(int i);
void unseen_fill(int *at);

static int own, *mapped, *shared;
static int made[3], private;
static pthread_mutex_t clocks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };

/* Accesses have no times, but what stands beside them does: a lock of one's own. */
static void tell_time(int i)
{
	pthread_mutex_lock(&clocks[i]);
	pthread_mutex_unlock(&clocks[i]);
}

static void *make(void *unused)
{
	private = 1; // STORE
	for (int i = 0; i < 3; i++) {
		made[i] = 1;
		unseen_set(i);
	}
	tell_time(1);
	turn_done();
	turn_wait(2);
	return *shared ? unused : NULL;
}

int main(void)
{
	pthread_t thread;
	int sum = 0, filled = 1;

	mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared = calloc(1, 64);
	unseen_register(0, &own);
	unseen_register(1, mapped);
	unseen_register(2, shared);
	if (own || *mapped || *shared)
		return 1;
	pthread_create(&thread, NULL, make, NULL);
	turn_wait(1);
	tell_time(0);
	unseen_fill(&filled);
	filled += private; // LOAD
	if (own)
		sum += made[0];
	if (*mapped)
		sum += made[1];
	if (*shared)
		sum += made[2];
	turn_done();
	pthread_join(thread, NULL);
	printf("%d %d\n", sum, filled);
	return 0;
}
