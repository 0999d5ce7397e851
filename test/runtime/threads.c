/* Tests threads: numbers, ENDs after all destructors, reused identifiers, and failing joins. */
// build: -fexceptions
#include "recorded.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define THREADS EV_CREATE, EV_BEGIN, EV_END, EV_JOIN_REQUEST, EV_JOIN, EV_DETACH

static void *nothing(void *argument)
{
	return argument;
}

static void create_and_join(void)
{
	pthread_t thread;
	void *result;

	CHECK_SAME(pthread_create(&thread, NULL, nothing, &result), 0);
	CHECK_SAME(pthread_join(thread, &result), 0);
	CHECK(result == &result);
	CHECK_SAME(pthread_join(pthread_self(), NULL), EDEADLK);
}

/*
 * Checks that the recorded stack is that of the thread, and that CREATE, BEGIN, END and JOIN have
 * times in this order.
 */
static void check_one(const struct recorded *r)
{
	const struct recorded_event *create = recorded_find(r, EV_CREATE, 0);
	const struct recorded_event *begin =
		recorded_find(r, EV_BEGIN, 1); /* number 0 belongs to the main thread */
	const struct recorded_event *end = recorded_find(r, EV_END, 0);
	const struct recorded_event *join = recorded_find(r, EV_JOIN, 0);

	CHECK_SAME(create->f.n, 1);
	CHECK_SAME(begin->stream, 1);
	CHECK_SAME(begin->f.n, 0);
	CHECK_SAME(end->stream, 1);
	CHECK_SAME(join->f.n, 1);
	CHECK(create->f.t <= begin->f.t && begin->f.t <= end->f.t && end->f.t <= join->f.t);
	CHECK(begin->f.b - begin->f.a >= 64 << 10);
}

/* ---- identifiers are used again ---- */

static void reuse(void)
{
	pthread_t first, again;

	for (int i = 0; i < 50; i++) {
		CHECK_SAME(pthread_create(&again, NULL, nothing, NULL), 0);
		if (i == 0)
			first = again;
		CHECK_SAME(pthread_join(again, NULL), 0);
	}
	/* otherwise nothing was reused, and this tests nothing */
	CHECK(pthread_equal(first, again));
}

static void check_reuse(const struct recorded *r)
{
	for (size_t i = 0; i < 50; i++) {
		CHECK_SAME(recorded_find(r, EV_CREATE, i)->f.n, i + 1);
		CHECK_SAME(recorded_find(r, EV_JOIN, i)->f.n, i + 1);
	}
}

/* ---- creation that fails leaves nothing ---- */

static void failing(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	CHECK_SAME(pthread_attr_setstacksize(&attributes, (size_t)1 << 50), 0);
	CHECK_SAME(pthread_create(&thread, &attributes, nothing, NULL), EAGAIN);
	pthread_attr_destroy(&attributes);
}

/* ---- detached ones, joins that do not wait ---- */

static sem_t may_end;

static void *wait_to_end(void *argument)
{
	while (sem_wait(&may_end) != 0)
		;
	return argument;
}

static void kinds_of_join(void)
{
	pthread_t thread;
	struct timespec past = { 1, 0 }, future = { .tv_sec = time(NULL) + 60 };
	void *result;

	sem_init(&may_end, 0, 0);
	pthread_create(&thread, NULL, wait_to_end, &result);
	CHECK_SAME(pthread_tryjoin_np(thread, &result), EBUSY);
	CHECK_SAME(pthread_timedjoin_np(thread, &result, &past), ETIMEDOUT);
	CHECK_SAME(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &past), ETIMEDOUT);
	sem_post(&may_end);
	CHECK_SAME(pthread_timedjoin_np(thread, &result, &future), 0);
	CHECK(result == &result);

	pthread_create(&thread, NULL, nothing, NULL);
	while (pthread_tryjoin_np(thread, NULL) == EBUSY)
		;
	pthread_create(&thread, NULL, wait_to_end, NULL);
	CHECK_SAME(pthread_detach(thread), 0);
	CHECK_SAME(pthread_detach(thread), EINVAL);
	CHECK_SAME(pthread_join(thread, NULL), EINVAL);
}

/* The memory of the thread's identifier may be unmapped as soon as the thread runs. */
static void *unmap_it(void *argument)
{
	munmap(argument, 4096);
	sem_post(&may_end);
	return argument;
}

static void detached(void)
{
	pthread_attr_t attributes;

	sem_init(&may_end, 0, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 200; i++) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
		pthread_t *thread = (pthread_t *)(page + 64);
		CHECK_SAME(pthread_create(thread, &attributes, unmap_it, page), 0);
		while (sem_wait(&may_end) != 0)
			;
	}
}

