/*
 * New locking patterns, told while the program runs (option patterns=1): for a program that does not
 * end by itself, this says when its locks show nothing new any more. Havelund, "Using Runtime
 * Analysis to Guide Model Checking of Java Programs" (SPIN 2000), figure 9.
 *
 * Each thread has its lock tree, as src/predict/warnings/lock_tree.h has it from a recording; a node that is
 * new is a line in the trace's file `patterns`:
 *
 *	THREAD PC LOCK[r] [OUTER[r] ...]
 *
 * addresses in hexadecimal, behind the lock that was taken those around it, outermost first, r for
 * those held for reading. A file and not a descriptor: a program may close what it does not know,
 * and a reader that is gone must not be its end.
 *
 * Costs nothing when it is off but a test for each record, and some ten nanoseconds for each lock
 * operation when it is on.
 */
#ifndef RUNTIME_SYNC_LOCK_PATTERN_H
#define RUNTIME_SYNC_LOCK_PATTERN_H

#include "runtime/buffer/record.h"

extern bool lock_pattern_on;

/* A record is about to be made in the calling thread. Keeps errno, takes no lock. */
void lock_pattern_see(enum event_kind kind, uintptr_t pc, const struct record_fields *fields);

#endif
