// What threads do to the variables of a library is told by their names, though the library is gone when the program
// ends; and the same library, opened again where it was, is another one.
// build: -pthread -ldl
// plain: lib/turn.c
// library: lib/shelf.c
// run: ./libshelf.so
// stdout: 3 10 1
// predict: race shelf_loose@FIRST shelf_loose@SECOND
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

void turn_wait(int number);
void turn_done(void);

static int *loose;
static int (*put)(int);

static void *open_shelf(const char *file)
{
	void *library = dlopen(file, RTLD_NOW);

	if (!library)
		return NULL;
	*(void **)&put = dlsym(library, "shelf_put");
	loose = dlsym(library, "shelf_loose");
	return library;
}

static void *first(void *unused)
{
	*loose = 1; // FIRST
	put(1);
	turn_done();
	return unused;
}

static void *second(void *sum)
{
	turn_wait(1);
	*(int *)sum = put(2);
	*loose = 2; // SECOND
	return sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int sum = 0;
	void *library = argc > 1 ? open_shelf(argv[1]) : NULL;

	if (!library)
		return 1;
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, &sum);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	dlclose(library);
	library = open_shelf(argv[1]);
	printf("%d %d ", sum, put(9));
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_join(threads[0], NULL);
	printf("%d\n", *loose);
	dlclose(library);
	return 0;
}
