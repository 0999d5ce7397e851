// What libstdc++ counts for itself is destroyed by the last one that lets go of it, behind what the others did with
// it: the texts of exceptions that are copies of each other, the paths of a filesystem_error, the facets of
// locales. What they do besides is not ordered by it, and neither is a look behind letting go.
// build: -pthread -std=c++17
// plain: lib/turn.c
// stdout: aslp7 aslp7 2 1
// predict: race loose@FIRST loose@SECOND
// predict: use-after-free block~of~55~bytes@NOWHERE *text@LATE
#include <cstdio>
#include <filesystem>
#include <locale>
#include <pthread.h>
#include <sstream>
#include <stdexcept>
#include <system_error>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

static int loose, ended;
static volatile char late;
static const std::logic_error other("other");

struct facet : std::locale::facet {
	static std::locale::id id;
	int *code = new int(7);
	~facet()
	{
		*code = 0;
		delete code;
		ended++;
	}
};
std::locale::id facet::id;

// Each has a copy of the same. They are looked at and let go of one by one, so that none has an order by another.
struct holder {
	std::runtime_error *plain;
	std::system_error *derived;
	std::logic_error *given;
	std::filesystem::filesystem_error *path;
	std::ostringstream *stream;
	char seen[6];
};
static holder holders[2];

template <typename T> static void end(T *&pointer)
{
	delete pointer;
	pointer = nullptr;
}

static void use(holder &mine, bool looks_late)
{
	const char *text = mine.plain->what();

	mine.seen[0] = text[0];
	end(mine.plain);
	if (looks_late)
		late = *text; // LATE
	mine.seen[1] = mine.derived->what()[0];
	end(mine.derived);
	mine.seen[2] = mine.given->what()[0];
	*mine.given = other;
	mine.seen[3] = mine.path->path1().native()[0];
	end(mine.path);
	mine.seen[4] = '0' + *std::use_facet<facet>(mine.stream->getloc()).code;
	end(mine.stream);
	end(mine.given);
}

static void *first(void *unused)
{
	use(holders[0], true);
	loose = 1; // FIRST
	turn_done();
	return unused;
}

static void *second(void *unused)
{
	turn_wait(1);
	loose = 2; // SECOND
	use(holders[1], false);
	return unused;
}

static void make(const std::string &text)
{
	std::runtime_error plain(text);
	std::system_error derived(EDOM, std::generic_category(), "system" + text);
	std::logic_error given("logic" + text);
	std::filesystem::filesystem_error path("", "path" + text, std::error_code());
	std::locale locale(std::locale::classic(), new facet);

	for (holder &one : holders) {
		one.plain = new std::runtime_error(plain);
		one.derived = new std::system_error(derived);
		one.given = new std::logic_error(given);
		one.path = new std::filesystem::filesystem_error(path);
		one.stream = new std::ostringstream();
		one.stream->imbue(locale);
		locale = std::locale(locale,
				     new std::numpunct<char>()); // another, with the same facet
	}
}

int main()
{
	pthread_t threads[2];

	make(std::string(30, 'a'));
	pthread_create(&threads[0], nullptr, first, nullptr);
	pthread_create(&threads[1], nullptr, second, nullptr);
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	std::printf("%s %s %d %d\n", holders[0].seen, holders[1].seen, loose, ended);
	return 0;
}
