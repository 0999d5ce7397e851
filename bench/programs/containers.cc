/*
 * C++: std::thread, containers protected by a mutex, strings, shared_ptr with its atomic counts, a
 * virtual call and an atomic counter.
 *
 *	containers [ROUNDS [THREADS]]
 */
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace
{

struct shape {
	virtual ~shape() = default;
	virtual long area() const = 0;
};

struct square : shape {
	explicit square(long side) : side(side)
	{
	}
	long area() const override
	{
		return side * side;
	}
	long side;
};

struct oblong : shape {
	oblong(long a, long b) : a(a), b(b)
	{
	}
	long area() const override
	{
		return a * b;
	}
	long a, b;
};

struct store {
	std::mutex lock;
	std::map<std::string, long> totals;
	std::unordered_map<long, std::shared_ptr<const shape>> shapes;
	std::deque<std::shared_ptr<const shape>> recent;
};

store shared;
std::atomic<long> made{ 0 };

std::shared_ptr<const shape> make_shape(long i)
{
	made.fetch_add(1, std::memory_order_relaxed);
	if (i % 3)
		return std::make_shared<square>(i % 17);
	return std::make_shared<oblong>(i % 5, i % 7);
}

void add(long i)
{
	std::shared_ptr<const shape> it = make_shape(i);
	std::string name = "kind-" + std::to_string(i % 97);
	std::lock_guard<std::mutex> guard(shared.lock);
	shared.totals[name] += it->area();
	shared.shapes[i % 1000] = it;
	shared.recent.push_back(std::move(it));
	if (shared.recent.size() > 100)
		shared.recent.pop_front();
}

void work(long me, long rounds)
{
	std::vector<long> numbers;

	for (long i = 0; i < rounds; i++) {
		add(me * rounds + i);
		numbers.push_back(i * 7919 % 1009);
		if (numbers.size() == 200) {
			std::sort(numbers.begin(), numbers.end());
			numbers.clear();
		}
	}
}

} // namespace

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 60000, count = argc > 2 ? atol(argv[2]) : 2,
	     sum = 0;
	std::vector<std::thread> threads;

	for (long i = 0; i < count; i++)
		threads.emplace_back(work, i, rounds);
	for (std::thread &thread : threads)
		thread.join();
	for (const auto &[name, total] : shared.totals)
		sum += total * (long)name.size();
	printf("%ld %ld %zu\n", sum, made.load(), shared.shapes.size());
	return 0;
}
