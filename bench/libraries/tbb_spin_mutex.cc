// LIBS: -ltbb

// A spin mutex of TBB protects a plain counter.
#include <tbb/spin_mutex.h>
#include <thread>

static tbb::spin_mutex lock;
static int count;

static void work()
{
	for (int i = 0; i < 3; i++) {
#ifndef BUG
		tbb::spin_mutex::scoped_lock held(lock);
#endif
		count++;
	}
}

int main()
{
	std::thread a(work), b(work);

	a.join();
	b.join();
	return count < 3;
}
