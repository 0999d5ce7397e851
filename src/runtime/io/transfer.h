/*
 * To be used around a call that takes bytes out of a descriptor or puts some in. The following is
 * recorded, in this order:
 *
 *	take	FD_USE, the call, RECEIVE or SYNC if it got something that it may have waited
 *		for or found nothing, WRITE of the bytes that the kernel wrote
 *	put	FD_USE, READ of the bytes that the kernel will read, SEND, the call, SYNC if it had
 *		to wait for room, RECEIVE or SYNC if another call may have made room for it before
 *
 * So the channel orders the kernel's accesses in the same way as the program's own accesses. As for
 * memcpy, accesses are recorded only if the caller is instrumented: other code has buffers of its
 * own.
 *
 *	struct transfer call TRANSFER_CALL = transfer_take(fd, RECORD_CALLER);
 *	ssize_t result = real()->read(fd, to, size);
 *	transfer_took(&call, result, &(struct iovec){ to, size }, 1);
 *
 * If the thread is cancelled in the call, the last line is not reached; then the cleanup of `call`
 * records SYNC. All functions keep errno.
 */
#ifndef RUNTIME_IO_TRANSFER_H
#define RUNTIME_IO_TRANSFER_H

#include "runtime/io/descriptor.h"

#include <sys/types.h>
#include <sys/uio.h>

struct transfer {
	uintptr_t pc;
	int fd;
	enum {
		TRANSFER_CANCELLED,
		TRANSFER_NOTHING,
		TRANSFER_WAITED,
		TRANSFER_RECEIVED,
		TRANSFER_PUT,
		TRANSFER_STORED, /* read a file */
	} how;
	struct descriptor_ends ends;
	uint64_t bytes; /* take: bytes taken; put: bytes announced, later those not put in */
	bool puts, takes;
	bool full;   /* put: there was no room */
	bool unsure; /* put: there may not have been enough room */
	const struct iovec *to;
	int count;
	size_t written;			  /* bytes that the kernel wrote into `to` */
	struct channel_snapshot snapshot; /* for takes: taken before the call */
};

#define TRANSFER_CALL __attribute__((cleanup(transfer_end)))
void transfer_end(struct transfer *call);

struct transfer transfer_take(int fd, uintptr_t pc);
/*
 * Called after a call that found nothing (transfer_found_nothing) or that failed
 * (transfer_must_retry). Records a RECEIVE of nothing, if that is why the call failed. Returns true
 * if the order of this call and another thread's call is not known: then the caller must repeat the
 * call.
 */
bool transfer_found_nothing(struct transfer *call);
bool transfer_must_retry(struct transfer *call);
/* Called before a call that may report an empty channel but takes nothing out (FIONREAD). */
void transfer_snapshot(struct transfer *call);
/*
 * Called after a call that took bytes out. `result` is the number of bytes, or -1. The vectors must
 * exist until the end of the scope of `call`.
 */
void transfer_took(struct transfer *call, ssize_t result, const struct iovec *to, int count);
/* As transfer_took(), for a call that does not remove the bytes (MSG_PEEK). */
void transfer_peeked(struct transfer *call, ssize_t result, const struct iovec *to, int count);

struct transfer transfer_put(int fd, const struct iovec *from, int count, uintptr_t pc);
void transfer_did_put(struct transfer *call, ssize_t result);

/*
 * Accesses of the kernel or the C library to memory on behalf of the code at `pc`. transfer_reads()
 * and transfer_wrote() record them without values, if transfer_is_seen(): that code is
 * instrumented, and the thread is recorded now. They keep errno.
 */
bool transfer_is_seen(uintptr_t pc);
void transfer_reads(const void *from, size_t size, uintptr_t pc);
void transfer_wrote(const void *to, size_t size, uintptr_t pc);

/*
 * Is `fd` a file that stores or discards what is written to it, so that no thread ever waits for
 * another at it? Keeps errno.
 */
bool transfer_is_stored(int fd);
/* Would a read from `fd` wait? */
bool transfer_is_empty(int fd);

#endif
