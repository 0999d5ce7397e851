/*
 * SYNC: recorded after a call that may have waited in the kernel for another thread, and where a
 * thread finds that it was cancelled. It is not known what the call waited for, so a SYNC happens
 * after all events that were recorded before it.
 *
 *	UNKNOWN_WAIT_BEGIN(call, RECORD_CALLER);
 *	int result = real()->…;
 *	call.how = result == 0 ? UNKNOWN_WAIT_WAITED : UNKNOWN_WAIT_NOTHING;
 *
 * If the thread is cancelled in the call, the last line is not reached. The SYNC is recorded
 * nevertheless, before the cleanup functions of the program run, because those belong to callers.
 */
#ifndef RUNTIME_IO_UNKNOWN_WAIT_H
#define RUNTIME_IO_UNKNOWN_WAIT_H

#include "runtime/buffer/record.h"

struct unknown_wait_call {
	uintptr_t pc;
	enum { UNKNOWN_WAIT_CANCELLED, UNKNOWN_WAIT_NOTHING, UNKNOWN_WAIT_WAITED } how;
};

/*
 * Takes the turn back if the call was made outside the schedule. Records SYNC unless `how` is
 * NOTHING. Keeps errno.
 */
void unknown_wait_end(const struct unknown_wait_call *call);

/* Declares `call`, which ends at the end of its scope. */
#define UNKNOWN_WAIT_BEGIN(call, pc)                                                               \
	struct unknown_wait_call call                                                              \
		__attribute__((cleanup(unknown_wait_end))) = { pc, UNKNOWN_WAIT_CANCELLED }

/*
 * Called before a call that may let another thread continue, which will then record a SYNC. Records
 * a SEND, so that the accesses of this thread so far are known to come before the call. Without
 * that record, they are only known to come before the next record of this thread, which may be long
 * after the call. Keeps errno.
 */
void unknown_wait_hand_over(uintptr_t pc);

#endif
