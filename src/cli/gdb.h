/* Starts gdb on a process whose threads a replay has stopped. */
#ifndef CLI_GDB_H
#define CLI_GDB_H

#include "event/control.h"

#include <stdbool.h>
#include <sys/types.h>

struct gdb {
	const char *id; /* of the finding */
	pid_t pid;	/* gdb's; 0: not started */
	char script[64];
	bool failed; /* gdb could not be started, or did not attach */
};

/*
 * For rerun_options.on_held, with a struct gdb as context: starts gdb on the process, on our
 * terminal, and returns when gdb has stopped all threads. The replay may release the threads then:
 * they stay stopped until the user continues them.
 */
void gdb_attach(void *gdb, int pid, const struct control *control);

/* Waits until the user has left gdb. */
void gdb_wait(struct gdb *gdb);

#endif
