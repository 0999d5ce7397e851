/* Starts gdb on a process whose threads were stopped by a replay. */
#ifndef CLI_GDB_H
#define CLI_GDB_H

#include "event/control.h"

#include <stdbool.h>
#include <sys/types.h>

struct gdb {
	const char *id; /* id of the finding */
	pid_t pid;	/* process id of gdb; 0: not started */
	char script[64];
	bool failed; /* gdb could not be started, or did not attach */
};

/*
 * Starts gdb on the process, on our terminal. Returns when gdb has stopped all threads. The replay
 * may then let the threads continue: they stay stopped until the user continues them in gdb. Fits
 * rerun_options.on_held, with a struct gdb as context.
 */
void gdb_attach(void *gdb, int pid, const struct control *control);

/* Waits until the user has left gdb. */
void gdb_wait(struct gdb *gdb);

#endif
