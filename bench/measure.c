/*
 * measure RESULT OUTPUT SECONDS PROGRAM ARGUMENT...
 *
 * Runs a program and writes one line to RESULT: exit status, CPU time (user and system, of the
 * process and all children it waited for, in seconds), elapsed time, and peak memory (KiB).
 * Standard output of the program goes to OUTPUT. The program is killed after SECONDS. This is a
 * program of its own because the peak memory of a process includes the memory of its parent at the
 * fork, and this parent is small.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile pid_t child;

static void stop(int signal)
{
	(void)signal;
	kill(-child, SIGKILL);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static _Noreturn void start(const char *output, char **command)
{
	int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	setpgid(0, 0);
	if (out < 0 || dup2(out, 1) < 0)
		_exit(126);
	close(out);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;

	if (argc < 5)
		return 2;
	double from = now();
	child = fork();
	if (child == 0)
		start(argv[2], argv + 4);
	if (child < 0)
		return 2;
	setpgid(child, child);
	signal(SIGALRM, stop);
	alarm((unsigned)atoi(argv[3]));
	while (wait4(child, &status, 0, &usage) != child)
		;
	double elapsed = now() - from;
	FILE *result = fopen(argv[1], "w");
	if (!result)
		return 2;
	fprintf(result, "%d %.4f %.4f %ld\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
		seconds(usage.ru_utime) + seconds(usage.ru_stime), elapsed, usage.ru_maxrss);
	return fclose(result) ? 2 : 0;
}