/* ---- END comes after the program's destructors ---- */

static pthread_key_t keys[3];

/*
 * The destructor sets the key again, as often as destructors are called. The sizes of its blocks
 * show the calls in the trace.
 */
static void destructor(void *round)
{
	uintptr_t next = (uintptr_t)round + 1;
	void *mark = malloc(next * 1000);

	__asm__ volatile("" : "+r"(mark));
	free(mark);
	if (next < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(keys[0], (void *)next);
}

static void *with_keys(void *unused)
{
	pthread_setspecific(keys[0], (void *)1);
	return unused;
}

static void destructors(void)
{
	pthread_t thread;

	pthread_key_create(&keys[0], destructor);
	pthread_create(&thread, NULL, with_keys, NULL);
	pthread_join(thread, NULL);
}

/* ---- the other ways to end ---- */

static void *by_exit(void *argument)
{
	pthread_exit(argument);
}

static void *by_cancel(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void ends(void)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, by_exit, &result);
	CHECK_SAME(pthread_join(thread, &result), 0);
	CHECK(result == &result);
	pthread_create(&thread, NULL, by_cancel, NULL);
	CHECK_SAME(pthread_cancel(thread), 0);
	CHECK_SAME(pthread_join(thread, &result), 0);
	CHECK(result == PTHREAD_CANCELED);
}

/* The runtime's own work is no cancellation point, however much it has to write. */
static volatile bool came_so_far;

static void *pending(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	for (int i = 0; i < 20000; i++) {
		void *block = malloc(10);
		__asm__ volatile("" : "+r"(block));
		free(block);
	}
	came_so_far = true;
	pthread_testcancel();
	return unused;
}

static void pending_cancellation(void)
{
	pthread_t thread;
	void *result = NULL;

	pthread_create(&thread, NULL, pending, NULL);
	CHECK_SAME(pthread_join(thread, &result), 0);
	CHECK(result == PTHREAD_CANCELED);
	CHECK(came_so_far);
}

static pthread_t main_thread;

static void *outlive(void *unused)
{
	CHECK_SAME(pthread_join(main_thread, NULL), 0);
	_exit(check_result());
	return unused;
}

static void main_exits(void)
{
	pthread_t thread;

	main_thread = pthread_self();
	pthread_create(&thread, NULL, outlive, NULL);
	pthread_exit(NULL);
}

/* ---- many at once ---- */

#define MANY 500

static void many(void)
{
	pthread_t threads[MANY];

	sem_init(&may_end, 0, 0);
	for (int i = 0; i < MANY; i++)
		CHECK_SAME(pthread_create(&threads[i], NULL, wait_to_end, NULL), 0);
	for (int i = 0; i < MANY; i++)
		sem_post(&may_end);
	for (int i = 0; i < MANY; i++)
		CHECK_SAME(pthread_join(threads[i], NULL), 0);
}

int main(void)
{
	struct recorded r = recorded_run(create_and_join);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "BEGIN CREATE JOIN_REQUEST JOIN", THREADS);
	CHECK_EVENTS(r, 1, "BEGIN END", THREADS);
	if (r.on)
		check_one(&r);
	r = recorded_run(reuse);
	CHECK_RAN(r);
	if (r.on)
		check_reuse(&r);
	r = recorded_run(failing);
	CHECK_RAN(r);
	CHECK_EVENTS(r, -1, "", EV_CREATE, EV_END, EV_JOIN);
	r = recorded_run(kinds_of_join);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "CREATE JOIN CREATE JOIN CREATE DETACH", EV_CREATE, EV_JOIN, EV_DETACH);
	if (r.on) {
		CHECK_SAME(recorded_find(&r, EV_JOIN, 1)->f.n, 2);
		CHECK_SAME(recorded_find(&r, EV_DETACH, 0)->f.n, 3);
	}
	r = recorded_run(detached);
	CHECK_RAN(r);
	r = recorded_run(destructors);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 1, "BEGIN ALLOC FREE ALLOC FREE ALLOC FREE END", EV_BEGIN, EV_ALLOC,
		     EV_FREE, EV_END);
	r = recorded_run(ends);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 1, "BEGIN END", THREADS);
	CHECK_EVENTS(r, 2, "BEGIN END", THREADS);
	r = recorded_run(pending_cancellation);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 1, "BEGIN END", THREADS);
	r = recorded_run(main_exits);
	CHECK_RAN(r);
	CHECK_EVENTS(r, 0, "BEGIN CREATE END", THREADS);
	r = recorded_run(many);
	CHECK_RAN(r);
	if (r.on)
		CHECK_SAME(recorded_find(&r, EV_JOIN, MANY - 1)->f.n, MANY);
	return check_result();
}
