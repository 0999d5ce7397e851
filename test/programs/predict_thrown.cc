// A lock that an exception takes its scope away from is released there: what the handler does is not under it, what
// was before the throw is.
// build: -pthread
// plain: lib/turn.c
// stdout: 2 2
// predict: race loose@CAUGHT loose@OTHER
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

static std::mutex lock;
static int guarded, loose;

static void count()
{
	std::lock_guard<std::mutex> hold(lock);
	if (++guarded > 0)
		throw std::runtime_error("counted");
}

static void first()
{
	turn_wait(1); // when both are there: else the block of one is used again for the other
	try {
		count();
	} catch (const std::runtime_error &) {
		loose = 1; // CAUGHT
	}
	turn_done();
}

static void second()
{
	turn_wait(2);
	{
		std::lock_guard<std::mutex> hold(lock);
		guarded++;
	}
	loose = 2; // OTHER
}

int main()
{
	std::thread a(first), b(second);

	turn_done();
	a.join();
	b.join();
	printf("%d %d\n", guarded, loose);
	return 0;
}
