/*
 * Tests mutexes and read-write locks: results are the same as without the runtime; recorded events.
 */
#include "recorded.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#define LOCKS                                                                                      \
	EV_LOCK_INIT, EV_LOCK_DESTROY, EV_REQUEST, EV_ACQUIRE, EV_RELEASE, EV_ACQUIRE_FAIL,        \
		EV_READ_REQUEST, EV_READ_ACQUIRE, EV_READ_RELEASE, EV_READ_FAIL

static pthread_mutex_t mutex;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

static void make(int type, int robust, int protocol)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	CHECK_SAME(pthread_mutexattr_settype(&attributes, type), 0);
	CHECK_SAME(pthread_mutexattr_setrobust(&attributes, robust), 0);
	CHECK_SAME(pthread_mutexattr_setprotocol(&attributes, protocol), 0);
	CHECK_SAME(pthread_mutex_init(&mutex, &attributes), 0);
	pthread_mutexattr_destroy(&attributes);
}

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 2000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void in_thread(void *(*routine)(void *))
{
	pthread_t thread;

	CHECK_SAME(pthread_create(&thread, NULL, routine, NULL), 0);
	CHECK_SAME(pthread_join(thread, NULL), 0);
}

/* ---- mutexes, seen by a thread that does not hold them ---- */

static const struct timespec bad_time = { 0, 2000000000 };

static void *others(void *unused)
{
	struct timespec real_time = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);

	CHECK_SAME(pthread_mutex_trylock(&mutex), EBUSY);
	CHECK_SAME(pthread_mutex_timedlock(&mutex, &real_time), ETIMEDOUT);
	CHECK_SAME(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &monotonic), ETIMEDOUT);
	CHECK_SAME(pthread_mutex_timedlock(&mutex, &bad_time), EINVAL);
	CHECK_SAME(pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &monotonic), EINVAL);
	CHECK_SAME(pthread_mutex_destroy(&mutex), EBUSY);
	return unused;
}

#define OTHERS "ACQUIRE_FAIL REQUEST ACQUIRE_FAIL REQUEST ACQUIRE_FAIL REQUEST"

static void normal(void)
{
	struct timespec until = soon(CLOCK_REALTIME);

	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	errno = 77;
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	in_thread(others);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	CHECK_SAME(pthread_mutex_timedlock(&mutex, &until), 0);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	/* the mutex is free, so the time is not examined */
	CHECK_SAME(pthread_mutex_timedlock(&mutex, &bad_time), 0);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	CHECK_SAME(pthread_mutex_clocklock(&mutex, 99, &until), EINVAL);
	CHECK_SAME(pthread_mutex_destroy(&mutex), 0);
	CHECK_SAME(errno, 77);
}

static void *refused(void *unused)
{
	CHECK_SAME(pthread_mutex_unlock(&mutex), EPERM);
	return unused;
}

static void errorcheck(void)
{
	struct timespec until = soon(CLOCK_REALTIME);

	make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	CHECK_SAME(pthread_mutex_unlock(&mutex), EPERM);
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	CHECK_SAME(pthread_mutex_lock(&mutex), EDEADLK);
	CHECK_SAME(pthread_mutex_timedlock(&mutex, &until), EDEADLK);
	CHECK_SAME(pthread_mutex_trylock(&mutex), EBUSY);
	in_thread(refused);
	in_thread(others);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	CHECK_SAME(pthread_mutex_unlock(&mutex), EPERM);
	CHECK_SAME(pthread_mutex_destroy(&mutex), 0);
}

static void recursive(void)
{
	make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	CHECK_SAME(pthread_mutex_trylock(&mutex), 0);
	in_thread(refused);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	CHECK_SAME(pthread_mutex_unlock(&mutex), EPERM);
	CHECK_SAME(pthread_mutex_destroy(&mutex), 0);
}

static void *die_with_it(void *unused)
{
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	return unused;
}

static void robust(void)
{
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	in_thread(die_with_it);
	CHECK_SAME(pthread_mutex_lock(&mutex), EOWNERDEAD);
	CHECK_SAME(pthread_mutex_consistent(&mutex), 0);
	in_thread(refused);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	in_thread(die_with_it);
	CHECK_SAME(pthread_mutex_lock(&mutex), EOWNERDEAD);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0); /* without making the mutex consistent */
	CHECK_SAME(pthread_mutex_lock(&mutex), ENOTRECOVERABLE);
	CHECK_SAME(pthread_mutex_trylock(&mutex), ENOTRECOVERABLE);
	CHECK_SAME(pthread_mutex_destroy(&mutex), 0);
}

