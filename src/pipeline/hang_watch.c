/* Finds out from /proc whether all threads of a program sleep forever. */
#include "pipeline/hang_watch.h"

#include "base/hash.h"
#include "base/map.h"
#include "pipeline/end_request.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 100  /* milliseconds between two looks at /proc */
#define HUNG_MS 1000 /* milliseconds without any change */

/* ---- one thread ------------------------------------------------------------------------------ */

enum sleep {
	SLEEP_NOT, /* the thread runs, can continue by itself, or may not be inspected */
	SLEEP_FUTEX,
	SLEEP_CHILD,  /* waits for the end of a child, which may hang as well */
	SLEEP_SIGNAL, /* waits until a signal is handled */
	SLEEP_PIPE,   /* waits for bytes in a pipe, or for the end of its last writer */
};

struct hang_watch_sleeper {
	pid_t pid;
	int fd; /* SLEEP_PIPE: the descriptor that it reads */
};

static bool read_file(const char *path, char *text, size_t room)
{
	FILE *file = fopen(path, "re");
	size_t n = file ? fread(text, 1, room - 1, file) : 0;

	text[n] = 0;
	if (file)
		fclose(file);
	return n > 0;
}

/* Returns the inode of the pipe to which /proc/PID/fd/N links; 0: it is not a pipe. */
static uint64_t pipe_of_link(const char *link)
{
	char name[64];
	ssize_t length = readlink(link, name, sizeof name - 1);
	uint64_t pipe = 0;

	name[length > 0 ? length : 0] = 0;
	return sscanf(name, "pipe:[%" SCNu64 "]", &pipe) == 1 ? pipe : 0;
}

static uint64_t pipe_of_sleeper(const struct hang_watch_sleeper *sleeper)
{
	char link[64];

	snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)sleeper->pid, sleeper->fd);
	return pipe_of_link(link);
}

/*
 * Reads how a thread sleeps. TASK/syscall has the number and the arguments of its system call, or
 * "running".
 */
static enum sleep read_sleep(const char *task, struct hang_watch_sleeper *sleeper)
{
	char path[352], text[512];
	uint64_t argument[4];
	long number;

	snprintf(path, sizeof path, "%s/syscall", task);
	if (!read_file(path, text, sizeof text) ||
	    sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &number, &argument[0],
		   &argument[1], &argument[2], &argument[3]) != 5)
		return SLEEP_NOT;
	if (number == SYS_wait4 || number == SYS_waitid)
		return SLEEP_CHILD;
	if (number == SYS_pause || number == SYS_rt_sigsuspend)
		return SLEEP_SIGNAL;
	if (number == SYS_read) {
		sleeper->fd = (int)argument[0];
		return pipe_of_sleeper(sleeper) ? SLEEP_PIPE : SLEEP_NOT;
	}
	if (number != SYS_futex || argument[3])
		return SLEEP_NOT;
	switch (argument[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI: return SLEEP_FUTEX;
	}
	return SLEEP_NOT;
}

/* Returns the thread's number of context switches, which changes whenever the thread runs. */
static uint64_t read_switches(const char *task)
{
	char path[352], text[4096];
	const char *at;
	uint64_t all = 0;

	snprintf(path, sizeof path, "%s/status", task);
	if (!read_file(path, text, sizeof text))
		return 0;
	for (at = text; (at = strstr(at, "ctxt_switches:")); at += 14)
		all += strtoull(at + 14, NULL, 10);
	return all;
}

/*
 * Does the process handle signals? Then a signal, from a timer, a child that ended or another
 * process, can wake it. Two kinds are not counted: the two signals that the C library uses, and
 * faults. The runtime handles faults in a controlled run, but only a running thread can cause one.
 */
static bool handles_signals(pid_t pid)
{
	static const int others[] = { SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, 32, 33 };
	uint64_t mask = ~0ull;
	char path[64], text[4096];
	const char *caught;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if (!read_file(path, text, sizeof text) || !(caught = strstr(text, "SigCgt:")))
		return true;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		mask &= ~(1ull << (others[i] - 1));
	return strtoull(caught + 7, NULL, 16) & mask;
}

/*
 * Has the thread ended? Main stays in the list after it has ended, until all other threads have
 * ended as well.
 */
static bool is_over(const char *task)
{
	char path[352], text[512];
	const char *state;

	snprintf(path, sizeof path, "%s/stat", task);
	if (!read_file(path, text, sizeof text) || !(state = strrchr(text, ')')))
		return false;
	return state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X');
}

/* ---- the program's processes ----------------------------------------------------------------- */

