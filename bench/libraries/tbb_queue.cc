// LIBS: -ltbb

// A concurrent_queue hands blocks from one thread to another.
#include <tbb/concurrent_queue.h>
#include <thread>

static tbb::concurrent_queue<int *> queue;

int main()
{
	std::thread consumer([] {
		for (int i = 0; i < 3;) {
			int *item;

			if (!queue.try_pop(item)) {
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

		queue.push(item);
#ifdef BUG
		*item = -1;
#endif
	}
	consumer.join();
	return 0;
}
