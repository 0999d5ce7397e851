// condition_variable, shared_mutex, timed_mutex, call_once, promise and async.
// build: -pthread
// clang: -std=c++17
// stdout: got 7, once 1, async 42, readers 2, busy 1
// text: \|w\(.*\)=7\|.*cxx_sync\.cc
// text: \|racq\(
// text: \|(tryacq\(.*\)=timeout|req\()
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static std::shared_mutex shared;
static std::timed_mutex timed;
static std::once_flag once;
static int value, runs, readers;

int main()
{
	std::thread giver([] {
		std::call_once(once, [] { runs++; });
		std::unique_lock<std::mutex> hold(lock);
		value = 7;
		changed.notify_one();
	});
	int got;
	{
		std::unique_lock<std::mutex> hold(lock);
		changed.wait(hold, [] { return value != 0; });
		got = value;
	}
	giver.join();
	std::call_once(once, [] { runs++; });
	std::future<int> answer = std::async(std::launch::async, [] { return 42; });
	int async_result = answer.get();

	std::shared_lock<std::shared_mutex> read(shared);
	std::thread reader([] {
		std::shared_lock<std::shared_mutex> also(shared);
		readers = 2;
	});
	reader.join();
	bool busy = false;
	timed.lock();
	std::thread late([&busy] { busy = !timed.try_lock_for(std::chrono::microseconds(1)); });
	late.join();
	timed.unlock();
	std::printf("got %d, once %d, async %d, readers %d, busy %d\n", got, runs, async_result,
		    readers, busy);
}