struct hang_watch_look {
	bool asleep;	  /* all threads of all processes sleep */
	uint64_t hash;	  /* of all threads and their numbers of context switches */
	uint64_t ends_at; /* SIGTERM came: when the program is killed */
	VEC(pid_t) processes;
	VEC(pid_t) stuck;			/* processes in which no thread waits for a child */
	VEC(struct hang_watch_sleeper) readers; /* threads that wait for bytes in a pipe */
};

static bool inspect_process(struct hang_watch_look *look, pid_t pid)
{
	struct hang_watch_sleeper sleeper = { .pid = pid };
	char path[64], task[320];
	bool stuck = true;
	unsigned count = 0;
	DIR *tasks;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return false;
	for (struct dirent *entry; look->asleep && (entry = readdir(tasks));) {
		enum sleep sleep;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(task, sizeof task, "%s/%s", path, entry->d_name);
		if (is_over(task))
			continue;
		sleep = read_sleep(task, &sleeper);
		look->asleep &= sleep != SLEEP_NOT;
		stuck &= sleep != SLEEP_CHILD;
		if (sleep == SLEEP_PIPE)
			*vec_push(&look->readers) = sleeper;
		look->hash = hash_mix(hash_mix(look->hash, strtoull(entry->d_name, NULL, 10)),
				      read_switches(task));
		count++;
	}
	closedir(tasks);
	if (stuck && count && look->asleep) {
		look->asleep = !handles_signals(pid);
		*vec_push(&look->stuck) = pid;
	}
	return true;
}

/*
 * Returns the parent of a process and its state. Reads "PID (NAME) STATE PARENT ..." from /proc;
 * the name may contain any character.
 */
static pid_t parent_of(pid_t pid, char *state)
{
	char path[64], text[512];
	const char *rest;
	int parent = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (!read_file(path, text, sizeof text) || !(rest = strrchr(text, ')')) ||
	    sscanf(rest + 1, " %c %d", state, &parent) != 2)
		return 0;
	return parent;
}

/* Appends `pid` and all its descendants to look->processes. */
static void find_processes(struct hang_watch_look *look, pid_t pid)
{
	DIR *all = opendir("/proc");
	struct map parents = { 0 };
	VEC(pid_t) seen = { 0 };
	char state;

	*vec_push(&look->processes) = pid;
	for (struct dirent *entry; all && (entry = readdir(all));) {
		pid_t one = (pid_t)atoi(entry->d_name);
		pid_t parent = one > 0 && one != pid ? parent_of(one, &state) : 0;

		if (parent && state != 'Z') {
			*map_put(&parents, (uint64_t)one, NULL) = (uint64_t)parent;
			*vec_push(&seen) = one;
		}
	}
	if (all)
		closedir(all);
	/* This loop appends children of listed processes, and so reaches all descendants. */
	for (size_t i = 0; i < look->processes.count; i++) {
		for (size_t k = 0; k < seen.count; k++) {
			if (*map_get(&parents, (uint64_t)seen.items[k]) ==
			    (uint64_t)look->processes.items[i])
				*vec_push(&look->processes) = seen.items[k];
		}
	}
	vec_free(&seen);
	map_free(&parents);
}

static void inspect_all(struct hang_watch_look *look, pid_t pid)
{
	look->asleep = true;
	look->hash = 0;
	look->processes.count = look->stuck.count = look->readers.count = 0;
	/* Usually the first process is enough, because one of its threads runs. */
	inspect_process(look, pid);
	if (!look->asleep)
		return;
	look->stuck.count = look->readers.count = 0;
	look->hash = 0;
	find_processes(look, pid);
	for (size_t i = 0; i < look->processes.count; i++)
		inspect_process(look, look->processes.items[i]);
	look->asleep &= look->stuck.count > 0;
}

/* ---- other processes that could write to a pipe ---------------------------------------------- */

static bool is_among(const struct hang_watch_look *look, pid_t pid)
{
	for (size_t i = 0; i < look->processes.count; i++)
		if (look->processes.items[i] == pid)
			return true;
	return false;
}

static bool has_reader(const struct hang_watch_look *look, uint64_t pipe)
{
	for (size_t i = 0; i < look->readers.count; i++)
		if (pipe && pipe_of_sleeper(&look->readers.items[i]) == pipe)
			return true;
	return false;
}

/* Does the process have a pipe open for which a thread waits? False if it may not be inspected. */
static bool has_awaited_pipe(const struct hang_watch_look *look, const char *process)
{
	char path[288], link[576];
	bool found = false;
	DIR *all;

	snprintf(path, sizeof path, "/proc/%s/fd", process);
	all = opendir(path);
	for (struct dirent *entry; all && !found && (entry = readdir(all));) {
		snprintf(link, sizeof link, "%s/%s", path, entry->d_name);
		found = has_reader(look, pipe_of_link(link));
	}
	if (all)
		closedir(all);
	return found;
}

