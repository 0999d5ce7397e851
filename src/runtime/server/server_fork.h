/* The interface between server.c and server_fork.c. No other file includes this. */
#ifndef RUNTIME_SERVER_SERVER_FORK_H
#define RUNTIME_SERVER_SERVER_FORK_H

#include "event/control.h"

#include <sched.h>

/* ---- server.c -------------------------------------------------------------------------------- */

extern uint32_t server_own_command; /* in a process for a single run: its command; else 0 */

long server_futex(uint32_t *word, int operation, uint32_t value);

/* Waits for a command that is not done and returns it. Ends the process if no more will come. */
uint32_t server_await_command(void);

/* Tells the tool that the run has ended. */
void server_report(uint32_t command, int status);

/* For kernel threads, in the process of a run: chooses the processor for all of them. */
void server_choose_processor(void);

/* ---- server_fork.c --------------------------------------------------------------------------- */

/* Forks a child for each run, forever. Returns in each child when there is a command for it. */
void server_fork_for_each(const struct control *control, const cpu_set_t *processors);

/* Call in a child whose run has ended and was reported: the next child may wait for its command. */
void server_fork_done(uint32_t command, uint32_t threads);

#endif
