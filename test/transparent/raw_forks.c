/* Children that are made by system calls, past the C library: their parent's trace stays their parent's. */
#include "say.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *unused)
{
	say_work(20000);
	return unused;
}

/* More than a buffer holds, in a thread, too. */
static void await(long child, int status)
{
	int how = 0;

	if (child == 0) {
		say_work(100000);
		say_in_thread(work, NULL);
		syscall(SYS_exit_group, status);
	}
	waitpid((pid_t)child, &how, 0);
	SAY(WEXITSTATUS(how));
	say_work(100000);
}

int main(void)
{
	struct clone_args how = { .exit_signal = SIGCHLD };

	say_work(1000);
	await(syscall(SYS_fork), 3);
	await(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0), 4);
	await(syscall(SYS_clone3, &how, sizeof(how)), 5);
	SAY_ERRNO(syscall(SYS_clone3, 8l, sizeof(how)));
	say_in_thread(work, NULL);
	return 0;
}
