// Objects that two processes share: what the other does is not in the trace, and so it need not add up.
// check: no
#include "say.h"

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	struct both {
		pthread_mutex_t mutex;
		sem_t sem;
		pthread_barrier_t barrier;
		pthread_mutex_t guard;
		pthread_cond_t changed;
		int ready;
	} *both = mmap(NULL, sizeof(*both), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	pthread_mutexattr_t a;
	pthread_barrierattr_t b;
	pthread_condattr_t c;
	struct timespec past = { 0, 0 };
	int status;

	pthread_mutexattr_init(&a);
	SAY(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
	SAY(pthread_mutex_init(&both->guard, &a));
	pthread_condattr_init(&c);
	SAY(pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED));
	SAY(pthread_cond_init(&both->changed, &c));
	SAY(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
	SAY(pthread_mutex_init(&both->mutex, &a));
	pthread_barrierattr_init(&b);
	pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
	SAY(pthread_barrier_init(&both->barrier, &b, 2));
	SAY(sem_init(&both->sem, 1, 0));
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		pthread_mutex_lock(&both->mutex);
		sem_post(&both->sem);
		pthread_mutex_lock(&both->guard);
		both->ready = 1;
		pthread_cond_signal(&both->changed);
		pthread_mutex_unlock(&both->guard);
		pthread_barrier_wait(&both->barrier);
		_exit(0); /* with the mutex */
	}
	SAY(sem_wait(&both->sem));
	SAY(pthread_mutex_trylock(&both->mutex));
	pthread_mutex_lock(&both->guard);
	SAY(pthread_cond_timedwait(&both->changed, &both->guard, &past));
	while (!both->ready)
		pthread_cond_wait(&both->changed, &both->guard);
	pthread_mutex_unlock(&both->guard);
	pthread_barrier_wait(&both->barrier);
	SAY(waitpid(child, &status, 0) == child && status == 0);
	SAY(pthread_mutex_lock(&both->mutex));
	SAY(pthread_mutex_consistent(&both->mutex));
	SAY(pthread_mutex_unlock(&both->mutex));
	return 0;
}
