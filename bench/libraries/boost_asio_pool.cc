// LIBS: -lboost_system
// A thread_pool of Asio runs jobs; join() waits for all of them.
#include <boost/asio.hpp>

int main()
{
	boost::asio::thread_pool pool(2);
	int values[4] = { 0 }, last = 0;

	for (int i = 0; i < 4; i++)
		boost::asio::post(pool, [&values, &last, i] {
			values[i] = i;
#ifdef BUG
			last = i;
#endif
		});
	pool.join();
	return values[3] + last < 0;
}
