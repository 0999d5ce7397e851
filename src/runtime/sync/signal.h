/* Functions on signal handlers for fork and the scheduler. */
#ifndef RUNTIME_SYNC_SIGNAL_H
#define RUNTIME_SYNC_SIGNAL_H

/* Called in the child of a fork. A handler that called fork has no stream to return to. */
void signal_after_fork(void);

/*
 * Returns the handler that the runtime installs in the kernel in place of a handler of the program.
 */
void (*signal_runtime_handler(void))(int);

#endif
