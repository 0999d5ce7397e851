// A lock-free queue with one producer and one consumer, all of it in headers.
#include <boost/lockfree/spsc_queue.hpp>
#include <thread>

static boost::lockfree::spsc_queue<int *, boost::lockfree::capacity<8>> queue;

int main()
{
	std::thread consumer([] {
		for (int i = 0; i < 3;) {
			int *item;

			if (!queue.pop(item)) {
				std::this_thread::yield();
				continue;
			}
			++*item;
			delete item;
			i++;
		}
	});

	for (int i = 0; i < 3; i++) {
		int *item = new int(i);

		while (!queue.push(item))
			std::this_thread::yield();
#ifdef BUG
		*item = -1;
#endif
	}
	consumer.join();
	return 0;
}
