// Exceptions through threads and library code, thread_local destructors, call_once that throws, futures.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct noisy {
	const char *name;
	explicit noisy(const char *n) : name(n)
	{
	}
	~noisy()
	{
		std::printf("~%s\n", name);
	}
};

static thread_local noisy first("first thread_local");
static thread_local std::unique_ptr<noisy> second;

static int dig(int depth)
{
	noisy local("local");
	std::string text(100, 'x');

	if (depth == 0)
		throw std::runtime_error("deep");
	return dig(depth - 1) + (int)text.size();
}

static int initialise(bool fail)
{
	if (fail)
		throw 7;
	return 3;
}

static int get(bool fail)
{
	static int value = initialise(fail);
	return value;
}

static void once()
{
	std::once_flag flag;
	int calls = 0;

	for (int i = 0; i < 3; i++) {
		try {
			std::call_once(flag, [&] {
				if (++calls < 2)
					throw std::logic_error("not yet");
			});
			std::printf("once done\n");
		} catch (const std::logic_error &e) {
			std::printf("once: %s\n", e.what());
		}
	}
	std::printf("calls %d\n", calls);
}

static void threads()
{
	std::exception_ptr caught;
	std::mutex lock;

	std::thread([&] {
		std::printf("%s\n", first.name);
		second = std::make_unique<noisy>("second thread_local");
		try {
			std::lock_guard<std::mutex> hold(lock);
			dig(3);
		} catch (...) {
			caught = std::current_exception();
		}
	}).join();
	std::printf("free again %d\n", lock.try_lock());
	lock.unlock();
	try {
		std::rethrow_exception(caught);
	} catch (const std::exception &e) {
		std::printf("caught %s\n", e.what());
	}
}

static void futures()
{
	auto result = std::async(std::launch::async, [] { return dig(1); });
	try {
		result.get();
	} catch (const std::exception &e) {
		std::printf("future: %s\n", e.what());
	}
	std::promise<int> promise;
	auto later = promise.get_future();
	std::thread setter([&] { promise.set_value(9); });
	std::printf("promise %d\n", later.get());
	setter.join();
	try {
		std::thread none;
		none.join();
	} catch (const std::system_error &e) {
		std::printf("join of none: %d\n", e.code().value());
	}
}

int main()
{
	std::atexit([] { std::printf("atexit\n"); });
	std::set_terminate([] {
		std::printf("terminated\n");
		std::fflush(stdout);
		std::_Exit(99);
	});
	try {
		get(true);
	} catch (int n) {
		std::printf("static threw %d\n", n);
	}
	std::printf("static %d\n", get(false));
	once();
	threads();
	futures();
	std::thread([]() noexcept { dig(2); }).join();
	return 0;
}
