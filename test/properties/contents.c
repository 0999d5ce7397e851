// Events that are what they are because of what an argument, or a result, points at. They can come before
// `announce`; in the twin they can as well, but would see something else there, and that is no
// violation. Nobody but the property reads what is there.
// property: contents.prop
// violates: TextEarly serve@SERVE announce@ANNOUNCE
// violates: LevelEarly serve@LEVEL announce@ANNOUNCE
// violates: ResultEarly serve@FIND announce@ANNOUNCE
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef FIXED
static char name[8] = "nobody";
static int level = 1;
#else
static char name[8] = "alice";
static int level = 2;
#endif

__attribute__((noipa)) void announce(void) // ANNOUNCE
{
}

__attribute__((noipa)) void serve(const char *who) // SERVE
{
	asm volatile("" ::"r"(who));
}

__attribute__((noipa)) void serve_at(const int *where) // LEVEL
{
	asm volatile("" ::"r"(where));
}

__attribute__((noipa)) const char *find(void)
{
	return name; // FIND
}

static void *enter(void *unused)
{
	announce();
	pthread_mutex_lock(&lock);
#ifdef FIXED
	for (int i = 0; i < 6; i++)
		name[i] = "alice"[i];
	level = 2;
#endif
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *attend(void *unused)
{
	pthread_mutex_lock(&lock);
	serve(name);
	serve_at(&level);
	find();
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, enter, NULL);
	pthread_create(&threads[1], NULL, attend, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
