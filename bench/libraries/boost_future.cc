// LIBS: -lboost_thread -lboost_system

// A promise hands a block to another thread.
#define BOOST_THREAD_PROVIDES_FUTURE
#include <boost/thread.hpp>
#include <boost/thread/future.hpp>

static boost::promise<int *> promise;

static void produce()
{
	int *block = new int(1);

	promise.set_value(block);
#ifdef BUG
	*block = 2;
#endif
}

int main()
{
	boost::thread thread(produce);
	int *block = promise.get_future().get();

	++*block;
	thread.join();
	delete block;
	return 0;
}
