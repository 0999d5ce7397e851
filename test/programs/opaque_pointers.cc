// Opaque code is also called through pointers and tables of virtual functions, and calls back into small functions that
// only a library's header names.
// build: -pthread -ldl
// opaque: lib/closed.c
// stdout: 40
// predict: silent
#include <cstdio>
#include <dlfcn.h>
#include <functional>
#include <pthread.h>

extern "C" {
void closed_each(void (*call)(void *), void *argument, int times);
}

static int count;

struct task {
	virtual ~task() = default;
	virtual void run()
	{
		++count;
	}
};

static void run_task(void *of)
{
	static_cast<task *>(of)->run();
}

static void (*find(const char *name))()
{
	return reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, name));
}

static void *work(void *of)
{
	void (*lock)() = find("closed_lock"), (*unlock)() = find("closed_unlock");
	std::function<void()> count_up = [] { ++count; };

	for (int i = 0; i < 10; i++) {
		lock();
		count_up();
		unlock();
	}
	closed_each(run_task, of, 10);
	return of;
}

int main()
{
	pthread_t threads[2];
	task tasks[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], nullptr, work, &tasks[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], nullptr);
	std::printf("%d\n", count);
	return 0;
}
