/*
 * Around a call that takes bytes out of a descriptor or puts some in. These are recorded, in this
 * order:
 *
 *	take	FD_USE, the call, RECEIVE or SYNC if it got something that it may have waited
 *		for or found nothing, WRITE of the bytes that the kernel wrote
 *	put	FD_USE, READ of the bytes that the kernel will read, SEND, the call, SYNC if it had
 *		to wait for room
 *
 * So the channel orders the kernel's accesses as it orders the program's own. The accesses are
 * recorded for instrumented code only, as those of memcpy: other code has its own buffers.
 *
 *	struct transfer call TRANSFER_CALL = transfer_take(fd, RECORD_CALLER);
 *	ssize_t result = real()->read(fd, to, size);
 *	transfer_took(&call, result, &(struct iovec){ to, size }, 1);
 *
 * A call that is left by cancellation never comes to the last line; then SYNC is recorded. All
 * functions keep errno.
 */
#ifndef RUNTIME_IO_TRANSFER_H
#define RUNTIME_IO_TRANSFER_H

#include "runtime/io/descriptor.h"

#include <sys/types.h>
#include <sys/uio.h>

struct transfer {
	uintptr_t pc;
	int fd;
	enum { TRANSFER_CANCELLED, TRANSFER_NOTHING, TRANSFER_WAITED, TRANSFER_RECEIVED } how;
	struct descriptor_ends ends;
	uint64_t bytes; /* RECEIVED: taken; puts: given to the channel, then what did not go in */
	bool puts;
	bool full; /* puts: had to wait, as far as that is known */
	const struct iovec *to;
	int count;
	size_t written;			  /* bytes that the kernel wrote into `to` */
	struct channel_snapshot snapshot; /* takes */
};

#define TRANSFER_CALL __attribute__((cleanup(transfer_end)))
void transfer_end(struct transfer *call);

struct transfer transfer_take(int fd, uintptr_t pc);
/*
 * Called after the call has found nothing (transfer_must_retry: after it has failed). If it failed
 * because there is nothing, records that (a RECEIVE of nothing). Returns true if it is not known
 * whether another thread's call came first: then the call is to be made again.
 */
bool transfer_found_nothing(struct transfer *call);
bool transfer_must_retry(struct transfer *call);
/* Called before a call that only looks. */
void transfer_snapshot(struct transfer *call);
/* `result` is the call's: bytes or -1. The vectors must exist until the call ends. */
void transfer_took(struct transfer *call, ssize_t result, const struct iovec *to, int count);
/* The same for a call that leaves the bytes there (MSG_PEEK). */
void transfer_peeked(struct transfer *call, ssize_t result, const struct iovec *to, int count);

struct transfer transfer_put(int fd, const struct iovec *from, int count, uintptr_t pc);
void transfer_did_put(struct transfer *call, ssize_t result);

/*
 * Memory that the kernel or the C library read or wrote for the code at `pc`. Records accesses
 * without values if that code is instrumented and the thread is recorded now (transfer_is_seen).
 * They keep errno.
 */
bool transfer_is_seen(uintptr_t pc);
void transfer_reads(const void *from, size_t size, uintptr_t pc);
void transfer_wrote(const void *to, size_t size, uintptr_t pc);

/* Does it store what is written to it, so that no thread ever waits for it? Keeps errno. */
bool transfer_is_stored(int fd);
/* Would a read from it wait? */
bool transfer_is_empty(int fd);

#endif
