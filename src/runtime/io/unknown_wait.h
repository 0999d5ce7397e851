/*
 * SYNC: recorded after a call that may have waited for another thread through the kernel, and where
 * a thread finds that it was cancelled. Nothing says what the call waited for, so SYNC happens
 * after everything that was done before it.
 *
 *	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);
 *	int result = real()->…;
 *	call.how = result == 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
 *
 * A call that is left by cancellation never comes to the last line. Its end is recorded all the
 * same, before the program's own cleanup functions run, which belong to callers.
 */
#ifndef RUNTIME_IO_UNKNOWN_WAIT_H
#define RUNTIME_IO_UNKNOWN_WAIT_H

#include "runtime/buffer/record.h"

struct unknown_wait_call {
	uintptr_t pc;
	enum { UNKNOWN_WAIT_CANCELLED, UNKNOWN_WAIT_NOTHING, UNKNOWN_WAIT_WAITED } how;
};

/* Takes the turn back if the call left it. Records SYNC unless `how` is NOTHING. Keeps errno. */
void unknown_wait_end(const struct unknown_wait_call *call);

/* Declares `call`, which ends with its scope. */
#define UNKNOWN_WAIT_BEGIN(call, pc)                                                               \
	struct unknown_wait_call call                                                              \
		__attribute__((cleanup(unknown_wait_end))) = { pc, UNKNOWN_WAIT_CANCELLED }

/*
 * Called before a call that may let another thread go on, which then records its SYNC. Records that
 * what this thread did so far came before: of a thread's plain accesses only that they are before
 * its next record is known, and that may be long after the call. Keeps errno.
 */
void unknown_wait_hand_over(uintptr_t pc);

#endif
