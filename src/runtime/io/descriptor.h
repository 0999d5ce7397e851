/*
 * What we know of the descriptors of this process: which have a life in the trace (FD_OPEN was
 * recorded), and which channels they are ends of. Only lives whose beginning was seen have uses and
 * an end there: what the C library opens and closes for itself is not seen, and its descriptors have
 * numbers that others had before.
 *
 * The child of a vfork runs in our memory and has descriptors of its own: it changes nothing here.
 */
#ifndef RUNTIME_IO_DESCRIPTOR_H
#define RUNTIME_IO_DESCRIPTOR_H

#include "runtime/io/channel.h"

/* What is put in goes to `out`; what is taken comes from `in`. */
struct descriptor_ends {
	uint32_t out, in;
};
#define DESCRIPTOR_PLAIN ((struct descriptor_ends){ CHANNEL_NONE, CHANNEL_NONE })

struct descriptor_ends descriptor_ends(int fd);

/* Behind a call that made it, or that put it in the place of another (dup2): FD_OPEN. */
void descriptor_opened(int fd, struct descriptor_ends ends, uintptr_t pc);
/*
 * Before it is closed: FD_CLOSE, and SEND, since who reads from the other end may learn of it. What it returns is
 * for descriptor_left behind the call: it has been `closed`, and who puts in at the other end may learn of that.
 */
struct descriptor_ends descriptor_closing(int fd, uintptr_t pc);
void descriptor_left(struct descriptor_ends ends, bool closed, uintptr_t pc);
/* … and all from `low` to `high`, as if it were done then. */
void descriptor_closing_range(unsigned low, unsigned high, uintptr_t pc);
/* Before dup2 puts another in its place: SEND only; descriptor_left behind it. */
struct descriptor_ends descriptor_leaving(int fd, uintptr_t pc);

/* A call is given it: FD_USE, a decision in front. */
void descriptor_use(int fd, uintptr_t pc);
/*
 * … and has failed: was it closed before? Then that was wrong (MISUSE); but who closes what it has
 * closed itself may only want to be sure, as who closes all there may be. Keeps errno.
 */
void descriptor_check_failed(int fd, bool closes, uintptr_t pc);

/* From now on the C library, or another process, puts things in and takes them out unseen. */
void descriptor_lose(int fd);

#endif
