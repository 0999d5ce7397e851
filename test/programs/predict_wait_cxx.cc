// A std::condition_variable waits inside of libstdc++, and the mutex is the program's all the same: it keeps no order but its own.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2
// predict: race loose@FIRST loose@SECOND
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <pthread.h>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

static std::mutex lock;
static std::condition_variable changed;
static bool ready;
static int guarded, loose;

static void *wait(void *unused)
{
	std::unique_lock<std::mutex> guard(lock);

	turn_done();
	while (!ready)
		changed.wait(guard);
	guarded = 1;
	return unused;
}

static void *first(void *unused)
{
	turn_wait(2);
	loose = 1; // FIRST
	lock.lock();
	guarded = 1;
	lock.unlock();
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(3);
	lock.lock();
	guarded = 2;
	lock.unlock();
	loose = 2; // SECOND
	return unused;
}

int main()
{
	pthread_t waiter, one, two;

	pthread_create(&waiter, nullptr, wait, nullptr);
	pthread_create(&one, nullptr, first, nullptr);
	pthread_create(&two, nullptr, second, nullptr);
	turn_wait(1);
	lock.lock();
	ready = true;
	lock.unlock();
	changed.notify_one();
	pthread_join(waiter, nullptr);
	turn_done();
	pthread_join(one, nullptr);
	pthread_join(two, nullptr);
	std::printf("%d %d\n", guarded, loose);
	return 0;
}
