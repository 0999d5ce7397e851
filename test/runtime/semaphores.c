/* Tests semaphores, barriers and once. */
// build: -fexceptions
#include "recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

#define SEMAPHORES EV_SEM_INIT, EV_SEM_DESTROY, EV_POST, EV_DOWN_REQUEST, EV_DOWN, EV_DOWN_FAIL

static sem_t sem;

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 2000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* Checks that a call returns -1 and sets this errno. */
#define CHECK_ERROR(call, error)                                                                   \
	do {                                                                                       \
		errno = 0;                                                                         \
		CHECK_SAME(call, -1);                                                              \
		CHECK_SAME(errno, error);                                                          \
	} while (0)

static void results(void)
{
	struct timespec until = soon(CLOCK_REALTIME), monotonic = soon(CLOCK_MONOTONIC);
	struct timespec bad = { 0, 1000000000 };

	CHECK_SAME(sem_init(&sem, 0, 1), 0);
	errno = 79;
	CHECK_SAME(sem_wait(&sem), 0);
	CHECK_SAME(errno, 79);
	CHECK_ERROR(sem_trywait(&sem), EAGAIN);
	CHECK_ERROR(sem_timedwait(&sem, &until), ETIMEDOUT);
	CHECK_ERROR(sem_clockwait(&sem, CLOCK_MONOTONIC, &monotonic), ETIMEDOUT);
	CHECK_SAME(sem_post(&sem), 0);
	CHECK_ERROR(sem_timedwait(&sem, &bad), EINVAL); /* although the semaphore is available */
	CHECK_ERROR(sem_clockwait(&sem, 99, &until), EINVAL);
	CHECK_SAME(sem_trywait(&sem), 0);
	CHECK_SAME(sem_destroy(&sem), 0);
	CHECK_ERROR(sem_init(&sem, 0, (unsigned)SEM_VALUE_MAX + 1), EINVAL);
	CHECK_SAME(sem_init(&sem, 0, SEM_VALUE_MAX), 0);
	CHECK_ERROR(sem_post(&sem), EOVERFLOW);
}

static void on_alarm(int number)
{
	(void)number;
}

static void interrupted(void)
{
	struct sigaction action = { .sa_handler = on_alarm };

	sem_init(&sem, 0, 0);
	sigaction(SIGALRM, &action, NULL);
	ualarm(2000, 2000); /* repeated, in case the first signal comes too early */
	CHECK_ERROR(sem_wait(&sem), EINTR);
	ualarm(0, 0);
}

static void named(void)
{
	char name[64];

	snprintf(name, sizeof(name), "/sooth-test-%d", (int)getpid());
	CHECK(sem_open(name, 0) == SEM_FAILED);
	CHECK_SAME(errno, ENOENT);
	sem_t *made = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	CHECK(made != SEM_FAILED);
	CHECK_SAME(sem_wait(made), 0);
	CHECK_ERROR(sem_trywait(made), EAGAIN);
	CHECK_SAME(sem_close(made), 0);
	sem_unlink(name);
}

/* A pending cancellation takes effect in sem_wait() even if the semaphore is available. */
static void *cancelled(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	sem_wait(&sem);
	return unused;
}

static void cancellation(void)
{
	pthread_t thread;
	void *result = NULL;
	int value;

	sem_init(&sem, 0, 1);
	pthread_create(&thread, NULL, cancelled, NULL);
	pthread_join(thread, &result);
	CHECK(result == PTHREAD_CANCELED);
	sem_getvalue(&sem, &value);
	CHECK_SAME(value, 1);
}

/* Tests that the value never goes below zero in the order of the sequence numbers. */
#define UNITS 5000
static void *taker(void *unused)
{
	for (int i = 0; i < UNITS; i++) {
		if (i % 3 || sem_trywait(&sem) != 0)
			sem_wait(&sem);
	}
	return unused;
}

