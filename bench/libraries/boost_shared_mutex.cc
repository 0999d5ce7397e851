// LIBS: -lboost_thread -lboost_system

// Readers share a lock that Boost builds from a mutex and conditions.
#include <boost/thread.hpp>
#include <boost/thread/shared_mutex.hpp>

static boost::shared_mutex lock;
static int value;

static void look()
{
	boost::shared_lock<boost::shared_mutex> held(lock);
	volatile int seen = value;

	(void)seen;
}

static void change()
{
#ifdef BUG
	boost::shared_lock<boost::shared_mutex> held(lock);
#else
	boost::unique_lock<boost::shared_mutex> held(lock);
#endif
	value++;
}

int main()
{
	boost::thread a(look), b(change), c(look);

	a.join();
	b.join();
	c.join();
	return value != 1;
}
