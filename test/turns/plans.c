/* plans NAME: small programs, which test/unit/explore_plans.c runs with plans. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int value, woken, ready;

static void run_both(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static void *increment(void *unused)
{
	value++;
	return unused;
}

static void race(void)
{
	value = 40;
	run_both(increment, increment);
}

static void *forward(void *unused)
{
	pthread_mutex_lock(&one);
	pthread_mutex_lock(&other);
	pthread_mutex_unlock(&other);
	pthread_mutex_unlock(&one);
	return unused;
}

static void *backward(void *unused)
{
	pthread_mutex_lock(&other);
	pthread_mutex_lock(&one);
	pthread_mutex_unlock(&one);
	pthread_mutex_unlock(&other);
	return unused;
}

static void inversion(void)
{
	run_both(forward, backward);
}

/*
 * The exit status is the result of the wait: 0 woken by a signal, 1 woken too early, 2 timed out.
 */
static void *wait_timed(void *unused)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	pthread_mutex_lock(&one);
	if (!ready) {
		int result = pthread_cond_timedwait(&condition, &one, &until);
		woken = result == ETIMEDOUT ? 2 : !ready;
	}
	pthread_mutex_unlock(&one);
	return unused;
}

static void *notify(void *unused)
{
	pthread_mutex_lock(&one);
	ready = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&one);
	return unused;
}

static void waiting(void)
{
	run_both(wait_timed, notify);
}

static void daemons(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, increment, NULL);
	pthread_detach(thread);
}

static void *make_two(void *unused)
{
	run_both(increment, increment);
	return unused;
}

static void nested(void)
{
	run_both(make_two, make_two);
}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} list[] = {
		{ "race", race },	{ "inversion", inversion }, { "waiting", waiting },
		{ "daemons", daemons }, { "nested", nested },
	};

	for (size_t i = 0; count > 1 && i < sizeof(list) / sizeof(list[0]); i++) {
		if (!strcmp(arguments[1], list[i].name)) {
			list[i].run();
			return woken;
		}
	}
	return 9;
}
