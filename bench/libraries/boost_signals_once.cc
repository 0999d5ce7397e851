// LIBS: -lboost_thread -lboost_system

// boost::call_once.
#include <boost/thread.hpp>
#include <boost/thread/once.hpp>

static boost::once_flag once = BOOST_ONCE_INIT;
static int *table;

static void make()
{
	table = new int[2]();
}

static void work()
{
#ifdef BUG
	if (!table)
		make();
#else
	boost::call_once(once, make);
#endif
	volatile int seen = table[1];
	(void)seen;
}

int main()
{
	boost::thread a(work), b(work);

	a.join();
	b.join();
	return 0;
}
