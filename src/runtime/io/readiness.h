/* Descriptors that programs wait for: what epoll was told of them. */
#ifndef RUNTIME_IO_READINESS_H
#define RUNTIME_IO_READINESS_H

/* Before it is closed: events of it will not come any more. */
void readiness_forget(int fd);
/* In a fork child: whoever was at work is not here. */
void readiness_after_fork(void);

#endif
