/*
 * SYNC: behind a call that may have waited for another thread through the kernel, and where a
 * thread finds that it was cancelled. Nothing tells what the wait was for, so it stands for
 * everything that was done before.
 *
 *	struct sync_call call SYNC_CALL = { RECORD_CALLER, SYNC_CANCELLED };
 *	int result = real()->…;
 *	call.how = result == 0 ? SYNC_WAITED : SYNC_NOTHING;
 *
 * A call that is left by cancellation never comes to the last line, and its end is recorded all the
 * same: before the program's own cleanups, which belong to callers.
 */
#ifndef RUNTIME_SYNC_H
#define RUNTIME_SYNC_H

#include "runtime/record.h"

struct sync_call {
	uintptr_t pc;
	enum { SYNC_CANCELLED, SYNC_NOTHING, SYNC_WAITED } how;
};

/* Records SYNC unless nothing came of the call. Keeps errno. */
void sync_end(const struct sync_call *call);
#define SYNC_CALL __attribute__((cleanup(sync_end)))

/*
 * Before a call by which another thread may go on, that has its SYNC then: what this one did so far it did before. (A thread's
 * plain accesses are known to be before its next record only, which may be long behind the call.) Keeps errno.
 */
void sync_hand_over(uintptr_t pc);

#endif
