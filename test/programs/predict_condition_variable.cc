// A std::condition_variable of a function that is called twice: the second lies where the first was destroyed. Its constructor, of
// libstdc++, begins it.
// build: -pthread
// stdout: 3
// count: 2 cinit
// predict: silent
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static int __attribute__((noinline)) ask(int value)
{
	std::mutex lock;
	std::condition_variable changed;
	int answer = 0;
	std::thread thread([&] {
		std::lock_guard<std::mutex> guard(lock);
		answer = value;
		changed.notify_one();
	});
	{
		std::unique_lock<std::mutex> guard(lock);
		changed.wait(guard, [&] { return answer != 0; });
	}
	thread.join();
	return answer;
}

int main()
{
	int sum = ask(1);

	sum += ask(2);
	std::printf("%d\n", sum);
	return 0;
}
