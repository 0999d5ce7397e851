// A static local built once though four threads meet there; virtual calls and RTTI work.
// build: -pthread
// stdout: built 1, area 12, circle 0
#include <atomic>
#include <cstdio>
#include <thread>
#include <typeinfo>
#include <vector>

static std::atomic<int> built{ 0 };

struct shape {
	virtual ~shape() = default;
	virtual int area() const = 0;
};
struct box : shape {
	int w = 3, h = 4;
	box()
	{
		built++;
	}
	int area() const override
	{
		return w * h;
	}
};
struct circle : shape {
	int area() const override
	{
		return 3;
	}
};

static const shape &get()
{
	static box one;
	return one;
}

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([] { get(); });
	for (auto &thread : threads)
		thread.join();
	std::printf("built %d, area %d, circle %d\n", built.load(), get().area(),
		    dynamic_cast<const circle *>(&get()) != nullptr);
}
