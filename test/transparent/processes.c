// Children of each sort: what they are given, how they end, what their parent is told.
#include "say.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static volatile int stored;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void end_of(pid_t child)
{
	int status = -1;

	SAY(child > 0 && waitpid(child, &status, 0) == child);
	printf("exited %d %d, signalled %d %d\n", WIFEXITED(status),
	       WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status),
	       WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void crash(int number)
{
	(void)number;
	*(volatile int *)0 = 1;
}

static void *locked(void *unused)
{
	pthread_mutex_lock(&lock);
	stored++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void child_ends(int how)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	say_in_thread(locked, NULL);
	switch (how) {
	case 0: _exit(11);
	case 1: abort();
	case 2: quick_exit(12);
	case 3: kill(getpid(), SIGKILL); break;
	case 4: *(volatile int *)8 = 1; break;
	case 5: signal(SIGUSR1, crash), raise(SIGUSR1); break;
	case 6: syscall(SYS_exit_group, 13); break;
	case 7: execl("/bin/sh", "sh", "-c", "exit 14", NULL); break;
	case 8: execl("/no/such/program", "x", NULL), _exit(errno);
	case 9: pthread_exit(NULL);
	case 10: close(1), exit(15);
	case 11: __builtin_trap();
	case 12:
		execl("/bin/sh", "sh", "-c", "ls /proc/self/fd | wc -l; kill -TERM $$", NULL);
		break;
	}
}

/* A thread that nobody is told of: its own stack, the library knows nothing of it. */
static int bare(void *unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++)
		stored++;
	return 0;
}

static void bare_child(void)
{
	static char stack[1 << 16];

	stored = 0;
	end_of(clone(bare, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL));
	SAY(stored);
}

int main(void)
{
	int status;
	pid_t child;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i <= 12; i++) {
		printf("end %d\n", i);
		child = fork();
		if (child == 0) {
			child_ends(i);
			_exit(99);
		}
		end_of(child);
	}
	stored = 1;
	child = vfork();
	if (child == 0) {
		stored = 2;
		_exit(16);
	}
	end_of(child);
	SAY(stored);
	child = vfork();
	if (child == 0) {
		execl("/bin/true", "true", NULL);
		_exit(17);
	}
	end_of(child);
	char *arguments[] = { "sh", "-c", "exit 18", NULL };
	SAY(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ));
	end_of(child);
	SAY(posix_spawn(&child, "/no/such/program", NULL, NULL, arguments, environ));
	SAY(system("exit 19"));
	FILE *pipe = popen("echo from a pipe", "r");
	char line[64] = "";
	SAY(fgets(line, sizeof(line), pipe) != NULL);
	printf("%s", line);
	SAY(pclose(pipe));
	bare_child();
	SAY_ERRNO(waitpid(-1, &status, 0));
	SAY(open("/dev/null", O_RDONLY));
	return 0;
}
