// What std::string does is recorded (it is compiled with the program): under a lock it races with nothing, and the lock orders it.
// With -DLOOSE there is no lock (golden/predict_string).
// build: -pthread
// plain: lib/turn.c
// stdout: one text that is long enough for a block and another
// predict: silent
#include <cstdio>
#include <pthread.h>
#include <string>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

static std::string all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(const char *text)
{
#ifndef LOOSE
	pthread_mutex_lock(&lock);
#endif
	all += text;
#ifndef LOOSE
	pthread_mutex_unlock(&lock);
#endif
}

static void *first(void *unused)
{
	add("one text that is long enough for a block");
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	add(" and another");
	return unused;
}

int main()
{
	pthread_t threads[2];

	pthread_create(&threads[0], nullptr, first, nullptr);
	pthread_create(&threads[1], nullptr, second, nullptr);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	std::printf("%s\n", all.c_str());
	return 0;
}
