// Who gets a robust mutex because its owner died comes after all that the owner did; a relock that errorcheck
// mutexes refuse takes nothing and blocks nobody. What is not under them races.
// build: -pthread
// plain: lib/turn.c
// stdout: dead 1 state 7 refused 1 counted 2 loose 2
// predict: race loose@OWNER loose@HEIR
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t robust, checked;
static int state, counted, dead, refused, loose;

static void *owner(void *unused)
{
	loose = 1; // OWNER
	pthread_mutex_lock(&checked);
	refused = pthread_mutex_lock(&checked) == EDEADLK;
	counted++;
	pthread_mutex_unlock(&checked);
	pthread_mutex_lock(&robust);
	state = 7;
	turn_done();
	return unused;
}

static void *heir(void *seen)
{
	turn_wait(1);
	loose = 2; // HEIR
	pthread_mutex_lock(&checked);
	counted++;
	pthread_mutex_unlock(&checked);
	dead = pthread_mutex_lock(&robust) == EOWNERDEAD;
	pthread_mutex_consistent(&robust);
	*(int *)seen = state;
	pthread_mutex_unlock(&robust);
	return seen;
}

int main(void)
{
	pthread_mutexattr_t kind;
	pthread_t threads[2];
	int seen = 0;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &kind);
	pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &kind);
	pthread_create(&threads[0], NULL, owner, NULL);
	pthread_create(&threads[1], NULL, heir, &seen);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("dead %d state %d refused %d counted %d loose %d\n", dead, seen, refused, counted,
	       loose);
	return 0;
}
