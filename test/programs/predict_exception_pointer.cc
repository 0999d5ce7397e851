// An exception that several threads have is destroyed by the last one that lets go of it, behind what the others
// did with it: std::exception_ptr, thrown again or not, and futures. What they do besides is not ordered by it.
// build: -pthread
// plain: lib/turn.c
// stdout: 7 7 7 told 2
// predict: race loose@FIRST loose@SECOND
#include <cstdio>
#include <exception>
#include <future>
#include <pthread.h>
#include <stdexcept>

extern "C" void turn_wait(int number);
extern "C" void turn_done(void);

struct failure {
	int *code = new int(7);
	failure() = default;
	failure(const failure &other) : code(new int(*other.code))
	{
	}
	~failure()
	{
		*code = 0;
		delete code;
	}
};

static int seen[3], loose;
static const char *text;

static int look_again(std::exception_ptr thrown)
{
	try {
		std::rethrow_exception(std::move(thrown));
	} catch (const failure &f) {
		return *f.code;
	}
}

static void *first(void *given)
{
	std::exception_ptr *mine = static_cast<std::exception_ptr *>(given);

	seen[0] = look_again(*mine);
	delete mine;
	loose = 1; // FIRST
	turn_done();
	return nullptr;
}

static void *second(void *given)
{
	std::exception_ptr *mine = static_cast<std::exception_ptr *>(given);

	turn_wait(1);
	loose = 2; // SECOND
	seen[1] = look_again(*mine);
	delete mine; // the last
	return nullptr;
}

static std::exception_ptr make()
{
	try {
		throw failure();
	} catch (...) {
		return std::current_exception();
	}
}

// The result is kept by both ends: whichever is the last to let go destroys the exception.
static void ask()
{
	std::future<int> answer = std::async(std::launch::async, []() -> int { throw failure(); });
	std::promise<int> promise;
	std::future<int> other = promise.get_future();

	promise.set_exception(std::make_exception_ptr(std::runtime_error("told")));
	try {
		answer.get();
	} catch (const failure &f) {
		seen[2] = *f.code;
	}
	try {
		other.get();
	} catch (const std::exception &e) {
		text = e.what()[0] == 't' ? "told" : "";
	}
}

int main()
{
	pthread_t threads[2];
	std::exception_ptr thrown = make();

	pthread_create(&threads[0], nullptr, first, new std::exception_ptr(thrown));
	pthread_create(&threads[1], nullptr, second, new std::exception_ptr(std::move(thrown)));
	for (pthread_t thread : threads)
		pthread_join(thread, nullptr);
	ask();
	std::printf("%d %d %d %s %d\n", seen[0], seen[1], seen[2], text, loose);
	return 0;
}
