/*
 * objects NAME: a small program for each kind of object and each way to wait, for
 * test/unit/explore_turns.c. Each ends normally in every schedule, unless the table there has
 * another result.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CROWD 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static volatile int flag;
static int value;

static void run(int count, void *(*routine)(void *), void *argument)
{
	pthread_t threads[CROWD];

	for (int i = 0; i < count; i++)
		assert(pthread_create(&threads[i], NULL, routine, argument) == 0);
	for (int i = 0; i < count; i++)
		assert(pthread_join(threads[i], NULL) == 0);
}

static struct timespec in_seconds(clockid_t clock, int seconds)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_sec += seconds;
	return time;
}

/* ---- mutexes --------------------------------------------------------------------------------- */

static void *add(void *mutex)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(mutex);
		value++;
		pthread_mutex_unlock(mutex);
	}
	return NULL;
}

static void mutex(void)
{
	run(CROWD, add, &lock);
	assert(value == 3 * CROWD);
}

static void make(pthread_mutex_t *made, int type, int robust)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, type);
	pthread_mutexattr_setrobust(&kind, robust);
	pthread_mutex_init(made, &kind);
}

static void *add_twice_locked(void *mutex)
{
	pthread_mutex_lock(mutex);
	add(mutex);
	pthread_mutex_unlock(mutex);
	return NULL;
}

static void recursive(void)
{
	make(&lock, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
	run(CROWD, add_twice_locked, &lock);
	assert(value == 3 * CROWD);
}

static void errorcheck(void)
{
	make(&lock, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
	assert(pthread_mutex_lock(&lock) == 0);
	assert(pthread_mutex_lock(&lock) == EDEADLK);
	assert(pthread_mutex_unlock(&lock) == 0);
	assert(pthread_mutex_unlock(&lock) == EPERM);
	run(CROWD, add, &lock);
}

static void *take_and_die(void *mutex)
{
	pthread_mutex_lock(mutex);
	return NULL;
}

static void robust(void)
{
	make(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
	run(1, take_and_die, &lock);
	assert(pthread_mutex_lock(&lock) == EOWNERDEAD);
	assert(pthread_mutex_consistent(&lock) == 0);
	assert(pthread_mutex_unlock(&lock) == 0);
	run(CROWD, add, &lock);
}

static void *try_often(void *mutex)
{
	while (pthread_mutex_trylock(mutex) == EBUSY)
		;
	value++;
	pthread_mutex_unlock(mutex);
	return NULL;
}

static void trying(void)
{
	run(CROWD, try_often, &lock);
	assert(value == CROWD);
}

static void *time_out(void *mutex)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 3600);

	assert(pthread_mutex_timedlock(mutex, &until) == ETIMEDOUT);
	return NULL;
}

static void timed(void)
{
	pthread_mutex_lock(&lock);
	run(1, time_out, &lock);
	pthread_mutex_unlock(&lock);
	struct timespec until = in_seconds(CLOCK_MONOTONIC, 1);
	assert(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &until) == 0);
}

static void own_again(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_lock(&lock);
}

/* ---- other locks ----------------------------------------------------------------------------- */

static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

static void *read_and_write(void *unused)
{
	pthread_rwlock_rdlock(&shared);
	int seen = value;
	assert(seen == value);
	pthread_rwlock_unlock(&shared);
	pthread_rwlock_wrlock(&shared);
	value++;
	pthread_rwlock_unlock(&shared);
	return unused;
}

static void rwlock(void)
{
	run(CROWD, read_and_write, NULL);
	assert(value == CROWD && pthread_rwlock_tryrdlock(&shared) == 0);
	assert(pthread_rwlock_tryrdlock(&shared) == 0 &&
	       pthread_rwlock_trywrlock(&shared) == EBUSY);
}

static pthread_spinlock_t spinlock;

static void *add_spinning(void *unused)
{
	pthread_spin_lock(&spinlock);
	value++;
	pthread_spin_unlock(&spinlock);
	return unused;
}

static void spin_lock(void)
{
	pthread_spin_init(&spinlock, 0);
	run(CROWD, add_spinning, NULL);
	assert(value == CROWD && pthread_spin_trylock(&spinlock) == 0);
}

static void *print_words(void *unused)
{
	flockfile(stdout);
	value++;
	fputs("one ", stdout);
	fputs("two\n", stdout);
	value--;
	funlockfile(stdout);
	return unused;
}

static void file_lock(void)
{
	run(CROWD, print_words, NULL);
	assert(value == 0);
}

