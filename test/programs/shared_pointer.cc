// shared_ptr copied and dropped by many threads: destroyed once, by the last.
// build: -pthread
// stdout: uses 1, destroyed 1
// text: \|u\(
#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

static std::atomic<int> destroyed{ 0 };

struct thing {
	int value = 3;
	~thing()
	{
		destroyed++;
	}
};

int main()
{
	auto first = std::make_shared<thing>();
	std::weak_ptr<thing> weak = first;
	std::vector<std::thread> threads;
	for (int t = 0; t < 4; t++)
		threads.emplace_back([first, weak] {
			for (int i = 0; i < 200; i++) {
				auto copy = first;
				auto locked = weak.lock();
				if (locked->value != copy->value)
					std::puts("torn");
			}
		});
	for (auto &thread : threads)
		thread.join();
	threads.clear();
	long uses = first.use_count();
	first.reset();
	std::printf("uses %ld, destroyed %d\n", uses, destroyed.load());
}
