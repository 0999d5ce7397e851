/*
 * laden LIBRARY: all that makes the runtime call the system, with steps counted in cells that a judge
 * looks at: buffers that fill, threads that come and go and one that the C library makes, a signal handler,
 * a library that is loaded and unloaded, a child that closes our descriptors and fails to become another
 * program, a variable whose races nobody wants to hear of, and the end. It prints what it has computed.
 */
#include "progress.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS 4000

static uint64_t cells[PROGRESS_THREADS];
static struct progress *progress;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t loaded; /* the library is there, and the child was */
static volatile unsigned long shared, handled;
static int (*add)(int);
static void *library;
static sem_t rung;
static int benign;

/* The runtime's. */
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *address, size_t size,
			     const char *what);

static void on_signal(int number)
{
	(void)number;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

static void *helper(void *argument)
{
	pthread_mutex_lock(&lock);
	shared += *(unsigned long *)argument;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void make_helper(void)
{
	pthread_t thread;
	unsigned long one = 1;

	if (pthread_create(&thread, NULL, helper, &one) || pthread_join(thread, NULL))
		printf("no thread\n");
}

static void steps(int me, uint64_t from, uint64_t to)
{
	for (uint64_t number = from; number < to; number++) {
		cells[me] = number;
		progress_reached(progress, me, number);
		if (number % 16 == 0) {
			char *block = malloc(100);
			pthread_mutex_lock(&lock);
			block[3] = 1;
			shared += (unsigned long)block[3];
			pthread_mutex_unlock(&lock);
			free(block);
		}
		if (number % 1000 == 0) {
			raise(SIGUSR1);
			make_helper();
		}
	}
}

static void *work(void *argument)
{
	int me = (int)(long)argument;

	errno = 77;
	steps(me, 1, STEPS / 2);
	if (me == 0)
		pthread_barrier_wait(&loaded);
	for (int i = 0; me == 0 && i < 100; i++)
		add(1);
	steps(me, STEPS / 2, STEPS);
	if (errno != 77)
		printf("errno %d\n", errno);
	return NULL;
}

static int child(void)
{
	for (int fd = 3; fd < 1000; fd++) /* as who starts a program does; inject.c's are above */
		close(fd);
	make_helper();
	execl("/no/such/program", "program", (char *)NULL);
	make_helper();
	printf("child %lu, exec %d\n", shared > 0, errno);
	fflush(stdout);
	_exit(7);
}

static void load(const char *name)
{
	library = dlopen(name, RTLD_NOW);
	if (library)
		*(void **)&add = dlsym(library, "tally_add");
	else
		printf("%s\n", dlerror());
}

static void ring(union sigval unused)
{
	(void)unused;
	shared++;
	sem_post(&rung);
}

/* The C library makes a thread for it, and one more that makes that. */
static void set_timer(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring };
	struct itimerspec once = { .it_value = { .tv_nsec = 1000 } };
	timer_t timer;

	sem_init(&rung, 0, 0);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &once, NULL)) {
		printf("no timer\n");
		return;
	}
	while (sem_wait(&rung))
		;
	timer_delete(timer);
}

int main(int argc, char **argv)
{
	pthread_t threads[PROGRESS_THREADS];
	int status = 0;

	progress = progress_open(cells);
	if (!progress || argc < 2)
		return 1;
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	signal(SIGUSR1, on_signal);
	AnnotateBenignRaceSized(__FILE__, __LINE__, &benign, sizeof(benign), "");
	pthread_barrier_init(&loaded, NULL, 2);
	for (long i = 0; i < PROGRESS_THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 2;
	load(argv[1]);
	pthread_mutex_lock(&lock); /* or the child might find it taken for ever */
	pid_t pid = fork();
	pthread_mutex_unlock(&lock);
	if (pid == 0)
		child();
	waitpid(pid, &status, 0);
	pthread_barrier_wait(&loaded);
	for (int i = 0; i < PROGRESS_THREADS; i++)
		pthread_join(threads[i], NULL);
	int next = dup(0); /* nobody is at its end now, and may have a file open */
	set_timer();
	if (library && dlclose(library))
		printf("%s\n", dlerror());
	make_helper();
	printf("shared %lu, handled %lu, child %d, next file %d\n", shared, handled,
	       WEXITSTATUS(status), next);
	return 3;
}
