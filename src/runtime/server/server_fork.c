/*
 * A process for each run, really forked.
 *
 * To fork takes 80 µs, to end a process 150: both is done while others run. Some children always
 * stand ready, each for a command of its own, and a child tells the tool itself that its run is
 * over, before it ends. The server only speaks for those that could not.
 */
#include "runtime/server/server_fork.h"

#include "runtime/sched/det_heap.h"
#include "runtime/host/libc_next.h"
#include "runtime/server/server.h"
#include "runtime/server/prefault.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define READY 2
#define LEARN_MOST 64u /* which pages are written is learned in runs 2, 4, 8 … up to this one */
struct server_fork_line {
	uint32_t next; /* a futex: the command whose child may wait for it */
};
static struct server_fork_line *line; /* shared by all */

static void call_next(uint32_t command)
{
	__atomic_store_n(&line->next, command, __ATOMIC_RELEASE);
	server_futex(&line->next, FUTEX_WAKE, INT_MAX);
}

static void stand_in_line(void)
{
	uint32_t next;

	while ((next = __atomic_load_n(&line->next, __ATOMIC_ACQUIRE)) != server_own_command)
		server_futex(&line->next, FUTEX_WAIT, next);
	server_await_command();
}

void server_fork_done(uint32_t command, uint32_t threads)
{
	if (command > 1 && command <= LEARN_MOST && (command & (command - 1)) == 0)
		prefault_learn(threads);
	call_next(command + 1);
}

static pid_t fork_child(uint32_t command)
{
	pid_t child = real()->_Fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		server_own_command = command;
		server_choose_processor();
		prefault_all();
	} else if (child < 0) {
		server_refuse_all("the program cannot be forked");
	}
	return child;
}

/* A child is gone; another takes its place. True in the new one. */
static bool replace(uint32_t *commands, pid_t *pids, unsigned i, int status, uint32_t *last)
{
	if (commands[i] == line->next) { /* it died in its run, without a word */
		server_report(commands[i], status);
		call_next(commands[i] + 1);
	}
	/* One that was killed while it waited is needed again. */
	bool again = (int32_t)(commands[i] - line->next) > 0;
	commands[i] = again ? commands[i] : ++*last;
	pids[i] = fork_child(commands[i]);
	return pids[i] == 0;
}

void server_fork_for_each(const struct control *control, const cpu_set_t *processors)
{
	uint32_t commands[READY], last = control->done;
	pid_t pids[READY];

	line = mmap(NULL, sizeof(*line), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (line == MAP_FAILED)
		server_refuse_all("no memory for the server");
	line->next = last + 1;
	det_heap_share_guards();
	prefault_start();
	sched_setaffinity(0, sizeof(*processors), processors);
	bool is_child = false;
	for (unsigned i = 0; i < READY && !is_child; i++) {
		commands[i] = ++last;
		is_child = (pids[i] = fork_child(last)) == 0;
	}
	while (!is_child) {
		int status;
		pid_t pid = real()->wait4(-1, &status, 0, NULL);
		if (__atomic_load_n(&control->command, __ATOMIC_ACQUIRE) == CONTROL_NONE)
			real()->_exit(0);
		for (unsigned i = 0; pid > 0 && i < READY && !is_child; i++) {
			if (pids[i] == pid)
				is_child = replace(commands, pids, i, status, &last);
		}
	}
	stand_in_line();
}
