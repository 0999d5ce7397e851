/*
 * Tests condition variables: results are the same as without the runtime; recorded events;
 * cancelled waits.
 */
// build: -fexceptions
#include "recorded.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#define CONDITIONS                                                                                 \
	EV_COND_INIT, EV_COND_DESTROY, EV_WAIT, EV_WOKEN, EV_SIGNAL, EV_BROADCAST, EV_ACQUIRE,     \
		EV_RELEASE

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int stage;

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 2000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void go_to(int next)
{
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	stage = next;
	CHECK_SAME(pthread_cond_broadcast(&cond), 0);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
}

static void *waiter(void *unused)
{
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	errno = 78;
	stage = 1;
	while (stage != 2)
		CHECK_SAME(pthread_cond_wait(&cond, &mutex), 0);
	CHECK_SAME(errno, 78);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	return unused;
}

/* Waits until the other thread is in its wait: it has set `stage` and released the mutex. */
static void await_waiter(void)
{
	for (int ready = 0; !ready;) {
		pthread_mutex_lock(&mutex);
		ready = stage == 1;
		pthread_mutex_unlock(&mutex);
	}
}

static void wake(void)
{
	pthread_t thread;

	CHECK_SAME(pthread_create(&thread, NULL, waiter, NULL), 0);
	await_waiter();
	go_to(2);
	CHECK_SAME(pthread_join(thread, NULL), 0);
}

static void time_outs(void)
{
	struct timespec real_time, monotonic, bad = { 0, -1 };

	CHECK_SAME(pthread_cond_init(&cond, NULL), 0);
	CHECK_SAME(pthread_mutex_lock(&mutex), 0);
	real_time = soon(CLOCK_REALTIME);
	CHECK_SAME(pthread_cond_timedwait(&cond, &mutex, &real_time), ETIMEDOUT);
	monotonic = soon(CLOCK_MONOTONIC);
	CHECK_SAME(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &monotonic), ETIMEDOUT);
	CHECK_SAME(pthread_cond_timedwait(&cond, &mutex, &bad), EINVAL);
	CHECK_SAME(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &bad), EINVAL);
	CHECK_SAME(pthread_cond_clockwait(&cond, &mutex, 99, &monotonic), EINVAL);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
	CHECK_SAME(pthread_cond_signal(&cond), 0);
	CHECK_SAME(pthread_cond_destroy(&cond), 0);
}

static void not_held(void)
{
	static pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	struct timespec until = soon(CLOCK_REALTIME);

	CHECK_SAME(pthread_cond_wait(&cond, &checked), EPERM);
	CHECK_SAME(pthread_cond_timedwait(&cond, &checked, &until), EPERM);
}

/* ---- cancellation: the mutex is held again in the cleanup, and the wait has ended by then ---- */

static void cleanup(void *unused)
{
	(void)unused;
	stage = 3;
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
}

static void *cancelled(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(cleanup, NULL);
	stage = 1;
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(0);
	return unused;
}

static void cancellation(void)
{
	pthread_t thread;
	void *result;

	CHECK_SAME(pthread_create(&thread, NULL, cancelled, NULL), 0);
	await_waiter();
	CHECK_SAME(pthread_cancel(thread), 0);
	CHECK_SAME(pthread_join(thread, &result), 0);
	CHECK(result == PTHREAD_CANCELED);
	CHECK_SAME(stage, 3);
	CHECK_SAME(pthread_mutex_trylock(&mutex), 0);
	CHECK_SAME(pthread_mutex_unlock(&mutex), 0);
}

/* ---- many hand-overs: each wait's numbers fit those of the mutex ---- */

#define ROUNDS 2000
static int turn;

static void *player(void *me)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&mutex);
		while (turn != (me != NULL))
			pthread_cond_wait(&cond, &mutex);
		turn = !turn;
		if (i % 2)
			pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
		if (!(i % 2))
			pthread_cond_signal(&cond);
	}
	return NULL;
}

static void ping_pong(void)
{
	pthread_t threads[2];
	static char second;

	pthread_create(&threads[0], NULL, player, NULL);
	pthread_create(&threads[1], NULL, player, &second);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

static int by_number(const void *left, const void *right)
{
	const struct recorded_event *a = left, *b = right;

	return a->f.q < b->f.q ? -1 : a->f.q > b->f.q;
}

/*
 * Checks that in the order of the mutex's sequence numbers, acquires and releases alternate, each
 * pair by one thread.
 */
static void check_hand_overs(const struct recorded *r)
{
	struct recorded_event *changes = calloc(r->count + 1, sizeof(*changes));
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++) {
		struct recorded_event e = r->events[i];
		bool waits = e.kind == EV_WAIT || e.kind == EV_WOKEN;
		if (!waits && e.kind != EV_ACQUIRE && e.kind != EV_RELEASE)
			continue;
		if (waits) {
			CHECK_SAME(e.f.b, (uintptr_t)&mutex);
			e.f.q = e.f.n;
		}
		changes[count++] = e;
	}
	qsort(changes, count, sizeof(*changes), by_number);
	for (size_t i = 0; i < count; i++) {
		bool takes = changes[i].kind == EV_ACQUIRE || changes[i].kind == EV_WOKEN;
		CHECK_SAME(takes, i % 2 == 0);
		if (i % 2)
			CHECK_SAME(changes[i].stream, changes[i - 1].stream);
	}
	CHECK(count >= 4 * ROUNDS);
	free(changes);
}

int main(void)
{
	struct recorded r = recorded_run(wake);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 1, "ACQUIRE WAIT WOKEN RELEASE", CONDITIONS);
	CHECK_EVENTS(r, 0, "BROADCAST", EV_BROADCAST);
	if (r.on) {
		const struct recorded_event *wait = recorded_find(&r, EV_WAIT, 0);
		CHECK_SAME(wait->f.a, (uintptr_t)&cond);
		CHECK_SAME(wait->f.b, (uintptr_t)&mutex);
		CHECK_SAME(recorded_find(&r, EV_WOKEN, 0)->f.m, 0);
		CHECK(wait->f.q < recorded_find(&r, EV_BROADCAST, 0)->f.q);
		CHECK(recorded_find(&r, EV_BROADCAST, 0)->f.q <
		      recorded_find(&r, EV_WOKEN, 0)->f.q);
	}

	r = recorded_run(time_outs);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "COND_INIT ACQUIRE WAIT WOKEN WAIT WOKEN RELEASE SIGNAL COND_DESTROY",
		     CONDITIONS);
	if (r.on) {
		CHECK_SAME(recorded_find(&r, EV_WAIT, 0)->f.m, EVENT_TIMED);
		CHECK_SAME(recorded_find(&r, EV_WOKEN, 1)->f.m, 1);
	}

	r = recorded_run(not_held);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "", CONDITIONS);

	r = recorded_run(cancellation);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 1, "BEGIN ACQUIRE WAIT WOKEN RELEASE END", CONDITIONS, EV_BEGIN, EV_END);
	if (r.on)
		CHECK_SAME(recorded_find(&r, EV_WOKEN, 0)->f.m, 1);

	r = recorded_run(ping_pong);
	CHECK_RAN(r);
	if (r.on)
		check_hand_overs(&r);
	return check_result();
}
