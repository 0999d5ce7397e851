// Data of every sort, all of which a run must find as if it were the first: initialised, zero, on the
// heap before main and in it, in the environment; files and descriptors.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int initialised[3000] = { 1, 2, 3 };
static int zero[100000];
static char *early, *late;
static int runs;

__attribute__((constructor)) static void before_main(void)
{
	early = malloc(100);
	strcpy(early, "early");
	runs = 1;
}

static void on_signal(int number)
{
	(void)number;
}

static void *work(void *argument)
{
	long me = (long)argument;

	initialised[me * 1000] += 10;
	zero[me * 50000]++;
	late = malloc(1000);
	late[0] = (char)me;
	early[0] = 'E';
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];
	struct sigaction action;

	assert(argc == 1 && argv[0][0] != '!');
	assert(runs == 1 && initialised[0] == 1 && !strcmp(early, "early") && !late);
	assert(!getenv("SOOTH_TEST_SET") && sigaction(SIGUSR1, NULL, &action) == 0);
	assert(action.sa_handler == SIG_DFL);
	int fd = open("/dev/null", O_RDONLY), other = dup(0);
	assert(fd >= 0 && fd < 20 && other == fd + 1);
	for (int i = 0; i < 100000; i++)
		assert(zero[i] == 0);
	runs++;
	argv[0][0] = '!';
	setenv("SOOTH_TEST_SET", "1", 1);
	signal(SIGUSR1, on_signal);
	close(0);
	for (long i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	late = realloc(late, 5000);
	assert(chdir("/") == 0);
	return 0;
}