/*
 * Could another process write to such a pipe? Looks at all processes of the system, including this
 * one, so it is called only after a long sleep.
 */
static bool others_may_write(const struct hang_watch_look *look)
{
	bool may = false;
	DIR *all = look->readers.count ? opendir("/proc") : NULL;

	for (struct dirent *entry; all && !may && (entry = readdir(all));) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		may = pid > 0 && !is_among(look, pid) && has_awaited_pipe(look, entry->d_name);
	}
	if (all)
		closedir(all);
	return may;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Has the child ended? Waits for that up to LOOK_MS. */
static bool has_ended(pid_t pid, int fd, int *status)
{
	struct pollfd end = { .fd = fd, .events = POLLIN };

	/* Without a pidfd (an old kernel), poll() only waits, and for a shorter time. */
	if (poll(&end, fd >= 0, fd >= 0 ? LOOK_MS : LOOK_MS / 10) < 0 && errno != EINTR)
		return false;
	return waitpid(pid, status, WNOHANG) == pid;
}

static void kill_stuck(const struct hang_watch_look *look, struct hang_watch_result *result)
{
	for (size_t i = 0; i < look->stuck.count; i++) {
		*vec_push(&result->hung) = look->stuck.items[i];
		kill(look->stuck.items[i], SIGKILL);
	}
}

/* ---- signals that end the program ------------------------------------------------------------ */

static volatile sig_atomic_t interrupts; /* number of SIGINT that came */
static volatile sig_atomic_t sent_to_us; /* a process sent one, not the terminal */

static void count_interrupt(int signal, siginfo_t *info, void *unused)
{
	(void)signal, (void)unused;
	interrupts++;
	if (info->si_code == SI_USER)
		sent_to_us = 1;
}

static void kill_all(struct hang_watch_look *look, pid_t pid)
{
	look->processes.count = 0;
	find_processes(look, pid);
	for (size_t i = 0; i < look->processes.count; i++)
		kill(look->processes.items[i], SIGKILL);
}

static void pass_interrupts(pid_t pid, struct hang_watch_look *look,
			    struct hang_watch_result *result)
{
	if (!interrupts)
		return;
	result->interrupted = true;
	if (sent_to_us) {
		sent_to_us = 0;
		kill(pid, SIGINT);
	}
	if (interrupts < 2)
		return;
	kill_all(look, pid);
	interrupts = 1;
}

#define TERMINATION_MS 5000 /* the program has this long to end by itself */

/* SIGTERM ends the program, which gets the same signal first. */
static void pass_termination(pid_t pid, struct hang_watch_look *look,
			     struct hang_watch_result *result)
{
	if (!end_request_came())
		return;
	if (!result->interrupted)
		kill(pid, SIGTERM);
	result->interrupted = true;
	if (!look->ends_at)
		look->ends_at = now_ms() + TERMINATION_MS;
	else if (now_ms() >= look->ends_at)
		kill_all(look, pid);
}

void hang_watch_program(pid_t pid, const struct hang_watch_options *options,
			struct hang_watch_result *result)
{
	struct sigaction count = { .sa_sigaction = count_interrupt, .sa_flags = SA_SIGINFO }, old;
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct hang_watch_look look = { 0 };
	uint64_t hash = 0, since = 0; /* when all threads were first seen asleep with `hash` */

	interrupts = sent_to_us = 0;
	if (options->interruptible)
		sigaction(SIGINT, &count, &old);
	while (!has_ended(pid, fd, &result->status)) {
		pass_interrupts(pid, &look, result);
		pass_termination(pid, &look, result);
		if (options->look)
			options->look(options->context);
		look.asleep = false;
		if (!options->may_hang)
			inspect_all(&look, pid);
		if (!look.asleep) {
			since = 0;
		} else if (!since || look.hash != hash) {
			since = now_ms();
			hash = look.hash;
		} else if (now_ms() - since >= HUNG_MS) {
			if (!others_may_write(&look))
				kill_stuck(&look, result);
			since = 0;
		}
	}
	result->interrupted |= interrupts > 0;
	if (options->interruptible)
		sigaction(SIGINT, &old, NULL);
	if (options->look)
		options->look(options->context);
	vec_free(&look.processes);
	vec_free(&look.stuck);
	vec_free(&look.readers);
	if (fd >= 0)
		close(fd);
}
