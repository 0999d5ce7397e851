// Memory of a pool inside libstdc++ that one thread gives back and another gets: what the first did with it is before
// what the second does. What they do besides is not ordered by it.
// build: -pthread -std=c++17
// plain: lib/turn.c
// stdout: same 2
// predict: race loose@FIRST loose@SECOND
#include <cstdio>
#include <memory_resource>
#include <mutex>
#include <pthread.h>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

static std::pmr::unsynchronized_pool_resource pool;
static std::mutex lock;
static int loose;

static int *use(int value)
{
	int *block;

	{
		std::lock_guard<std::mutex> guard(lock);
		block = static_cast<int *>(pool.allocate(16));
	}
	*block = value;
	if (*block != value)
		return nullptr;
	std::lock_guard<std::mutex> guard(lock);
	pool.deallocate(block, 16);
	return block;
}

static void *first(void *)
{
	int *block = use(1);

	loose = 1; // FIRST
	turn_done();
	return block;
}

static void *second(void *)
{
	turn_wait(1);
	loose = 2; // SECOND
	return use(2);
}

int main()
{
	pthread_t threads[2];
	void *blocks[2];

	pthread_create(&threads[0], nullptr, first, nullptr);
	pthread_create(&threads[1], nullptr, second, nullptr);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], &blocks[i]);
	std::printf("%s %d\n", blocks[0] == blocks[1] ? "same" : "other", loose);
	return 0;
}
