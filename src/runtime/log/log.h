/*
 * The files `events.K`: finished blocks in any order. There are several files so that threads do
 * not compete for the lock of one inode. The file of a block depends on its stream and on how it is
 * written: as a full chunk, in a batch, or as a short block.
 */
#ifndef RUNTIME_LOG_LOG_H
#define RUNTIME_LOG_LOG_H

#include "event/wire.h"

#include <stdbool.h>

enum log_result { LOG_WRITTEN, LOG_NO_SPACE, LOG_FAILED };

void log_open(const char *dir);

/* To be called at the end: removes the files that are empty. */
void log_remove_empty(void);

/*
 * Appends a block: its header and the `block->bytes` bytes that follow it in memory.
 * Async-signal-safe.
 */
enum log_result log_append(const struct wire_block *block);

/*
 * Appends `count` consecutive full chunks. log_count() must have been called for each of them
 * already, when it became full.
 */
enum log_result log_append_batch(const struct wire_block *first, unsigned count);
void log_count(uint64_t bytes);

/* Is the log long enough for batches to pay off? */
bool log_is_long(void);

/* Bytes that all threads have appended so far. */
uint64_t log_bytes(void);

/* To be called in the child of a fork, because the files belong to the parent: closes them. */
void log_forget(void);

#endif
