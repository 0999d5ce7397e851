/*
 * Many runs of one process: it is started once, and where main would begin it waits for the tool's
 * command (struct control). For each it makes a process that runs main, in the server's memory (shared_vm_child.h)
 * or in a copy of it (fork); or, in persistent runs, main is called in this very process. Memory that
 * was not copied is restored afterwards.
 */
#ifndef RUNTIME_SERVER_SERVER_H
#define RUNTIME_SERVER_SERVER_H

#include "event/control.h"

#include <stdbool.h>

/* This process is controlled. What the options ask for is done when main is called. */
void server_start(struct control *control);

/*
 * The run is over; `status` is as of waitpid. Does not return where runs are persistent, from whatever
 * thread or signal handler it is called. Else it returns, and the process ends as it would have.
 */
void server_end(int status);

/* The same, at the end of exit(status): its handlers are done. */
void server_exit(int status);

/* Is memory restored after each run (persistent ones, and those it is lent to)? */
bool server_restores(void);

/*
 * The program asks for something that cannot be undone after the run: UNFIT, if runs are persistent,
 * or, for what changes mappings, wherever memory is restored.
 */
void server_refuse(const char *what);
void server_refuse_mapping(const char *what);

/* The program cannot be run as the options want: says so to the tool, and ends the process. */
void server_refuse_all(const char *why) __attribute__((noreturn));

#endif
