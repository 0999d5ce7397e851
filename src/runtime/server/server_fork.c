/*
 * Forks a process for each run.
 *
 * A fork takes 80 µs and ending a process 150, so both happen while other children run. Some
 * children are always ready, each for a command of its own. A child reports the end of its run to
 * the tool itself, before it ends. The server only reports for children that died.
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
#define LEARN_MOST                                                                                 \
	64u /* the pages that runs write are learned in runs 2, 4, 8 ... up to this one */
struct server_fork_queue {
	uint32_t next; /* a futex: only the child for this command may wait for the tool */
};
static struct server_fork_queue *queue; /* shared by all processes */

static void admit_command(uint32_t command)
{
	__atomic_store_n(&queue->next, command, __ATOMIC_RELEASE);
	server_futex(&queue->next, FUTEX_WAKE, INT_MAX);
}

static void wait_in_queue(void)
{
	uint32_t next;

	while ((next = __atomic_load_n(&queue->next, __ATOMIC_ACQUIRE)) != server_own_command)
		server_futex(&queue->next, FUTEX_WAIT, next);
	server_await_command();
}

void server_fork_done(uint32_t command, uint32_t threads)
{
	if (command > 1 && command <= LEARN_MOST && (command & (command - 1)) == 0)
		prefault_learn(threads);
	admit_command(command + 1);
}

static pid_t fork_child(uint32_t command)
{
	pid_t child = real()->_Fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		server_own_command = command;
		server_choose_processor();
		prefault_write_pages();
	} else if (child < 0) {
		server_refuse_all("the program cannot be forked");
	}
	return child;
}

/* A child has ended: forks another one. Returns true in the new child. */
static bool replace_child(uint32_t *commands, pid_t *pids, unsigned i, int status, uint32_t *last)
{
	if (commands[i] == queue->next) { /* the child died in its run without reporting */
		server_report(commands[i], status);
		admit_command(commands[i] + 1);
	}
	/* If the child was killed while it waited, the new child gets the same command. */
	bool killed_early = (int32_t)(commands[i] - queue->next) > 0;
	commands[i] = killed_early ? commands[i] : ++*last;
	pids[i] = fork_child(commands[i]);
	return pids[i] == 0;
}

void server_fork_for_each(const struct control *control, const cpu_set_t *processors)
{
	uint32_t commands[READY], last = control->done;
	pid_t pids[READY];

	queue = mmap(NULL, sizeof(*queue), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (queue == MAP_FAILED)
		server_refuse_all("no memory for the server");
	queue->next = last + 1;
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
				is_child = replace_child(commands, pids, i, status, &last);
		}
	}
	wait_in_queue();
}
