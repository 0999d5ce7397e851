/*
 * Reports new locking patterns while the program runs (option patterns=1). With a program that does
 * not end by itself, this shows when its locks do nothing new any more. Havelund, "Using Runtime
 * Analysis to Guide Model Checking of Java Programs" (SPIN 2000), figure 9.
 *
 * Each thread has a lock tree, as src/predict/warnings/lock_tree.h builds it from a recording. Each
 * new node becomes a line in the trace's file `patterns`:
 *
 *	THREAD PC LOCK[r] [OUTER[r] ...]
 *
 * Addresses are hexadecimal. After the lock that was acquired come the locks that the thread held,
 * outermost first. An r marks a lock that is held for reading. The lines go to a file instead of an
 * inherited descriptor: a program may close descriptors that it does not know, and a reader that
 * exits must not kill the program.
 *
 * If the option is off, this costs one test for each record; if it is on, some ten nanoseconds for
 * each lock operation.
 */
#ifndef RUNTIME_SYNC_LOCK_PATTERN_H
#define RUNTIME_SYNC_LOCK_PATTERN_H

#include "runtime/buffer/record.h"

extern bool lock_pattern_on;

/* Called before the calling thread makes a record. Keeps errno and takes no lock. */
void lock_pattern_update(enum event_kind kind, uintptr_t pc, const struct record_fields *fields);

#endif
