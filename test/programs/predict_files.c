// A thread that finds by a regular file that another thread has changed it comes after what that thread did before: by
// what the file contains, its size, its name. Threads that only write to a file, or only read it, are not ordered.
// build: -pthread
// plain: lib/turn.c
// stdout: 1 2 3 4 5 6 2 2
// predict: race writers@ONE writers@TWO
// predict: race readers@ONE_READS readers@TWO_READS
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

enum { ALL = 6 };
static int data[ALL], seen[ALL], file, writers, readers, unchanged, log_file;
static char directory[] = "/tmp/sooth-files-XXXXXX", names[4][64];
static FILE *buffered;

static bool is_changed(int which)
{
	struct stat st;
	char byte;

	switch (which) {
	case 0: return pread(file, &byte, 1, 0) == 1;
	case 1: return fstat(file, &st) == 0 && st.st_size >= 100;
	case 2: return lseek(file, 0, SEEK_END) == 101;
	case 3: return access(names[1], F_OK) == 0;
	case 4: return stat(names[3], &st) != 0;
	case 5: return stat(names[2], &st) == 0 && st.st_size == 3;
	}
	return false;
}

static void change(int which)
{
	bool done = true;

	switch (which) {
	case 0: done = pwrite(file, "x", 1, 0) == 1; break;
	case 1: done = ftruncate(file, 100) == 0; break;
	case 2: done = pwrite(file, "x", 1, 100) == 1; break;
	case 3: done = rename(names[0], names[1]) == 0; break;
	case 4: done = unlink(names[3]) == 0; break;
	case 5: fputc('x', buffered); fflush(buffered);
	}
	if (!done)
		perror("change");
}

static void write_and_read(void)
{
	char byte;

	(void)!write(log_file, "x", 1);
	(void)!pread(unchanged, &byte, 1, 0);
}

static void *look(void *unused)
{
	turn_wait(1);
	write_and_read();
	writers++; // TWO
	readers++; // TWO_READS
	for (int i = 0; i < ALL; i++) {
		while (!is_changed(i))
			sched_yield();
		seen[i] = data[i];
	}
	return unused;
}

static void open_all(void)
{
	if (!mkdtemp(directory))
		exit(1);
	for (int i = 0; i < 4; i++)
		snprintf(names[i], sizeof names[i], "%s/%d", directory, i);
	file = open(names[0], O_RDWR | O_CREAT, 0600);
	buffered = fopen(names[2], "a");
	log_file = open(names[2], O_WRONLY | O_APPEND);
	close(open(names[3], O_WRONLY | O_CREAT, 0600));
	unchanged = open("/proc/self/exe", O_RDONLY);
}

int main(void)
{
	pthread_t thread;

	open_all();
	pthread_create(&thread, NULL, look, NULL);
	writers++; // ONE
	readers++; // ONE_READS
	write_and_read();
	turn_done();
	for (int i = 0; i < ALL; i++) {
		data[i] = i + 1;
		change(i);
	}
	pthread_join(thread, NULL);
	unlink(names[1]);
	unlink(names[2]);
	rmdir(directory);
	for (int i = 0; i < ALL; i++)
		printf("%d ", seen[i]);
	printf("%d %d\n", writers, readers);
	return 0;
}
