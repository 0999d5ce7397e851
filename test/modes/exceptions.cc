// Exceptions thrown and caught in several threads with switches while they are on their way; one is
// handed to another thread.
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static int shared;
static std::exception_ptr kept;

struct guard {
	~guard()
	{
		shared = shared + 1;
	}
};

static void fail(int depth, int id)
{
	guard on_the_way;
	if (depth == 0)
		throw std::runtime_error("thread " + std::to_string(id));
	fail(depth - 1, id);
}

static void work(int id)
{
	try {
		fail(3, id);
	} catch (const std::exception &error) {
		shared = shared + 1;
		{
			std::lock_guard<std::mutex> hold(lock);
			kept = std::current_exception();
		}
		shared = shared + 1;
		try {
			throw id;
		} catch (int number) {
			shared = shared + 1;
			assert(number == id);
		}
		assert(error.what() == "thread " + std::to_string(id));
	}
	assert(std::uncaught_exceptions() == 0);
}

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back(work, i);
	for (auto &thread : threads)
		thread.join();
	try {
		std::rethrow_exception(kept);
	} catch (const std::runtime_error &) {
		return 0;
	}
	return 1;
}
