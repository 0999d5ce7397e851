/*
 * SYNC: behind a call that may have waited for another thread through the kernel, and where a
 * thread finds that it was cancelled. Nothing tells what the wait was for, so it stands for
 * everything that was done before.
 *
 *	struct unknown_wait_call call UNKNOWN_WAIT_CALL = { RECORD_CALLER, UNKNOWN_WAIT_CANCELLED };
 *	int result = real()->…;
 *	call.how = result == 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
 *
 * A call that is left by cancellation never comes to the last line, and its end is recorded all the
 * same: before the program's own cleanups, which belong to callers.
 */
#ifndef RUNTIME_IO_UNKNOWN_WAIT_H
#define RUNTIME_IO_UNKNOWN_WAIT_H

#include "runtime/buffer/record.h"

struct unknown_wait_call {
	uintptr_t pc;
	enum { UNKNOWN_WAIT_CANCELLED, UNKNOWN_WAIT_NOTHING, UNKNOWN_WAIT_WAITED } how;
};

/* Records SYNC unless nothing came of the call. Keeps errno. */
void unknown_wait_end(const struct unknown_wait_call *call);
#define UNKNOWN_WAIT_CALL __attribute__((cleanup(unknown_wait_end)))

/*
 * Before a call by which another thread may go on, that has its SYNC then: what this one did so far it did before. (A thread's
 * plain accesses are known to be before its next record only, which may be long behind the call.) Keeps errno.
 */
void unknown_wait_hand_over(uintptr_t pc);

#endif