static void handing(void)
{
	pthread_t threads[2];

	sem_init(&sem, 0, 0);
	pthread_create(&threads[0], NULL, taker, NULL);
	pthread_create(&threads[1], NULL, taker, NULL);
	for (int i = 0; i < 2 * UNITS; i++)
		sem_post(&sem);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static int by_number(const void *left, const void *right)
{
	const struct recorded_event *a = left, *b = right;

	return a->f.q < b->f.q ? -1 : a->f.q > b->f.q;
}

static void check_handing(struct recorded *r)
{
	long value = 0, downs = 0;

	qsort(r->events, r->count, sizeof(*r->events), by_number);
	for (size_t i = 0; i < r->count; i++) {
		if (r->events[i].kind == EV_POST)
			value++;
		if (r->events[i].kind == EV_DOWN) {
			value--;
			downs++;
		}
		CHECK(value >= 0);
	}
	CHECK_SAME(downs, 2 * UNITS);
	CHECK_SAME(value, 0);
}

/* ---- barriers ---- */

#define THREADS 3u
static pthread_barrier_t barrier;
static _Atomic int serial;

static void *meet(void *unused)
{
	for (int i = 0; i < 2; i++) {
		int result = pthread_barrier_wait(&barrier);
		CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
		serial += result == PTHREAD_BARRIER_SERIAL_THREAD;
	}
	return unused;
}

static void meeting(void)
{
	pthread_t threads[THREADS];

	CHECK_SAME(pthread_barrier_init(&barrier, NULL, 0), EINVAL);
	CHECK_SAME(pthread_barrier_init(&barrier, NULL, THREADS), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, meet, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_SAME(serial, 2);
	CHECK_SAME(pthread_barrier_destroy(&barrier), 0);
}

static void check_meeting(struct recorded *r)
{
	int arrived = 0, passed = 0, serials = 0;

	CHECK_SAME(recorded_find(r, EV_BARRIER_INIT, 0)->f.n, THREADS);
	qsort(r->events, r->count, sizeof(*r->events), by_number);
	for (size_t i = 0; i < r->count; i++) {
		const struct recorded_event *e = &r->events[i];
		if (e->kind == EV_ARRIVE) {
			arrived++;
			CHECK_SAME(e->f.n, THREADS);
		}
		if (e->kind == EV_PASS) {
			CHECK(arrived >= (passed < (int)THREADS ? 1 : 2) * (int)THREADS);
			passed++;
			serials += e->f.m == 1;
		}
	}
	CHECK_SAME(arrived, 2 * THREADS);
	CHECK_SAME(passed, 2 * THREADS);
	CHECK_SAME(serials, 2);
}

/* ---- once ---- */

static pthread_once_t outer_once = PTHREAD_ONCE_INIT, inner_once = PTHREAD_ONCE_INIT;
static int runs;

static void inner(void)
{
	runs++;
}

static void outer(void)
{
	runs++;
	CHECK_SAME(pthread_once(&inner_once, inner), 0);
	CHECK_SAME(pthread_once(&inner_once, inner), 0);
}

static void once(void)
{
	CHECK_SAME(pthread_once(&outer_once, outer), 0);
	CHECK_SAME(pthread_once(&outer_once, outer), 0);
	CHECK_SAME(runs, 2);
}

static pthread_once_t broken_once = PTHREAD_ONCE_INIT;

static void left_early(void)
{
	runs++;
	if (runs == 1)
		pthread_exit(NULL);
}

static void *leave(void *unused)
{
	pthread_once(&broken_once, left_early);
	return unused;
}

static void broken(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++) {
		pthread_create(&thread, NULL, leave, NULL);
		pthread_join(thread, NULL);
	}
	CHECK_SAME(runs, 2);
}

/* Counts only events of this once object, because the unwinder has once routines of its own. */
static void check_broken(const struct recorded *r)
{
	int begins = 0, ends = 0, notes = 0;

	for (size_t i = 0; i < r->count; i++) {
		const struct recorded_event *e = &r->events[i];
		begins += e->kind == EV_ONCE_BEGIN && e->f.a == (uintptr_t)&broken_once;
		ends += e->kind == EV_ONCE_END && e->f.a == (uintptr_t)&broken_once;
		notes += e->kind == EV_UNMODELLED;
	}
	CHECK_SAME(begins, 2);
	CHECK_SAME(ends, 2);
	CHECK_SAME(notes, 1);
}

#define ONCES EV_ONCE_BEGIN, EV_ONCE_END, EV_ONCE

int main(void)
{
	struct recorded r = recorded_run(results);
	CHECK_RAN(r);
	CHECK_EVENTS(
		r, 0,
		"SEM_INIT DOWN DOWN_FAIL DOWN_REQUEST DOWN_FAIL DOWN_REQUEST DOWN_FAIL POST DOWN "
		"SEM_DESTROY SEM_INIT",
		SEMAPHORES);
	if (r.on) {
		CHECK_SAME(recorded_find(&r, EV_SEM_INIT, 0)->f.n, 1);
		CHECK_SAME(recorded_find(&r, EV_DOWN_FAIL, 0)->f.m, EVENT_TRY);
		CHECK_SAME(recorded_find(&r, EV_DOWN_FAIL, 1)->f.m, EVENT_TIMED);
	}
	r = recorded_run(interrupted);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "SEM_INIT DOWN_REQUEST", SEMAPHORES);
	r = recorded_run(named);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "UNMODELLED UNMODELLED DOWN DOWN_FAIL UNMODELLED", SEMAPHORES,
		     EV_UNMODELLED);
	r = recorded_run(cancellation);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 1, "BEGIN END", SEMAPHORES, EV_BEGIN, EV_END);
	r = recorded_run(handing);
	CHECK_RAN(r);
	if (r.on)
		check_handing(&r);

	r = recorded_run(meeting);
	CHECK_RAN(r);
	if (r.on)
		check_meeting(&r);

	r = recorded_run(once);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "ONCE_BEGIN ONCE_BEGIN ONCE_END ONCE ONCE_END ONCE", ONCES);
	r = recorded_run(broken);
	CHECK_RAN(r);
	if (r.on)
		check_broken(&r);
	return check_result();
}
