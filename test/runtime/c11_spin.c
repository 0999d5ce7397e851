/*
 * Tests C11 threads and spin locks: their results, and that the events of their pthread
 * counterparts are recorded.
 */
// build: -fexceptions
#include "recorded.h"

#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

#define LOCKS EV_LOCK_INIT, EV_LOCK_DESTROY, EV_ACQUIRE, EV_RELEASE, EV_ACQUIRE_FAIL

static mtx_t lock;
static cnd_t changed;
static pthread_spinlock_t spin;
static int ready;

static struct timespec soon(void)
{
	struct timespec t;

	timespec_get(&t, TIME_UTC);
	t.tv_nsec += 2000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static int fail_to_lock(void *unused)
{
	struct timespec until = soon();

	(void)unused;
	CHECK_SAME(mtx_trylock(&lock), thrd_busy);
	CHECK_SAME(mtx_timedlock(&lock, &until), thrd_timedout);
	return -7;
}

static void mutexes(void)
{
	thrd_t thread;
	int result;

	CHECK_SAME(mtx_init(&lock, mtx_timed), thrd_success);
	CHECK_SAME(mtx_lock(&lock), thrd_success);
	CHECK_SAME(thrd_create(&thread, fail_to_lock, NULL), thrd_success);
	CHECK_SAME(thrd_join(thread, &result), thrd_success);
	CHECK_SAME(result, -7);
	CHECK_SAME(mtx_unlock(&lock), thrd_success);
	CHECK_SAME(mtx_trylock(&lock), thrd_success);
	CHECK_SAME(mtx_unlock(&lock), thrd_success);
	mtx_destroy(&lock);
	CHECK_SAME(mtx_init(&lock, mtx_plain | mtx_recursive), thrd_success);
	CHECK_SAME(mtx_lock(&lock), thrd_success);
	CHECK_SAME(mtx_lock(&lock), thrd_success);
	CHECK_SAME(mtx_unlock(&lock), thrd_success);
	CHECK_SAME(mtx_unlock(&lock), thrd_success);
	mtx_destroy(&lock);
}

static int signal_ready(void *unused)
{
	(void)unused;
	mtx_lock(&lock);
	ready = 1;
	CHECK_SAME(cnd_signal(&changed), thrd_success);
	CHECK_SAME(cnd_broadcast(&changed), thrd_success);
	mtx_unlock(&lock);
	thrd_exit(4);
}

static int nothing(void *unused)
{
	(void)unused;
	return 0;
}

static void conditions(void)
{
	struct timespec until = soon();
	thrd_t thread;
	int result;

	mtx_init(&lock, mtx_plain);
	CHECK_SAME(cnd_init(&changed), thrd_success);
	mtx_lock(&lock);
	CHECK_SAME(cnd_timedwait(&changed, &lock, &until), thrd_timedout);
	CHECK_SAME(thrd_create(&thread, signal_ready, NULL), thrd_success);
	while (!ready)
		CHECK_SAME(cnd_wait(&changed, &lock), thrd_success);
	mtx_unlock(&lock);
	CHECK_SAME(thrd_join(thread, &result), thrd_success);
	CHECK_SAME(result, 4);
	cnd_destroy(&changed);
	CHECK_SAME(thrd_create(&thread, nothing, NULL), thrd_success);
	CHECK_SAME(thrd_detach(thread), thrd_success);
}

static once_flag flag = ONCE_FLAG_INIT;
static int runs;

static void run(void)
{
	runs++;
}

static void once(void)
{
	call_once(&flag, run);
	call_once(&flag, run);
	CHECK_SAME(runs, 1);
}

static void spins(void)
{
	CHECK_SAME(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
	CHECK_SAME(pthread_spin_lock(&spin), 0);
	CHECK_SAME(pthread_spin_trylock(&spin), EBUSY);
	CHECK_SAME(pthread_spin_unlock(&spin), 0);
	CHECK_SAME(pthread_spin_trylock(&spin), 0);
	CHECK_SAME(pthread_spin_unlock(&spin), 0);
	CHECK_SAME(pthread_spin_destroy(&spin), 0);
}

int main(void)
{
	struct recorded r = recorded_run(mutexes);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0,
		     "LOCK_INIT ACQUIRE RELEASE ACQUIRE RELEASE LOCK_DESTROY "
		     "LOCK_INIT ACQUIRE ACQUIRE RELEASE RELEASE LOCK_DESTROY",
		     LOCKS);
	CHECK_EVENTS(r, 1, "ACQUIRE_FAIL ACQUIRE_FAIL", LOCKS);
	if (r.on)
		CHECK_SAME(recorded_find(&r, EV_LOCK_INIT, 1)->f.m, EVENT_LOCK_RECURSIVE);
	r = recorded_run(conditions);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "CREATE JOIN_REQUEST JOIN CREATE DETACH", EV_CREATE, EV_JOIN_REQUEST,
		     EV_JOIN, EV_DETACH);
	CHECK_EVENTS(r, 1, "BEGIN SIGNAL BROADCAST END", EV_BEGIN, EV_SIGNAL, EV_BROADCAST, EV_END);
	if (r.on) {
		CHECK_SAME(recorded_find(&r, EV_BEGIN, 1)->f.p, (uintptr_t)signal_ready);
		CHECK_SAME(recorded_find(&r, EV_WOKEN, 0)->f.m, 1);
	}
	r = recorded_run(once);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "ONCE_BEGIN ONCE_END ONCE", EV_ONCE_BEGIN, EV_ONCE_END, EV_ONCE);
	r = recorded_run(spins);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "LOCK_INIT ACQUIRE ACQUIRE_FAIL RELEASE ACQUIRE RELEASE LOCK_DESTROY",
		     LOCKS);
	return check_result();
}
