// LIBS: -lboost_thread -lboost_system

// boost::mutex and boost::thread.
#include <boost/thread.hpp>

static boost::mutex lock;
static int count;

static void work()
{
	for (int i = 0; i < 3; i++) {
#ifndef BUG
		boost::mutex::scoped_lock held(lock);
#endif
		count++;
	}
}

int main()
{
	boost::thread a(work), b(work);

	a.join();
	b.join();
	return count < 3;
}
