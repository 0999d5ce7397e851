// What fibers, or persistent runs, cannot do; the argument says which.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int pipe_ends[2];
static volatile int shared;

static void on_signal(int number)
{
	(void)number;
}

static void *write_late(void *unused)
{
	(void)unused;
	shared = shared + 1;
	return (void *)(long)(write(pipe_ends[1], "x", 1) == 1);
}

static void wait_for_pipe(void)
{
	pthread_t thread;
	char byte;

	if (pipe(pipe_ends) != 0)
		exit(1);
	pthread_create(&thread, NULL, write_late, NULL);
	if (read(pipe_ends[0], &byte, 1) != 1)
		exit(1);
	pthread_join(thread, NULL);
}

static void *stay(void *unused)
{
	shared = shared + 1;
	return unused;
}

/* Maps memory by a system call in assembly, which the runtime does not see. */
static void map_unseen(void)
{
	long result = SYS_mmap;
	register long flags __asm__("r10") = MAP_PRIVATE | MAP_ANONYMOUS;
	register long fd __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;

	__asm__ volatile("syscall"
			 : "+a"(result)
			 : "D"(0), "S"(65536), "d"(PROT_READ), "r"(flags), "r"(fd), "r"(offset)
			 : "rcx", "r11", "memory");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_mutexattr_t kind;
	pthread_t thread;

	signal(SIGUSR1, on_signal);
	pthread_create(&thread, NULL, stay, NULL);
	if (!strcmp(what, "fork")) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	} else if (!strcmp(what, "kill")) {
		pthread_kill(thread, SIGUSR1);
	} else if (!strcmp(what, "robust")) {
		pthread_mutexattr_init(&kind);
		pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	} else if (!strcmp(what, "pipe")) {
		wait_for_pipe();
	} else if (!strcmp(what, "alarm")) {
		alarm(0);
	} else if (!strcmp(what, "limit")) {
		/* Each run finds what the first found. */
		struct rlimit limit;
		if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == 200)
			return 1;
		limit.rlim_cur = 200;
		setrlimit(RLIMIT_NOFILE, &limit);
	} else if (!strcmp(what, "remap")) {
		void *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mremap(map, 4096, 8192, MREMAP_MAYMOVE);
	} else if (!strcmp(what, "hidden")) {
		map_unseen();
	} else if (!strcmp(what, "library")) {
		if (!dlopen("libm.so.6", RTLD_NOW))
			return 1;
	} else if (!strcmp(what, "map")) {
		/* This is undone after a run. */
		char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);
		map[0] = 1;
		munmap(map, 4096);
	}
	pthread_join(thread, NULL);
	return 0;
}
