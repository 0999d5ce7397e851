// GPredict, figure 6, and the logger of the JDK: the manager's lock and the root's are taken in
// opposite order; how many there are is counted without one.
// property: papers.prop
// violates: DataRace rd@READ wr@WRITE
// leads: DataRace wr@WRITE wr@WRITE
// violates: Deadlock r12@MANAGER r21@ROOT
// violates: NoDeadlock req@MANAGER
// violates: NoDeadlock req@ROOT
#include <pthread.h>

static pthread_mutex_t manager = PTHREAD_MUTEX_INITIALIZER, root = PTHREAD_MUTEX_INITIALIZER;
static int loggers;

/* Inlined, its two copies would be two places, with a finding each. */
__attribute__((noinline)) static void count(void)
{
	int seen = loggers; // READ

	loggers = seen + 1; // WRITE
}

static void *add(void *unused)
{
#ifdef FIXED
	pthread_mutex_lock(&manager);
	pthread_mutex_lock(&root);
	count();
#else
	pthread_mutex_lock(&root);
	pthread_mutex_lock(&manager); // MANAGER
#endif
	pthread_mutex_unlock(&manager);
	pthread_mutex_unlock(&root);
#ifndef FIXED
	count();
#endif
	return unused;
}

static void *read_all(void *unused)
{
	pthread_mutex_lock(&manager);
	pthread_mutex_lock(&root); // ROOT
#ifdef FIXED
	count();
#endif
	pthread_mutex_unlock(&root);
	pthread_mutex_unlock(&manager);
#ifndef FIXED
	count();
#endif
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, add, NULL);
	pthread_create(&threads[1], NULL, read_all, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return loggers != 2;
}
