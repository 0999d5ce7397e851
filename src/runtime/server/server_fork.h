/*
 * What server.c and server_fork.c know of each other. Nobody else includes this.
 */
#ifndef RUNTIME_SERVER_SERVER_FORK_H
#define RUNTIME_SERVER_SERVER_FORK_H

#include "event/control.h"

#include <sched.h>

/* ---- server.c ---- */

extern uint32_t server_own_command; /* in a process that has one run to do: the run's; else 0 */

long server_futex(uint32_t *word, int operation, uint32_t value);

/* Until there is a command that is not done: returns it. Ends the process if there is to be none. */
uint32_t server_await_command(void);

/* Tells the tool that the run is over. */
void server_report(uint32_t command, int status);

/* For threads of the kernel, in the process of a run: the processor that all of them stay on. */
void server_choose_processor(void);

/* ---- server_fork.c ---- */

/* Forks for each run, and never ends. Returns in each child, when there is a command for it. */
void server_fork_for_each(const struct control *control, const cpu_set_t *processors);

/* In a child whose run is over, and said to be: the next may wait for its command. */
void server_fork_done(uint32_t command, uint32_t threads);

#endif
