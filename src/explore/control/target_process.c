/*
 * Starts the program with fork and exec. Its signals, standard streams, environment and address
 * randomisation do not depend on the state of the tool.
 */
#include "explore/control/target_process.h"

#include "base/mem.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPTIONS "SOOTH_OPTIONS="

int target_process_input(off_t *at)
{
	struct stat status;
	off_t here = lseek(STDIN_FILENO, 0, SEEK_CUR);

	if (here < 0 || fstat(STDIN_FILENO, &status) || !S_ISREG(status.st_mode))
		return -1;
	*at = here;
	return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

/*
 * Makes the environment of the program. The tool's options follow the user's, because the last
 * value of a key counts.
 */
static char **make_environment(const char *options)
{
	VEC(char *) all = { 0 };
	const char *given = getenv("SOOTH_OPTIONS");

	for (char **one = environ; *one; one++) {
		if (strncmp(*one, OPTIONS, strlen(OPTIONS)) != 0)
			*vec_push(&all) = *one;
	}
	/*
	 * Bind symbols at the start, which happens once for all runs of a server. The runtime hides
	 * this variable from the program.
	 */
	*vec_push(&all) = "LD_BIND_NOW=1";
	*vec_push(&all) = mem_format(OPTIONS "%s%s%s", given ? given : "",
				     given && *given ? ":" : "", options);
	*vec_push(&all) = NULL;
	return all.items;
}

static void free_environment(char **all)
{
	size_t i = 0;

	while (all[i + 1])
		i++;
	free(all[i]);
	free(all);
}

/*
 * Opens standard input for one run. Opens the file anew, so that reading in one run does not move
 * the position in the next.
 */
static void set_input(const struct target_process *p)
{
	char path[48];
	int fd = -1;

	if (p->input >= 0) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", p->input);
		fd = open(path, O_RDONLY);
		if (fd >= 0)
			lseek(fd, p->input_at, SEEK_SET);
	}
	if (fd < 0)
		fd = open("/dev/null", O_RDONLY);
	if (fd > 0) {
		dup2(fd, STDIN_FILENO);
		close(fd);
	}
}

static void set_output(const struct target_process *p)
{
	int null = p->quiet ? open("/dev/null", O_WRONLY) : -1;

	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	} else if (p->output_to_stderr) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
	}
}

/*
 * Executes the program. Called in the child, so it must not allocate. Writes errno to `report` if
 * the program cannot be executed.
 */
static void __attribute__((noreturn))
exec_program(const struct target_process *p, char **environment, int report, pid_t parent)
{
	struct sigaction ordinary = { .sa_handler = SIG_DFL };
	int old = personality(0xffffffff), error;
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigaction(SIGINT, &ordinary, NULL);
	sigaction(SIGQUIT, &ordinary, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	set_input(p);
	set_output(p);
	/* Some containers forbid this. Then addresses differ between runs; nothing else changes. */
	if (old != -1)
		personality((unsigned long)old | ADDR_NO_RANDOMIZE);
	if (!p->directory || !chdir(p->directory))
		execvpe(p->words[0], p->words, environment);
	error = errno;
	if (write(report, &error, sizeof error) < 0)
		_exit(126);
	_exit(127);
}

bool target_process_start(const struct target_process *program, pid_t *pid, int *fd,
			  struct err *err)
{
	char **environment;
	pid_t parent = getpid();
	int report[2], error = 0;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC))
		return err_set_system(err, errno, "pipe");
	environment = make_environment(program->options);
	*pid = fork();
	if (*pid == 0)
		exec_program(program, environment, report[1], parent);
	close(report[1]);
	free_environment(environment);
	if (*pid < 0) {
		close(report[0]);
		return err_set_system(err, errno, "fork");
	}
	while ((n = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (n > 0) {
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			;
		return err_set_system(err, error, "%s", program->words[0]);
	}
	*fd = (int)syscall(SYS_pidfd_open, *pid, 0);
	return true;
}

bool target_process_ended(pid_t pid, int fd, int milliseconds, int *status)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };

	/* Without a descriptor, wait at most 2 ms; the caller calls again. */
	if (milliseconds && poll(&end, fd >= 0, fd >= 0 || milliseconds < 2 ? milliseconds : 2) < 0)
		return false;
	return waitpid(pid, status, WNOHANG) == pid;
}

void target_process_kill(pid_t pid, int *status)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}
