// What a std::shared_ptr owns is deleted by the last one that has it, whoever that is. Nothing to find.
// build: -pthread
// stdout: 14
// predict: silent
#include <cstdio>
#include <memory>
#include <pthread.h>

struct item {
	int x = 7;
};

static int seen[2];

struct work {
	std::shared_ptr<item> mine;
	int number;
};

static void *use(void *arg)
{
	work *w = static_cast<work *>(arg);

	seen[w->number] = w->mine->x;
	delete w;
	return nullptr;
}

int main()
{
	pthread_t threads[2];
	auto shared = std::make_shared<item>();

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], nullptr, use, new work{ shared, i });
	shared.reset();
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	std::printf("%d\n", seen[0] + seen[1]);
	return 0;
}
