// LIBS: -ltbb

// A queuing mutex: the threads wait in a list.
#include <tbb/queuing_mutex.h>
#include <thread>

static tbb::queuing_mutex lock;
static int values[2];

static void work()
{
#ifndef BUG
	tbb::queuing_mutex::scoped_lock held(lock);
#endif
	values[0]++;
	values[1] += values[0];
}

int main()
{
	std::thread a(work), b(work);

	a.join();
	b.join();
	return values[1] < 1;
}
