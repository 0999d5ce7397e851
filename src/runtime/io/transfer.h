/*
 * Around a call that takes bytes out of a descriptor or puts some in. What is recorded, in this order:
 *
 *	take	FD_USE, the call, RECEIVE or SYNC where it got something that may have to be waited
 *		for, or there was nothing, WRITE of the bytes that the kernel wrote
 *	put	FD_USE, READ of the bytes that the kernel will read, SEND, the call, SYNC where it had
 *		to wait for room
 *
 * so that the kernel's accesses are ordered by the channel as the program's own are. These are
 * recorded for instrumented code only, as those of memcpy: other code has its buffers for itself.
 *
 *	struct transfer call TRANSFER_CALL = transfer_take(fd, RECORD_CALLER);
 *	ssize_t result = real()->read(fd, to, size);
 *	transfer_took(&call, result, &(struct iovec){ to, size }, 1);
 *
 * A call that is left by cancellation never comes to the last line: SYNC. All of it keeps errno.
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
	size_t written;		  /* into them */
	struct channel_look look; /* takes */
};

#define TRANSFER_CALL __attribute__((cleanup(transfer_end)))
void transfer_end(struct transfer *call);

struct transfer transfer_take(int fd, uintptr_t pc);
/*
 * The call has found nothing, or has failed: because there is nothing? That is recorded (RECEIVE of
 * nothing). True: it is not known whether somebody came first who was at it meanwhile, and the call is to
 * be made again.
 */
bool transfer_looks_again(struct transfer *call);
bool transfer_takes_again(struct transfer *call);
/* Before a call that only looks. */
void transfer_looks(struct transfer *call);
/* `result` is the call's, bytes or -1. The vectors must last as long as the call. */
void transfer_took(struct transfer *call, ssize_t result, const struct iovec *to, int count);
/* The same for one that leaves there what it has seen (MSG_PEEK). */
void transfer_looked(struct transfer *call, ssize_t result, const struct iovec *to, int count);

struct transfer transfer_put(int fd, const struct iovec *from, int count, uintptr_t pc);
void transfer_did_put(struct transfer *call, ssize_t result);

/*
 * Memory that the kernel or the C library read or wrote for the code at `pc`: accesses without a value, if
 * that is instrumented and recorded now (`is_seen`). They keep errno.
 */
bool transfer_is_seen(uintptr_t pc);
void transfer_reads(const void *from, size_t size, uintptr_t pc);
void transfer_wrote(const void *to, size_t size, uintptr_t pc);

/* Does it keep what is written to it, and make nobody wait? Keeps errno. */
bool transfer_is_stored(int fd);
/* Would reading from it wait? */
bool transfer_is_empty(int fd);

#endif
