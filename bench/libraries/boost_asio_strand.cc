// LIBS: -lboost_system
// Two threads run an io_context; handlers of a strand never run at the same time.
#include <boost/asio.hpp>
#include <thread>

static int count, others;

int main()
{
	boost::asio::io_context context;
	auto strand = boost::asio::make_strand(context);

	for (int i = 0; i < 4; i++) {
		boost::asio::post(strand, [] { count++; });
#ifdef BUG
		boost::asio::post(context, [] { others++; });
#endif
	}
	std::thread a([&] { context.run(); }), b([&] { context.run(); });
	a.join();
	b.join();
	return count != 4 && others < 9;
}