static void inheriting(void)
{
	make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	CHECK_SAME(pthread_mutex_lock(&mutex), EDEADLK);
	in_thread(refused);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	CHECK_SAME(pthread_mutex_destroy(&mutex), 0);
}

static pthread_mutex_t adaptive = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;

static void static_ones(void)
{
	CHECK_SAME(pthread_mutex_lock(&adaptive), 0);
	CHECK_SAME(pthread_mutex_trylock(&adaptive), EBUSY);
	CHECK_SAME(pthread_mutex_unlock(&adaptive), 0);
}

static void test_mutexes(void)
{
	struct recorded r = recorded_run(normal);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "LOCK_INIT ACQUIRE RELEASE ACQUIRE RELEASE ACQUIRE RELEASE LOCK_DESTROY",
		     LOCKS);
	CHECK_EVENTS(r, 1, OTHERS, LOCKS);
	if (r.on) {
		CHECK_SAME(recorded_find(&r, EV_LOCK_INIT, 0)->f.m, EVENT_LOCK_NORMAL);
		CHECK_SAME(recorded_find(&r, EV_ACQUIRE, 1)->f.m, EVENT_TIMED);
		CHECK_SAME(recorded_find(&r, EV_ACQUIRE_FAIL, 0)->f.m, EVENT_TRY);
		CHECK_SAME(recorded_find(&r, EV_ACQUIRE_FAIL, 1)->f.m, EVENT_TIMED);
		CHECK_SAME(recorded_find(&r, EV_ACQUIRE, 0)->f.a, (uintptr_t)&mutex);
		CHECK(recorded_find(&r, EV_ACQUIRE, 0)->f.q <
		      recorded_find(&r, EV_ACQUIRE_FAIL, 0)->f.q);
		CHECK(recorded_find(&r, EV_ACQUIRE_FAIL, 0)->f.q <
		      recorded_find(&r, EV_RELEASE, 0)->f.q);
	}

	r = recorded_run(errorcheck);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0,
		     "LOCK_INIT ACQUIRE UNMODELLED UNMODELLED ACQUIRE_FAIL RELEASE LOCK_DESTROY",
		     LOCKS, EV_UNMODELLED);
	CHECK_EVENTS(r, 1, "", LOCKS);
	CHECK_EVENTS(r, 2, OTHERS, LOCKS);

	r = recorded_run(recursive);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "LOCK_INIT ACQUIRE ACQUIRE ACQUIRE RELEASE RELEASE RELEASE LOCK_DESTROY",
		     LOCKS);
	CHECK_EVENTS(r, 1, "", LOCKS);

	r = recorded_run(robust);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "LOCK_INIT ACQUIRE RELEASE ACQUIRE RELEASE LOCK_DESTROY", LOCKS);
	r = recorded_run(inheriting);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "LOCK_INIT ACQUIRE RELEASE LOCK_DESTROY", LOCKS);
	r = recorded_run(static_ones);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "ACQUIRE ACQUIRE_FAIL RELEASE", LOCKS);
}

/* ---- read-write locks ---- */

static void *beside_reader(void *unused)
{
	struct timespec real_time = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);

	CHECK_SAME(pthread_rwlock_tryrdlock(&rw), 0);
	CHECK_SAME(pthread_rwlock_unlock(&rw), 0);
	CHECK_SAME(pthread_rwlock_trywrlock(&rw), EBUSY);
	CHECK_SAME(pthread_rwlock_timedwrlock(&rw, &real_time), ETIMEDOUT);
	CHECK_SAME(pthread_rwlock_clockwrlock(&rw, CLOCK_MONOTONIC, &monotonic), ETIMEDOUT);
	CHECK_SAME(pthread_rwlock_timedwrlock(&rw, &bad_time), EINVAL);
	CHECK_SAME(pthread_rwlock_clockwrlock(&rw, 99, &monotonic), EINVAL);
	return unused;
}

