// A coroutine that one thread begins and another goes on with: its frame is split by the compiler, behind our passes or before.
// build: -pthread -std=c++20
// opt: -O1 -O2 -O3
// stdout: 2
// predict: silent
#include <coroutine>
#include <cstdio>
#include <mutex>
#include <thread>

struct task {
	struct promise_type {
		task get_return_object()
		{
			return {};
		}
		std::suspend_never initial_suspend()
		{
			return {};
		}
		std::suspend_never final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
};

static std::mutex lock;
static std::coroutine_handle<> waiting;

struct elsewhere {
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		std::lock_guard<std::mutex> guard(lock);
		waiting = handle;
	}
	void await_resume()
	{
	}
};

static task work(int *out)
{
	int local = *out;

	co_await elsewhere{};
	local *= 2;
	*out = local;
}

static void go_on()
{
	std::coroutine_handle<> handle;
	{
		std::lock_guard<std::mutex> guard(lock);
		handle = waiting;
	}
	handle.resume();
}

int main()
{
	int value = 1;

	work(&value);
	std::thread thread(go_on);
	thread.join();
	std::printf("%d\n", value);
	return 0;
}
