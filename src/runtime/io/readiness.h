/* The table of the descriptors that epoll watches. */
#ifndef RUNTIME_IO_READINESS_H
#define RUNTIME_IO_READINESS_H

/* Called before `fd` is closed: it will have no more events. */
void readiness_forget(int fd);
/* Called in the child of a fork: releases the lock, whose holder may not exist there. */
void readiness_after_fork(void);

#endif
