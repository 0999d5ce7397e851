// Exceptions through instrumented frames, out of a thread, and with destructors on the way.
// build: -pthread
// stdout: deep 10, from thread: lost, destroyed 11
// text: \|w\(.*\)=11\|.*exceptions\.cc
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>

static int destroyed;

struct guard {
	~guard()
	{
		destroyed++;
	}
};

__attribute__((noinline)) static int fall(int depth)
{
	guard here;
	if (depth == 10)
		throw depth;
	return fall(depth + 1) + 1;
}

int main()
{
	int deep = 0;
	try {
		fall(0);
	} catch (int depth) {
		deep = depth;
	}
	std::exception_ptr carried;
	std::thread thrower([&carried] {
		try {
			throw std::runtime_error("lost");
		} catch (...) {
			carried = std::current_exception();
		}
	});
	thrower.join();
	try {
		std::rethrow_exception(carried);
	} catch (const std::exception &e) {
		std::printf("deep %d, from thread: %s, destroyed %d\n", deep, e.what(), destroyed);
	}
}