static mtx_t c11_lock;

static int add_c11(void *unused)
{
	(void)unused;
	mtx_lock(&c11_lock);
	int now = ++value;
	mtx_unlock(&c11_lock);
	return now > 0;
}

static void c11(void)
{
	thrd_t threads[CROWD];
	int result;

	mtx_init(&c11_lock, mtx_plain);
	for (int i = 0; i < CROWD; i++)
		assert(thrd_create(&threads[i], add_c11, NULL) == thrd_success);
	for (int i = 0; i < CROWD; i++)
		assert(thrd_join(threads[i], &result) == thrd_success && result == 1);
	assert(value == CROWD);
}

/* ---- conditions, semaphores, barriers, once -------------------------------------------------- */

static void *await_flag(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!flag)
		pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *raise_flag(void *unused)
{
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_cond_broadcast(&condition);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void broadcast(void)
{
	pthread_t waits[2], raises;

	pthread_create(&waits[0], NULL, await_flag, NULL);
	pthread_create(&waits[1], NULL, await_flag, NULL);
	pthread_create(&raises, NULL, raise_flag, NULL);
	pthread_join(waits[0], NULL);
	pthread_join(waits[1], NULL);
	pthread_join(raises, NULL);
}

/*
 * One signal for each of two waiting threads: both must continue, in whatever order they wait and
 * wake up.
 */
static void *take_one(void *unused)
{
	pthread_mutex_lock(&lock);
	while (value == 0)
		pthread_cond_wait(&condition, &lock);
	value--;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void signals(void)
{
	pthread_t takers[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&takers[i], NULL, take_one, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		value++;
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(takers[i], NULL);
}

static void *wait_an_hour(void *unused)
{
	struct timespec until = in_seconds(CLOCK_REALTIME, 3600);

	pthread_mutex_lock(&lock);
	assert(pthread_cond_timedwait(&condition, &lock, &until) == ETIMEDOUT);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void timed_wait(void)
{
	struct timespec before = in_seconds(CLOCK_REALTIME, 3600), after;

	run(2, wait_an_hour, NULL);
	after = in_seconds(CLOCK_REALTIME, 0);
	assert(after.tv_sec >= before.tv_sec);
}

static void *wait_once(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void lost_signal(void)
{
	run(1, wait_once, NULL);
}

static sem_t semaphore;

static void *down(void *unused)
{
	assert(sem_wait(&semaphore) == 0);
	return unused;
}

static void semaphores(void)
{
	pthread_t threads[CROWD];

	sem_init(&semaphore, 0, 1);
	for (int i = 0; i < CROWD; i++)
		pthread_create(&threads[i], NULL, down, NULL);
	for (int i = 1; i < CROWD; i++)
		sem_post(&semaphore);
	for (int i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
	assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
	struct timespec until = in_seconds(CLOCK_REALTIME, 60);
	assert(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
}

static pthread_barrier_t barrier;
static atomic_int arrived, serial;

static void *meet(void *unused)
{
	for (int round = 1; round <= 2; round++) {
		arrived++;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		assert(arrived >= round * CROWD);
		pthread_barrier_wait(&barrier);
	}
	return unused;
}

static void barriers(void)
{
	pthread_barrier_init(&barrier, NULL, CROWD);
	run(CROWD, meet, NULL);
	assert(serial == 2);
	pthread_barrier_destroy(&barrier);
}

static pthread_once_t once_control = PTHREAD_ONCE_INIT;

static void first_time(void)
{
	value++;
}

static void *go_once(void *unused)
{
	pthread_once(&once_control, first_time);
	assert(value == 1);
	return unused;
}

static void once(void)
{
	run(CROWD, go_once, NULL);
}

/* ---- waiting without an object --------------------------------------------------------------- */

static void *look(void *unused)
{
	while (!flag)
		;
	return unused;
}

static void *look_and_yield(void *unused)
{
	while (!flag)
		sched_yield();
	return unused;
}

static void *look_and_sleep(void *unused)
{
	while (!flag)
		usleep(1000);
	return unused;
}

static void *yield_only(void *unused)
{
	while (!*(volatile int *)&value)
		sched_yield();
	return unused;
}

static void raise_later(void *(*routine)(void *))
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, routine, NULL);
	for (int i = 0; i < 5; i++)
		value = i;
	flag = 1;
	value = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void spin(void)
{
	raise_later(look);
}

static void spin_yielding(void)
{
	raise_later(look_and_yield);
}

static void spin_sleeping(void)
{
	raise_later(look_and_sleep);
}

static void yielding(void)
{
	raise_later(yield_only);
}

/* Spins while it holds a lock that no other thread needs. */
static void *look_locked(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!flag)
		;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void spin_locked(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, look_locked, NULL);
	flag = 1;
	pthread_join(thread, NULL);
}

static atomic_flag busy = ATOMIC_FLAG_INIT;

static void *add_busy(void *unused)
{
	while (atomic_flag_test_and_set(&busy))
		;
	value++;
	atomic_flag_clear(&busy);
	return unused;
}

static void own_lock(void)
{
	run(CROWD, add_busy, NULL);
	assert(value == CROWD);
}

static void spin_until(void)
{
	struct timespec until = in_seconds(CLOCK_MONOTONIC, 0), now;

	until.tv_nsec += 100000;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (!flag && (now.tv_sec < until.tv_sec || now.tv_nsec < until.tv_nsec));
}

static int ends[2];

static void *receive(void *unused)
{
	char byte;

	assert(read(ends[0], &byte, 1) == 1);
	value++;
	return unused;
}

static void pipes(void)
{
	pthread_t thread;

	assert(pipe(ends) == 0);
	pthread_create(&thread, NULL, receive, NULL);
	assert(write(ends[1], "x", 1) == 1);
	pthread_join(thread, NULL);
	assert(value == 1);
}

/* Makes a blocking call that the runtime does not know. */
static void *receive_unseen(void *unused)
{
	assert(getc(stdin) == 'x');
	return unused;
}

static void unseen(void)
{
	pthread_t thread;

	assert(pipe(ends) == 0 && dup2(ends[0], 0) == 0);
	pthread_create(&thread, NULL, receive_unseen, NULL);
	for (int i = 0; i < 3; i++)
		value = i;
	sched_yield();
	assert(write(ends[1], "x", 1) == 1);
	pthread_join(thread, NULL);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void *wait_for_ever(void *unused)
{
	for (;;)
		wait_once(unused);
}

static void cancel(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	assert(result == PTHREAD_CANCELED);
}

static void *leave(void *unused)
{
	(void)unused;
	pthread_exit((void *)1);
}

static void join_variants(void)
{
	pthread_t thread;
	void *result;
	struct timespec until = in_seconds(CLOCK_REALTIME, 60);

	pthread_create(&thread, NULL, leave, NULL);
	while (pthread_tryjoin_np(thread, &result) == EBUSY)
		sched_yield();
	assert(result == (void *)1);
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	assert(pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
	pthread_detach(thread);
}

static void failing(void)
{
	assert(flag == 2);
}

static void crashing(void)
{
	*(volatile int *)(uintptr_t)(16 + flag) = 1;
}

static void leaving(void)
{
	_exit(5);
}

static int *volatile block;

static void used_after(void)
{
	block = malloc(sizeof(*block));
	free(block);
	*block = 1;
}

static const struct {
	const char *name;
	void (*run)(void);
} list[] = {
	{ "mutex", mutex },
	{ "recursive", recursive },
	{ "errorcheck", errorcheck },
	{ "robust", robust },
	{ "trying", trying },
	{ "timed", timed },
	{ "own_again", own_again },
	{ "rwlock", rwlock },
	{ "spin_lock", spin_lock },
	{ "file_lock", file_lock },
	{ "c11", c11 },
	{ "broadcast", broadcast },
	{ "signals", signals },
	{ "timed_wait", timed_wait },
	{ "lost_signal", lost_signal },
	{ "semaphores", semaphores },
	{ "barriers", barriers },
	{ "once", once },
	{ "spin", spin },
	{ "spin_yielding", spin_yielding },
	{ "spin_sleeping", spin_sleeping },
	{ "yielding", yielding },
	{ "spin_locked", spin_locked },
	{ "own_lock", own_lock },
	{ "spin_until", spin_until },
	{ "pipes", pipes },
	{ "unseen", unseen },
	{ "cancel", cancel },
	{ "join_variants", join_variants },
	{ "failing", failing },
	{ "abort", abort },
	{ "crashing", crashing },
	{ "leaving", leaving },
	{ "used_after", used_after },
};

int main(int count, char **arguments)
{
	for (size_t i = 0; count > 1 && i < sizeof(list) / sizeof(list[0]); i++) {
		if (!strcmp(arguments[1], list[i].name)) {
			list[i].run();
			return 0;
		}
	}
	return 2;
}
