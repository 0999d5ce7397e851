// Who comes while a static local is built waits for it, and sees it whole. But its constructor
// takes a lock, and who waits may have that.
// build: -pthread
// plain: lib/guard.c
// stdout: 7 7
// count: 1 ^T1\|oncebegin\(
// count: 1 ^T1\|onceend\(
// count: 1 ^T2\|once\(
// serial: no, lib/guard.c looks at how the kernel blocks a thread
// predict: deadlock lock@CONSTRUCTOR guard~variable~for~get@CALL
#include <cstdio>
#include <pthread.h>

extern "C" void guard_awaited();
extern "C" void turn_wait();
extern "C" void turn_done();

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seen[2];

struct box {
	int value;
	box()
	{
		pthread_mutex_lock(&lock); // CONSTRUCTOR
		pthread_mutex_unlock(&lock);
		turn_done();
		guard_awaited();
		value = 7;
	}
};

inline box &get()
{
	static box one; // CALL
	return one;
}

static void *builder(void *unused)
{
	seen[0] = get().value;
	return unused;
}

static void *user(void *unused)
{
	turn_wait();
	pthread_mutex_lock(&lock);
	seen[1] = get().value;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main()
{
	pthread_t threads[2];

	pthread_create(&threads[0], nullptr, builder, nullptr);
	pthread_create(&threads[1], nullptr, user, nullptr);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	std::printf("%d %d\n", seen[0], seen[1]);
}
