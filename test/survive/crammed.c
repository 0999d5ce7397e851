/*
 * crammed LIBRARY COPIES ROUNDS: what laden.c does not have, in numbers beyond what the runtime has room for at
 * first. Copies that fill two windows of a log beyond those that are written one by one, rounds of two threads that fill more than a piece of a
 * schedule, more locks than a table begins with, large blocks that are freed, a thread that sleeps in the kernel
 * without a word, and a library whose file is no program any more when it is looked at. Steps are counted in cells as there; it prints what it has computed.
 */
#include "progress.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

#define LOCKS 600
#define BLOCKS 40
#define BLOCK_BYTES (128 << 10)
#define COPY_BYTES 4096

static uint64_t cells[PROGRESS_THREADS];
static struct progress *progress;
static pthread_mutex_t locks[LOCKS];
static pthread_barrier_t round_barrier;
static int copies, rounds;
static unsigned long sum;

static void step(int me)
{
	cells[me]++;
	progress_reached(progress, me, cells[me]);
}

/* A child has nothing to do with what its parent has not written yet. */
static void fork_once(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void *copy(void *unused)
{
	static char from[COPY_BYTES], to[COPY_BYTES];

	for (int i = 0; i < copies; i++) {
		from[i % COPY_BYTES]++;
		memcpy(to, from, sizeof(to));
		step(0);
	}
	fork_once();
	sum += (unsigned long)to[0];
	return unused;
}

static void *meet(void *argument)
{
	for (int i = 0; i < rounds; i++) {
		pthread_barrier_wait(&round_barrier);
		step((int)(long)argument);
	}
	return NULL;
}

static void *lock_all(void *unused)
{
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (int i = 0; i < 2 * LOCKS; i++) {
		pthread_mutex_lock(&locks[i % LOCKS]);
		sum++;
		pthread_mutex_unlock(&locks[i % LOCKS]);
		step(3);
	}
	return unused;
}

static void use_blocks(void)
{
	char *blocks[BLOCKS];

	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = malloc(BLOCK_BYTES);
		memset(blocks[i], 1, BLOCK_BYTES);
	}
	for (int i = 0; i < BLOCKS; i++) {
		sum += (unsigned long)blocks[i][BLOCK_BYTES / 2];
		free(blocks[i]);
	}
}

struct line {
	FILE *in;
	sem_t about_to_read;
};

static void *read_line(void *argument)
{
	struct line *line = argument;

	sem_post(&line->about_to_read);
	sum += (unsigned long)getwc(line->in); /* nobody looks at wide characters */
	return NULL;
}

/* A file makes nobody wait, which the runtime has to look for. */
static void read_self(const char *name)
{
	char bytes[4] = "";
	FILE *in = fopen(name, "r");
	int fd = open(name, O_RDONLY);

	if (!in || fread(bytes, 1, sizeof(bytes), in) != sizeof(bytes) ||
	    read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		printf("cannot read\n");
	sum += (unsigned long)bytes[1];
	fclose(in);
	close(fd);
}

/* In turn the reader has the turn and sleeps with it. */
static void wait_unseen(void)
{
	struct line line;
	pthread_t reader;
	int fds[2];

	if (pipe(fds) || !(line.in = fdopen(fds[0], "r")))
		return;
	sem_init(&line.about_to_read, 0, 0);
	pthread_create(&reader, NULL, read_line, &line);
	while (sem_wait(&line.about_to_read))
		;
	if (write(fds[1], "a", 1) != 1)
		printf("nothing is written\n");
	pthread_join(reader, NULL);
	fclose(line.in);
	close(fds[1]);
}

/* A limit that nobody comes near: the runtime has to look how long its files are. */
static void limit_files(void)
{
	struct rlimit most = { 1 << 30, 1 << 30 };

	if (setrlimit(RLIMIT_FSIZE, &most))
		printf("no limit\n");
}

static void share_memory(void)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	char *at = id < 0 ? (void *)-1 : shmat(id, NULL, 0);

	if (at == (void *)-1)
		return;
	at[7]++;
	sum += (unsigned long)at[7];
	shmctl(id, IPC_RMID, NULL);
	shmdt(at);
}

static void start(pthread_t *thread, void *(*routine)(void *), long argument)
{
	if (pthread_create(thread, NULL, routine, (void *)argument))
		printf("no thread\n");
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	progress = progress_open(cells);
	if (!progress || argc < 4)
		return 1;
	limit_files();
	copies = atoi(argv[2]);
	rounds = atoi(argv[3]);
	pthread_barrier_init(&round_barrier, NULL, 2);
	start(&threads[0], copy, 0);
	pthread_join(threads[0], NULL);
	start(&threads[1], meet, 1);
	start(&threads[2], meet, 2);
	start(&threads[3], lock_all, 0);
	for (int i = 1; i < 4; i++)
		pthread_join(threads[i], NULL);
	use_blocks();
	share_memory();
	read_self(argv[0]);
	wait_unseen();
	int (*add)(int) = NULL;
	void *library = dlopen(argv[1], RTLD_NOW);
	if (library)
		*(void **)&add = dlsym(library, "tally_add");
	printf("sum %lu, library %d\n", sum, add ? add(0) : -1);
	return 4;
}
