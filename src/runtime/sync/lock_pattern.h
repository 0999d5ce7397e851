/*
 * Reports new locking patterns while the program runs (option patterns=1). For a program that does
 * not end by itself this says when its locks show nothing new any more. Havelund, "Using Runtime
 * Analysis to Guide Model Checking of Java Programs" (SPIN 2000), figure 9.
 *
 * Each thread has a lock tree, as src/predict/warnings/lock_tree.h builds it from a recording. A
 * new node becomes a line in the trace's file `patterns`:
 *
 *	THREAD PC LOCK[r] [OUTER[r] ...]
 *
 * Addresses are hexadecimal. After the lock that was acquired come those that were held, outermost
 * first; r marks locks held for reading. The output is a file and not a descriptor: a program may
 * close descriptors that it does not know, and a reader that goes away must not kill it.
 *
 * If the option is off, this costs one test for each record; if it is on, some ten nanoseconds for
 * each lock operation.
 */
#ifndef RUNTIME_SYNC_LOCK_PATTERN_H
#define RUNTIME_SYNC_LOCK_PATTERN_H

#include "runtime/buffer/record.h"

extern bool lock_pattern_on;

/* Called before a record of the calling thread is made. Keeps errno and takes no lock. */
void lock_pattern_update(enum event_kind kind, uintptr_t pc, const struct record_fields *fields);

#endif
