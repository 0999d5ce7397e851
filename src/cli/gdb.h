/* gdb on a process whose threads a replay holds where the witness wants them. */
#ifndef CLI_GDB_H
#define CLI_GDB_H

#include "event/control.h"

#include <stdbool.h>
#include <sys/types.h>

struct gdb {
	const char *id; /* of the finding */
	pid_t pid;	/* gdb's; 0: not started */
	char script[64];
	bool failed; /* it could not be started, or did not attach */
};

/*
 * For session_options.on_held, with a struct gdb as context: starts gdb on the process, on our
 * terminal, and returns when it has all threads. The threads may be let go then: they stand still
 * until gdb continues them.
 */
void gdb_attach(void *gdb, int pid, const struct control *control);

/* Waits until the user has left gdb. */
void gdb_wait(struct gdb *gdb);

#endif
