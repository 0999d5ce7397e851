// Standard containers shared by std::threads under a std::mutex.
// build: -pthread
// stdout: 400 items, 100 keys, longest 8, sum 79800
// count: 400 \|acq\(
// count: 400 \|rel\(
#include <cstdio>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

static std::mutex lock;
static std::vector<int> items;
static std::map<int, std::string> names;
static std::unordered_map<std::string, int> lengths;

int main()
{
	std::vector<std::thread> threads;
	for (int t = 0; t < 4; t++)
		threads.emplace_back([t] {
			for (int i = 0; i < 100; i++) {
				std::lock_guard<std::mutex> hold(lock);
				items.push_back(100 * t + i);
				names[i] = "name-" + std::to_string(i + 1);
				lengths[names[i]] = (int)names[i].size();
			}
		});
	for (auto &thread : threads)
		thread.join();
	int longest = 0;
	for (auto &[name, length] : lengths)
		longest = std::max(longest, length);
	std::printf("%zu items, %zu keys, longest %d, sum %d\n", items.size(), names.size(),
		    longest, std::accumulate(items.begin(), items.end(), 0));
}
