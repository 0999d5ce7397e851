// What the kernel reads and writes for a thread is that thread's access: races with another's, and no
// races where a lock or a pipe orders them.
// build: -pthread
// stdout: 3
// predict: race input[]@READ input[0]@USE
// predict: race output[]@WRITE output[0]@CHANGE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char input[8], output[8], locked[8], through[8];
static int zero, null, pipe_ends[2];

static void *other(void *unused)
{
	input[0] = 1;  // USE
	output[0] = 1; // CHANGE
	pthread_mutex_lock(&lock);
	locked[0] = 1;
	pthread_mutex_unlock(&lock);
	through[0] = 3;
	if (write(pipe_ends[1], through, 1) != 1)
		perror("write");
	return unused;
}

int main(void)
{
	pthread_t thread;

	zero = open("/dev/zero", O_RDONLY);
	null = open("/dev/null", O_WRONLY);
	if (zero < 0 || null < 0 || pipe(pipe_ends))
		return 1;
	pthread_create(&thread, NULL, other, NULL);
	if (read(zero, input, sizeof(input)) != sizeof(input)) // READ
		return 1;
	if (write(null, output, sizeof(output)) != sizeof(output)) // WRITE
		return 1;
	pthread_mutex_lock(&lock);
	if (read(zero, locked, sizeof(locked)) != sizeof(locked))
		return 1;
	pthread_mutex_unlock(&lock);
	if (read(pipe_ends[0], through, 1) != 1)
		return 1;
	pthread_join(thread, NULL);
	printf("%d\n", through[0]);
	return 0;
}