static void *beside_writer(void *unused)
{
	struct timespec real_time = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);

	CHECK_SAME(pthread_rwlock_tryrdlock(&rw), EBUSY);
	CHECK_SAME(pthread_rwlock_timedrdlock(&rw, &real_time), ETIMEDOUT);
	CHECK_SAME(pthread_rwlock_clockrdlock(&rw, CLOCK_MONOTONIC, &monotonic), ETIMEDOUT);
	CHECK_SAME(pthread_rwlock_timedrdlock(&rw, &bad_time), EINVAL);
	CHECK_SAME(pthread_rwlock_clockrdlock(&rw, 99, &monotonic), EINVAL);
	return unused;
}

static void read_write(void)
{
	CHECK_SAME(pthread_rwlock_init(&rw, NULL), 0);
	CHECK_SAME(pthread_rwlock_timedrdlock(&rw, &bad_time), EINVAL);
	CHECK_SAME(pthread_rwlock_rdlock(&rw), 0);
	in_thread(beside_reader);
	CHECK_SAME(pthread_rwlock_unlock(&rw), 0);
	CHECK_SAME(pthread_rwlock_wrlock(&rw), 0);
	CHECK_SAME(pthread_rwlock_wrlock(&rw), EDEADLK);
	CHECK_SAME(pthread_rwlock_rdlock(&rw), EDEADLK);
	in_thread(beside_writer);
	CHECK_SAME(pthread_rwlock_unlock(&rw), 0);
	CHECK_SAME(pthread_rwlock_destroy(&rw), 0);
}

static void test_read_write(void)
{
	struct recorded r = recorded_run(read_write);

	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "LOCK_INIT READ_ACQUIRE READ_RELEASE ACQUIRE RELEASE LOCK_DESTROY",
		     LOCKS);
	CHECK_EVENTS(
		r, 1,
		"READ_ACQUIRE READ_RELEASE ACQUIRE_FAIL REQUEST ACQUIRE_FAIL REQUEST ACQUIRE_FAIL",
		LOCKS);
	CHECK_EVENTS(r, 2, "READ_FAIL READ_REQUEST READ_FAIL READ_REQUEST READ_FAIL", LOCKS);
}

/* ---- order: a counter that the lock protects gives the true order of acquisitions ---- */

#define ROUNDS 3000
static unsigned turns, spins;

static void *compete(void *tries)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (tries) {
			while (pthread_mutex_trylock(&mutex) != 0)
				spins++;
		} else {
			pthread_mutex_lock(&mutex);
		}
		void *mark = malloc(turns++ % 1000 + 1); /* the block's size encodes the turn */
		/* otherwise the compiler removes the allocation */
		__asm__ volatile("" : "+r"(mark));
		pthread_mutex_unlock(&mutex);
		free(mark);
	}
	return NULL;
}

static void competition(void)
{
	pthread_t threads[3];
	static char yes;

	pthread_mutex_init(&mutex, NULL);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, compete, i == 2 ? &yes : NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	CHECK_SAME(turns, 3 * ROUNDS);
}

static int by_number(const void *left, const void *right)
{
	const struct recorded_event *a = left, *b = right;

	return a->f.q < b->f.q ? -1 : a->f.q > b->f.q;
}

static void test_order(void)
{
	struct recorded r = recorded_run(competition);
	struct recorded_event *locks = calloc(r.count + 1, sizeof(*locks));
	size_t count = 0;

	CHECK_RAN(r);
	/* store the size of the next allocation, which encodes the turn, with each ACQUIRE */
	for (size_t i = 0; i + 1 < r.count; i++) {
		struct recorded_event e = r.events[i];
		if (e.f.a != (uintptr_t)&mutex || (e.kind != EV_ACQUIRE && e.kind != EV_RELEASE))
			continue;
		e.f.n = r.events[i + 1].f.n;
		locks[count++] = e;
	}
	qsort(locks, count, sizeof(*locks), by_number);
	unsigned turn = 0;
	bool held = false;
	for (size_t i = 0; i < count; i++) {
		CHECK_SAME(locks[i].kind, held ? EV_RELEASE : EV_ACQUIRE);
		if (locks[i].kind == EV_ACQUIRE)
			CHECK_SAME(locks[i].f.n, turn++ % 1000 + 1);
		held = !held;
	}
	if (r.on)
		CHECK_SAME(turn, 3 * ROUNDS);
	free(locks);
}

int main(void)
{
	test_mutexes();
	test_read_write();
	test_order();
	return check_result();
}
