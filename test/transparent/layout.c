// Where mappings grow upwards, the C library's blocks lie where other programs have nothing.
// serial: no
#include "say.h"

#include <stdlib.h>
#include <sys/personality.h>
#include <unistd.h>

static void *allocate(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		char *block = malloc(16 + (size_t)i * 100);
		block[0] = 1;
		free(realloc(block, 200000));
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	if (argc == 1) {
		personality(ADDR_COMPAT_LAYOUT);
		execl("/proc/self/exe", argv[0], "again", (char *)NULL);
		return 1;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, allocate, NULL);
	for (int i = 0; i < 2; i++)
		SAY(pthread_join(threads[i], NULL));
	return 0;
}
