// C++20: jthread with a stop token, latch, barrier, counting_semaphore, atomic wait, a coroutine.
// build: -pthread -std=c++20
// stdout: stopped 1, latch 3, rounds 6, semaphore 2, waited 5, generated 6
#include <atomic>
#include <barrier>
#include <coroutine>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

struct generator {
	struct promise_type {
		int value = 0;
		generator get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend()
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		std::suspend_always yield_value(int v)
		{
			value = v;
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
	std::coroutine_handle<promise_type> handle;
};

static generator count(int n)
{
	for (int i = 1; i <= n; i++)
		co_yield i;
}

int main()
{
	std::atomic<int> stopped{ 0 }, arrived{ 0 }, rounds{ 0 }, entered{ 0 }, flag{ 0 };
	{
		std::jthread waits([&](std::stop_token token) {
			while (!token.stop_requested())
				std::this_thread::yield();
			stopped = 1;
		});
	}
	std::latch latch(3);
	std::barrier barrier(3);
	std::counting_semaphore<4> semaphore(0);
	{
		std::vector<std::jthread> threads;
		for (int i = 0; i < 3; i++)
			threads.emplace_back([&] {
				arrived++;
				latch.arrive_and_wait();
				for (int k = 0; k < 2; k++) {
					rounds++;
					barrier.arrive_and_wait();
				}
			});
		std::jthread taker([&] {
			semaphore.acquire();
			semaphore.acquire();
			entered = 2;
		});
		semaphore.release(2);
		std::jthread setter([&] {
			flag = 5;
			flag.notify_one();
		});
		flag.wait(0);
	}
	generator numbers = count(3);
	int sum = 0;
	for (numbers.handle.resume(); !numbers.handle.done(); numbers.handle.resume())
		sum += numbers.handle.promise().value;
	numbers.handle.destroy();
	std::printf("stopped %d, latch %d, rounds %d, semaphore %d, waited %d, generated %d\n",
		    stopped.load(), arrived.load(), rounds.load(), entered.load(), flag.load(),
		    sum);
}
