/* Signal handlers: what fork and the scheduler need to know of them. */
#ifndef RUNTIME_SYNC_SIGNAL_H
#define RUNTIME_SYNC_SIGNAL_H

/* Called in a fork child. A handler that called fork has no stream to return to. */
void signal_after_fork(void);

/* The handler that the kernel gets in place of a handler of the program. */
void (*signal_runtime_handler(void))(int);

#endif
