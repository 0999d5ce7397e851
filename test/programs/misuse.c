// What a program does wrong with threads and their objects is the program's own affair: each call has the
// result that it has without us, and nobody crashes or hangs who did not before.
// build: -pthread -D_GNU_SOURCE
// stdout: unlock of an unlocked errorcheck: EPERM
// stdout: unlock of an unlocked recursive: EPERM
// stdout: unlock of an unlocked one: 0
// stdout: lock again, errorcheck: EDEADLK
// stdout: unlock of another's: 0
// stdout: unlock of another's, errorcheck: EPERM
// stdout: unlock of another's, recursive: EPERM
// stdout: destroy of another's: EBUSY
// stdout: destroy of a locked one: EBUSY
// stdout: destroy of a locked one, recursive: EBUSY
// stdout: unlock errorcheck: 0
// stdout: unlock recursive: 0
// stdout: destroy: 0
// stdout: lock of a destroyed one: EINVAL
// stdout: trylock of a destroyed one: EINVAL
// stdout: unlock of a destroyed one: EINVAL
// stdout: destroy of a destroyed one: 0
// stdout: wait with a destroyed one: EINVAL
// stdout: wait with one that is not held: EPERM
// stdout: join of oneself: EDEADLK
// stdout: detach: 0
// stdout: detach again: EINVAL
// stdout: join of a detached one: EINVAL
// stdout: tryjoin of a detached one: EBUSY
// stdout: join of one made detached: EINVAL
// stdout: a lock kept by a thread that ends: 0
// stdout: join: 0
// stdout: join again: ESRCH
// stdout: tryjoin again: EBUSY
// stdout: detach of a joined one: ESRCH
// stdout: a lock kept by a thread that ends: EINVAL
// stdout: thrd_join: 0
// stdout: thrd_join again: 1
// stdout: barrier of 0: EINVAL
// stdout: semaphore of too many: EINVAL
// stdout: post of too many: EOVERFLOW
// stdout: unlock: 0
// stdout: unlock of an unlocked read-write lock: 0
// stdout: destroy of it: 0
// stdout: unlock of an unlocked spin lock: 0
// stdout: lock of it: 0
// stdout: destroy of a locked spin lock: 0
// text: misuse\(notheld,other\)
// text: misuse\(destroyinuse,errorcheck\)
// text: misuse\(destroyed,gone\)
// text: misuse\(jointwice,T4\)
// text: misuse\(joindetached,T2\)
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gone = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t errorcheck = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t met, leaves;

static void say(const char *what, int result)
{
	printf("%s: %s\n", what, result ? strerrorname_np(result) : "0");
}

static void *wait_there(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&leaves);
	return NULL;
}

static void *take_and_end(void *mutex)
{
	say("a lock kept by a thread that ends", pthread_mutex_lock(mutex));
	return NULL;
}

static void *misuse_others(void *unused)
{
	(void)unused;
	say("unlock of another's", pthread_mutex_unlock(&normal));
	say("unlock of another's, errorcheck", pthread_mutex_unlock(&errorcheck));
	say("unlock of another's, recursive", pthread_mutex_unlock(&recursive));
	say("destroy of another's", pthread_mutex_destroy(&errorcheck));
	return NULL;
}

static void use_mutexes(void)
{
	pthread_t thread;

	say("unlock of an unlocked errorcheck", pthread_mutex_unlock(&errorcheck));
	say("unlock of an unlocked recursive", pthread_mutex_unlock(&recursive));
	say("unlock of an unlocked one", pthread_mutex_unlock(&other));
	pthread_mutex_lock(&normal);
	pthread_mutex_lock(&errorcheck);
	pthread_mutex_lock(&recursive);
	say("lock again, errorcheck", pthread_mutex_lock(&errorcheck));
	pthread_create(&thread, NULL, misuse_others, NULL);
	pthread_join(thread, NULL);
	say("destroy of a locked one", pthread_mutex_destroy(&errorcheck));
	say("destroy of a locked one, recursive", pthread_mutex_destroy(&recursive));
	say("unlock errorcheck", pthread_mutex_unlock(&errorcheck));
	say("unlock recursive", pthread_mutex_unlock(&recursive));
	say("destroy", pthread_mutex_destroy(&gone));
	say("lock of a destroyed one", pthread_mutex_lock(&gone));
	say("trylock of a destroyed one", pthread_mutex_trylock(&gone));
	say("unlock of a destroyed one", pthread_mutex_unlock(&gone));
	say("destroy of a destroyed one", pthread_mutex_destroy(&gone));
	say("wait with a destroyed one", pthread_cond_wait(&cond, &gone));
	say("wait with one that is not held", pthread_cond_wait(&cond, &errorcheck));
}

static void use_threads(void)
{
	pthread_t thread, twice;
	pthread_attr_t detached;
	thrd_t third;

	pthread_barrier_init(&met, NULL, 2);
	pthread_barrier_init(&leaves, NULL, 2);
	pthread_create(&thread, NULL, wait_there, NULL);
	say("join of oneself", pthread_join(pthread_self(), NULL));
	pthread_barrier_wait(&met);
	say("detach", pthread_detach(thread));
	say("detach again", pthread_detach(thread));
	say("join of a detached one", pthread_join(thread, NULL));
	say("tryjoin of a detached one", pthread_tryjoin_np(thread, NULL));
	pthread_barrier_wait(&leaves);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &detached, wait_there, NULL);
	pthread_barrier_wait(&met);
	say("join of one made detached", pthread_join(thread, NULL));
	pthread_barrier_wait(&leaves);
	pthread_create(&twice, NULL, take_and_end, &other);
	say("join", pthread_join(twice, NULL));
	say("join again", pthread_join(twice, NULL));
	say("tryjoin again", pthread_tryjoin_np(twice, NULL));
	say("detach of a joined one", pthread_detach(twice));
	thrd_create(&third, (thrd_start_t)(void *)take_and_end, &gone);
	printf("thrd_join: %d\n", thrd_join(third, NULL));
	printf("thrd_join again: %d\n", thrd_join(third, NULL) == thrd_error);
}

static void use_others(void)
{
	pthread_barrier_t barrier;
	pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
	pthread_spinlock_t spin;
	sem_t sem;

	say("barrier of 0", pthread_barrier_init(&barrier, NULL, 0));
	errno = 0;
	say("semaphore of too many", sem_init(&sem, 0, (unsigned)INT_MAX + 1) ? errno : 0);
	sem_init(&sem, 0, INT_MAX);
	errno = 0;
	say("post of too many", sem_post(&sem) ? errno : 0);
	pthread_rwlock_rdlock(&rwlock);
	say("unlock", pthread_rwlock_unlock(&rwlock));
	say("unlock of an unlocked read-write lock", pthread_rwlock_unlock(&rwlock));
	say("destroy of it", pthread_rwlock_destroy(&rwlock));
	pthread_spin_init(&spin, 0);
	say("unlock of an unlocked spin lock", pthread_spin_unlock(&spin));
	say("lock of it", pthread_spin_lock(&spin));
	say("destroy of a locked spin lock", pthread_spin_destroy(&spin));
}

int main(void)
{
	use_mutexes();
	use_threads();
	use_others();
	return 0;
}
