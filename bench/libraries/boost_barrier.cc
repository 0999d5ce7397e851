// LIBS: -lboost_thread -lboost_system

// boost::barrier between two phases.
#include <boost/thread.hpp>
#include <boost/thread/barrier.hpp>

static boost::barrier barrier(2);
static int parts[2], sums[2];

static void work(int i)
{
	parts[i] = i;
#ifndef BUG
	barrier.wait();
#endif
	sums[i] = parts[0] + parts[1];
}

int main()
{
	boost::thread a(work, 0), b(work, 1);

	a.join();
	b.join();
	return sums[0] < 0;
}
