// What a thread registers for the end of the process is run by another, behind what was done before: atexit,
// on_exit, and the destructor of a static variable. It is not behind what that thread does afterwards.
// build: -pthread
// plain: lib/turn.c
// stdout: 5
// predict: race loose@REGISTERED loose@RUNS
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

static int data;
static volatile int loose; // nobody reads it

struct counter {
	int value;
	counter() : value(data)
	{
	}
	~counter()
	{
		value = 0;
		std::printf("%d\n", data);
	}
};

static void leave()
{
	data++;
	loose = 1; // RUNS
}

static void leave_with(int status, void *at)
{
	*static_cast<int *>(at) += 1 + status;
}

static counter &get()
{
	static counter one;

	return one;
}

static void *run(void *unused)
{
	data = 3;
	get().value++;
	std::atexit(leave);
	on_exit(leave_with, &data);
	loose = 2; // REGISTERED
	turn_done();
	return unused;
}

int main()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, run, nullptr);
	pthread_detach(thread);
	turn_wait(1);
	return 0;
}
