// A library opened while threads run; its code and its thread-local storage work.
// build: -pthread -ldl
// library: lib/tally.c
// run: ./libtally.so
// stdout: 40
// count: 20 \|acq\(.*tally\.c:12$
// count: 20 \|w\(.*tally\.c:13$
// text: \|w\(.*\)=40\|.*tally\.c:13$
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int (*add)(int);

static void *run(void *unused)
{
	for (int i = 0; i < 10; i++)
		add(2);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *library = dlopen(argc > 1 ? argv[1] : "./libtally.so", RTLD_NOW);

	if (!library)
		return fprintf(stderr, "%s\n", dlerror()), 1;
	*(void **)&add = dlsym(library, "tally_add");
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", *(int *)dlsym(library, "tally_total"));
	return 0;
}
