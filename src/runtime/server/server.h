/*
 * Many runs of one program, started once. The process waits at the point where main would begin for
 * commands of the tool (struct control). For each command it creates a process that runs main, in
 * the server's memory (shared_vm_child.h) or in a copy of it (fork). In persistent runs it calls
 * main itself. Memory that was not copied is restored afterwards.
 */
#ifndef RUNTIME_SERVER_SERVER_H
#define RUNTIME_SERVER_SERVER_H

#include "event/control.h"

#include <stdbool.h>

/*
 * Call at the start of a process that runs under control. A server, if the options ask for one,
 * begins when main is called.
 */
void server_start(struct control *control);

/*
 * The run has ended; `status` has the format of waitpid(). In persistent runs this does not return,
 * from whatever thread or signal handler it is called. Otherwise it returns, and the process ends.
 */
void server_end(int status);

/* The same for exit(status): call after the exit handlers. */
void server_exit(int status);

/* Is memory restored after each run (persistent runs, and runs in shared memory)? */
bool server_restores(void);

/*
 * Call when the program does something that cannot be undone after the run. Ends the run with
 * UNFIT: server_refuse() if runs are persistent, server_refuse_mapping() wherever memory is
 * restored.
 */
void server_refuse(const char *what);
void server_refuse_mapping(const char *what);

/* The program cannot be run as the options ask: tells the tool and ends the process. */
void server_refuse_all(const char *why) __attribute__((noreturn));

#endif
