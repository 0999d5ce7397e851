/*
 * What is known of this process's descriptors: which have a lifetime in the trace (FD_OPEN was
 * recorded), and which channels they are ends of. Only descriptors with a recorded beginning have
 * uses and an end in the trace: those that the C library opens and closes for itself are not seen,
 * and their numbers may have belonged to others before.
 *
 * The child of a vfork runs in this process's memory but has descriptors of its own: it changes
 * nothing here.
 */
#ifndef RUNTIME_IO_DESCRIPTOR_H
#define RUNTIME_IO_DESCRIPTOR_H

#include "runtime/io/channel.h"

/* Bytes that are put in go to `out`; bytes that are taken come from `in`. */
struct descriptor_ends {
	uint32_t out, in;
};
#define DESCRIPTOR_PLAIN ((struct descriptor_ends){ CHANNEL_NONE, CHANNEL_NONE })

struct descriptor_ends descriptor_ends(int fd);

/* Called after a call that created it, or that replaced another by it (dup2): records FD_OPEN. */
void descriptor_opened(int fd, struct descriptor_ends ends, uintptr_t pc);
/*
 * Called before it is closed: records FD_CLOSE, and SEND because readers at the other end may
 * notice. Returns what descriptor_left() needs after the call. `closed`: it was closed, and writers
 * at the other end may notice.
 */
struct descriptor_ends descriptor_closing(int fd, uintptr_t pc);
void descriptor_left(struct descriptor_ends ends, bool closed, uintptr_t pc);
/* The same for all from `low` to `high`, as if they were closed here. */
void descriptor_closing_range(unsigned low, unsigned high, uintptr_t pc);
/* Called before dup2 puts another in its place: records SEND only. descriptor_left() follows. */
struct descriptor_ends descriptor_leaving(int fd, uintptr_t pc);

/* Called before a call that uses it: a decision of the scheduler, then FD_USE. */
void descriptor_use(int fd, uintptr_t pc);
/*
 * Called after a call that used it has failed. Records a misuse if it was closed before. But a
 * thread that closes a descriptor which it has closed itself may only want to be sure, as a loop
 * over all descriptors does (`closes`). Keeps errno.
 */
void descriptor_check_failed(int fd, bool closes, uintptr_t pc);

/* From now on the C library or another process uses it unseen. */
void descriptor_lose(int fd);

#endif
