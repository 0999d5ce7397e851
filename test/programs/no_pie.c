// A program at a fixed address, with large arrays.
// build: -pthread -no-pie -fno-pie
// stdout: 1000000 3
// text: ^T1\|w\(.*\)=1000000\|
#include <pthread.h>
#include <stdio.h>

static int large[1 << 20];
static const char *const words[] = { "one", "two", "three" };

static void *run(void *unused)
{
	large[(1 << 20) - 1] = 1000000;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	printf("%d %zu\n", large[(1 << 20) - 1], sizeof(words) / sizeof(words[0]));
	return 0;
}
