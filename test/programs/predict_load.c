// The loader orders what a library does when it is loaded before whoever opens it too, and what is done with it
// before its destructors, which the last one runs that closes it. Closing it orders nothing else. (It is searched for where the
// program says that its libraries are.)
// build: -pthread -ldl -Wl,-rpath,$ORIGIN
// plain: lib/turn.c
// library: lib/lodger.c
// run: liblodger.so
// stdout: 3 3 2
// predict: race loose@FIRST loose@SECOND
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static const char *file;
static int loose;

static void *lodge(int *rooms)
{
	void *library = dlopen(file, RTLD_NOW);
	int (*count)(void) = library ? (int (*)(void))dlsym(library, "lodger_rooms") : NULL;

	*rooms = count ? count() : -1;
	return library;
}

static void *first(void *rooms)
{
	void *library = lodge(rooms);

	turn_done();
	turn_wait(2);
	loose = 1; // FIRST
	dlclose(library);
	turn_done();
	return NULL;
}

static void *second(void *rooms)
{
	turn_wait(1);
	void *library = lodge(rooms);

	turn_done();
	turn_wait(3);
	loose = 2; // SECOND
	dlclose(library);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int rooms[2];

	file = argc > 1 ? argv[1] : "liblodger.so";
	pthread_create(&threads[0], NULL, first, &rooms[0]);
	pthread_create(&threads[1], NULL, second, &rooms[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d %d\n", rooms[0], rooms[1], loose);
	return 0;
}
