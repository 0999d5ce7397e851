// What the C library writes for a thread is that thread's access: who finds it under the lock has waited
// for it, and without a lock it races. What it reads is, too.
// build: -pthread
// plain: lib/turn.c
// stdout: 63
// predict: race free_text[]@FILL free_text[0]@LOOK
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void turn_wait(int number);
void turn_done(void);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int one = 1, number, ends[2];
static int with_text, with_time, with_number, with_file, with_pipe, with_copy;
static char text[16], free_text[16], source[16];
static struct timespec now;
static struct stat file;

/* Each time: something is made ready, and what tells of it is written by the library, under the lock. */
static void *other(void *unused)
{
	snprintf(free_text, sizeof(free_text), "%d", one); // FILL
	with_text = 1;
	pthread_mutex_lock(&lock);
	snprintf(text, sizeof(text), "ready %d", one);
	pthread_mutex_unlock(&lock);
	with_time = 1;
	pthread_mutex_lock(&lock);
	clock_gettime(CLOCK_REALTIME, &now);
	pthread_mutex_unlock(&lock);
	with_number = 1;
	pthread_mutex_lock(&lock);
	sscanf("7 is more than 1", "%d", &number);
	pthread_mutex_unlock(&lock);
	with_file = 1;
	pthread_mutex_lock(&lock);
	stat("/", &file);
	pthread_mutex_unlock(&lock);
	with_pipe = 1;
	pthread_mutex_lock(&lock);
	if (pipe(ends))
		perror("pipe");
	pthread_mutex_unlock(&lock);
	with_copy = 1;
	pthread_mutex_lock(&lock);
	strcpy(source, "1");
	pthread_mutex_unlock(&lock);
	turn_done();
	return unused;
}

static int look(void)
{
	char copy[16];
	int has_text, has_time, has_number, has_file, has_pipe, has_copy, seen = 0;

	pthread_mutex_lock(&lock);
	has_text = text[0] == 'r';
	pthread_mutex_unlock(&lock);
	if (has_text)
		seen += with_text;
	pthread_mutex_lock(&lock);
	has_time = now.tv_sec != 0;
	pthread_mutex_unlock(&lock);
	if (has_time)
		seen += with_time << 1;
	pthread_mutex_lock(&lock);
	has_number = number == 7;
	pthread_mutex_unlock(&lock);
	if (has_number)
		seen += with_number << 2;
	pthread_mutex_lock(&lock);
	has_file = file.st_mode != 0;
	pthread_mutex_unlock(&lock);
	if (has_file)
		seen += with_file << 3;
	pthread_mutex_lock(&lock);
	has_pipe = ends[1] != 0;
	pthread_mutex_unlock(&lock);
	if (has_pipe)
		seen += with_pipe << 4;
	pthread_mutex_lock(&lock);
	snprintf(copy, sizeof(copy), "%s", source);
	has_copy = atoi(copy);
	pthread_mutex_unlock(&lock);
	if (has_copy)
		seen += with_copy << 5;
	return seen;
}

int main(void)
{
	pthread_t thread;
	int has_free, seen;

	pthread_create(&thread, NULL, other, NULL);
	turn_wait(1);
	has_free = free_text[0] != 0; // LOOK
	seen = look();
	pthread_join(thread, NULL);
	printf("%d\n", has_free ? seen : 0);
	return 0;
}
