// A pipe that the C library writes to, or a child has, keeps its order by a SYNC: what was written
// before is not seen as racing, whoever put the bytes in.
// build: -pthread
// stdout: 2 2
// traces: 2
// text: ^T1\|sync\|.*predict_channel_unseen
// notext: ^T1\|receive
// predict: silent
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int files[2], forked[2], back[2], by_file, by_child;

static void *receive(void *unused)
{
	char byte;

	if (read(files[0], &byte, 1) == 1)
		by_file++;
	if (read(forked[0], &byte, 1) == 1)
		by_child++;
	return unused;
}

int main(void)
{
	pthread_t thread;
	char byte;

	if (pipe(files) || pipe(forked) || pipe(back))
		return 1;
	FILE *file = fdopen(files[1], "w");
	pid_t child = fork();
	if (child == 0) { // hands the byte on
		if (read(back[0], &byte, 1) != 1 || write(forked[1], &byte, 1) != 1)
			_exit(1);
		_exit(0);
	}
	pthread_create(&thread, NULL, receive, NULL);
	by_file = 1;
	fputc('x', file);
	fflush(file);
	by_child = 1;
	if (write(back[1], "x", 1) != 1)
		return 1;
	pthread_join(thread, NULL);
	waitpid(child, NULL, 0);
	fclose(file);
	printf("%d %d\n", by_file, by_child);
	return 0;
}
