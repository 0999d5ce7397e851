// A descriptor is closed while another thread may still write to it: then it writes into whatever was
// opened last. One that is joined first may not.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 1
// predict: misuse descriptor~10@CLOSE descriptor~10@WRITE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

enum { EARLY = 10, LATE = 11 };

static int wrote[2];

static void *use(void *unused)
{
	wrote[0] = (int)write(LATE, "x", 1);
	wrote[1] = (int)write(EARLY, "x", 1); // WRITE
	turn_done();
	return unused;
}

int main(void)
{
	pthread_t thread;
	int fd = open("/dev/null", O_WRONLY);

	dup2(fd, EARLY);
	dup2(fd, LATE);
	pthread_create(&thread, NULL, use, NULL);
	turn_wait(1);
	close(EARLY); // CLOSE
	pthread_join(thread, NULL);
	close(LATE);
	printf("%d %d\n", wrote[0], wrote[1]);
	return 0;
}
