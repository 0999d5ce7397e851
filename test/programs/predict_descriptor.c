// A descriptor that is given again was closed before: what its number means is an order. What is
// written behind the close is not ordered by it.
// build: -pthread
// plain: lib/turn.c
// stdout: same 2 1
// text: ^T1\|fdclose\(([0-9]+)\)
// text: ^T2\|fdopen
// predict: race loose@CLOSER loose@OPENER
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static int first, second = -1, kept, loose;

static void *close_it(void *unused)
{
	kept = 1;
	close(first);
	loose = 1; // CLOSER
	turn_done();
	return unused;
}

static void *open_another(void *unused)
{
	turn_wait(1);
	int fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd != first) // somebody else may have it for a moment
		fd = open("/dev/null", O_RDONLY);
	kept++;	   // only here is it what the other had
	loose = 1; // OPENER
	second = fd;
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	first = open("/dev/null", O_RDONLY);
	pthread_create(&threads[0], NULL, close_it, NULL);
	pthread_create(&threads[1], NULL, open_another, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%s %d %d\n", first == second ? "same" : "other", kept, loose);
	return 0;
}
