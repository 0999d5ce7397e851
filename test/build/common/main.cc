#include "tally.h"

#include <iostream>
#include <thread>
#include <vector>

int main()
{
	std::vector<std::thread> threads;
	int count = 100;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([&count] {
			for (int k = 0; k < count; k++)
				tally_add(1);
		});
	for (auto &thread : threads)
		thread.join();
	std::cout << "total " << tally_total() << std::endl;
}
