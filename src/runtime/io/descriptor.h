/*
 * The runtime's table of this process's descriptors: which of them have a lifetime in the trace
 * (their FD_OPEN was recorded), and which channels they are ends of. Only descriptors whose FD_OPEN
 * was recorded have uses and an end in the trace. The runtime does not see the descriptors that the
 * C library opens and closes for itself, so without an FD_OPEN an event could be attributed to an
 * earlier owner of the number.
 *
 * The child of a vfork runs in this process's memory but has its own descriptors, so it does not
 * change the table.
 */
#ifndef RUNTIME_IO_DESCRIPTOR_H
#define RUNTIME_IO_DESCRIPTOR_H

#include "runtime/io/channel.h"

/*
 * The channels of a descriptor: bytes written to it go into `out`; bytes read from it come from
 * `in`.
 */
struct descriptor_ends {
	uint32_t out, in;
};
#define DESCRIPTOR_PLAIN ((struct descriptor_ends){ CHANNEL_NONE, CHANNEL_NONE })

struct descriptor_ends descriptor_ends(int fd);

/*
 * Called after a call that created `fd`, or that made it refer to another file (dup2): records
 * FD_OPEN.
 */
void descriptor_opened(int fd, struct descriptor_ends ends, uintptr_t pc);
/*
 * descriptor_closing() is called before `fd` is closed. It records FD_CLOSE, and SEND because
 * readers at the other end may notice the closing. Pass its result to descriptor_left() after the
 * call; `closed` says that the descriptor was closed, so that writers at the other end may notice.
 */
struct descriptor_ends descriptor_closing(int fd, uintptr_t pc);
void descriptor_left(struct descriptor_ends ends, bool closed, uintptr_t pc);
/*
 * Records the closing of all descriptors from `low` to `high`, as descriptor_closing() and
 * descriptor_left() would.
 */
void descriptor_closing_range(unsigned low, unsigned high, uintptr_t pc);
/* Called before dup2 replaces `fd`: records SEND only. To be followed by descriptor_left(). */
struct descriptor_ends descriptor_leaving(int fd, uintptr_t pc);

/* Called before a call that uses `fd`: lets the scheduler choose a thread, then records FD_USE. */
void descriptor_use(int fd, uintptr_t pc);
/*
 * Called after a call that used `fd` has failed. Records a misuse if `fd` had been closed before.
 * `closes`: the failed call was a close; then a thread that had itself closed `fd` before is not
 * reported, because a loop that closes all descriptors does that on purpose. Keeps errno.
 */
void descriptor_check_failed(int fd, bool closes, uintptr_t pc);

/*
 * Notes that a call found no room for bytes that it was to put into `fd`. From then on
 * descriptor_is_crowded() is true: later calls may find room only because something was taken out.
 */
void descriptor_was_full(int fd);
/* Notes that the capacities of the descriptor's channels are not known any more. */
void descriptor_resized(int fd);
bool descriptor_is_crowded(int fd);

/* From now on the C library or another process uses `fd`, which the runtime does not see. */
void descriptor_lose(int fd);

#endif
