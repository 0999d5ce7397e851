// A call that does nothing, as free(NULL), has no event, and does not give its place to the next one that does.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 7
// predict: misuse descriptor~10@CLOSE descriptor~10@WRITE
// predict: race text[]@PRINT text[0]@LOOK
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

enum { FD = 10 };

static void *volatile nothing;
static volatile int seven = 7;
static int wrote;
static char text[8], seen;

static void *use(void *unused)
{
	wrote = (int)write(FD, "x", 1); // WRITE
	seen = text[0];			// LOOK
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;
	int fd = open("/dev/null", O_WRONLY);

	dup2(fd, FD);
	pthread_create(&thread, NULL, use, NULL);
	turn_wait(1);
	free(nothing);
	close(FD); // CLOSE
	free(nothing);
	snprintf(text, sizeof text, "%d", seven); // PRINT
	pthread_join(thread, NULL);
	printf("%d %s\n", wrote + seen, text);
	return 0;
}
