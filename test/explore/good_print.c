// Output, files and a lock of a stream: the streams' own locks are nobody's deadlock.
// explore: silent
// build: -pthread
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *print(void *name)
{
	flockfile(file);
	fprintf(file, "%s", (char *)name);
	fprintf(file, "%s\n", (char *)name);
	funlockfile(file);
	printf("%s\n", (char *)name);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	char text[3];

	file = tmpfile();
	assert(file);
	pthread_create(&threads[0], NULL, print, "a");
	pthread_create(&threads[1], NULL, print, "b");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	rewind(file);
	for (int i = 0; i < 2; i++) {
		assert(fscanf(file, "%2s", text) == 1);
		assert(text[0] == text[1]);
	}
	fclose(file);
	return 0;
}
