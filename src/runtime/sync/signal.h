/* Signal handlers. */
#ifndef RUNTIME_SYNC_SIGNAL_H
#define RUNTIME_SYNC_SIGNAL_H

/* In a fork child: whatever handler called fork has no stream to go back to. */
void signal_after_fork(void);

/* What the kernel is given in place of a handler of the program. */
void (*signal_ours(void))(int);

#endif
