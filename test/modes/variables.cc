// Thread-local variables with and without destructors, keys whose destructors set them again, errno,
// static locals, objects that live before and after main.
#include <atomic>
#include <cassert>
#include <cerrno>
#include <pthread.h>
#include <thread>

static std::atomic<int> destroyed, keys_destroyed;

struct counted {
	int value = 7;
	~counted()
	{
		destroyed++;
	}
};

struct whole_program {
	int value;
	whole_program()
	{
		value = 42;
	}
	~whole_program()
	{
		assert(value == 43 && destroyed == 2 && keys_destroyed == 4);
	}
};
static whole_program everything;

static thread_local counted local;
static __thread int plain = 5;
static pthread_key_t key;

static void again(void *value)
{
	keys_destroyed++;
	if (value == (void *)1)
		pthread_setspecific(key, (void *)2);
}

static int *once()
{
	static int made = 100 + destroyed;
	return &made;
}

static void work(int id)
{
	local.value += id;
	plain += id;
	errno = id;
	pthread_setspecific(key, (void *)1);
	int *made = once();
	*made = *made + 0;
	assert(local.value == 7 + id && plain == 5 + id && errno == id);
}

int main()
{
	assert(everything.value == 42);
	pthread_key_create(&key, again);
	errno = 77;
	std::thread first(work, 1), second(work, 2);
	first.join();
	second.join();
	assert(errno == 77 && plain == 5);
	everything.value = 43;
	return 0;
}
