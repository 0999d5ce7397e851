// Strings of libstdc++'s old ABI share their texts, and count who has them, partly inside of the library: who lets go last, or
// finds that nobody else has the text and writes to it, is behind what the others did with it. What they do besides is
// not ordered by it.
// build: -pthread -D_GLIBCXX_USE_CXX11_ABI=0
// plain: lib/turn.c
// stdout: abcdef abcdef 2
// predict: race loose@FIRST loose@SECOND
#include <cstdio>
#include <pthread.h>
#include <string>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

static int loose;
static const std::string other("other");

// Each has copies of the same. They are looked at and let go of one by one, so that none has an order by another.
struct holder {
	std::string *ended, *given, *grown, *cleared, *written;
	std::wstring *wide;
	char seen[7];
};
static holder holders[2];

template <typename T> static char look(const T &string)
{
	return static_cast<char>(string.data()[1]);
}

static void use(holder &mine)
{
	mine.seen[0] = look(*mine.ended);
	delete mine.ended;
	mine.seen[1] = look(*mine.given);
	*mine.given = other;
	mine.seen[2] = look(*mine.grown);
	*mine.grown += "more";
	mine.seen[3] = look(*mine.cleared);
	mine.cleared->clear();
	mine.seen[4] = look(*mine.written);
	(*mine.written)[1] = 'w';
	mine.seen[5] = look(*mine.wide);
	delete mine.wide;
}

static void *first(void *unused)
{
	use(holders[0]);
	loose = 1; // FIRST
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	loose = 2; // SECOND
	use(holders[1]);
	return unused;
}

static void make()
{
	std::string ended(30, 'a'), given(31, 'b'), grown(32, 'c'), cleared(33, 'd'),
		written(34, 'e');
	std::wstring wide(35, L'f');

	for (holder &one : holders) {
		one.ended = new std::string(ended);
		one.given = new std::string(given);
		one.grown = new std::string(grown);
		one.cleared = new std::string(cleared);
		one.written = new std::string(written);
		one.wide = new std::wstring(wide);
	}
}

int main()
{
	pthread_t threads[2];

	make();
	pthread_create(&threads[0], nullptr, first, nullptr);
	pthread_create(&threads[1], nullptr, second, nullptr);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	std::printf("%s %s %d\n", holders[0].seen, holders[1].seen, loose);
	return 0;
}
