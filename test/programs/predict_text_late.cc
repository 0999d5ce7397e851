// A text that strings of libstdc++'s old ABI share ends when the last lets go of it: a look behind letting go may be too late.
// build: -pthread -D_GLIBCXX_USE_CXX11_ABI=0
// plain: lib/turn.c
// stdout: a
// predict: use-after-free block~of~55~bytes@ELSEWHERE *text@LATE
#include <cstdio>
#include <pthread.h>
#include <string>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

static std::string *strings[2];
static char late;
static const char *volatile text;

static void *first(void *unused)
{
	text = strings[0]->c_str();
	delete strings[0];
	late = *text; // LATE
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	delete strings[1];
	return unused;
}

int main()
{
	pthread_t threads[2];

	strings[0] = new std::string(30, 'a');
	strings[1] = new std::string(*strings[0]);
	pthread_create(&threads[0], nullptr, first, nullptr);
	pthread_create(&threads[1], nullptr, second, nullptr);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	std::printf("%c\n", late);
	return 0;
}
