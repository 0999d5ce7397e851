/*
 * The files `events.K`: finished blocks, in any order. Several files only so that threads do not
 * queue at one inode's lock; a stream's blocks go to one of them.
 */
#ifndef RUNTIME_LOG_LOG_H
#define RUNTIME_LOG_LOG_H

#include "event/wire.h"

#include <stdbool.h>

enum log_result { LOG_WRITTEN, LOG_NO_SPACE, LOG_FAILED };

void log_open(const char *dir);

/* At the end: those that nothing was written to. */
void log_remove_empty(void);

/* Appends a block: its header and `block->bytes` bytes behind it. Async-signal-safe. */
enum log_result log_append(const struct wire_block *block);

/*
 * The same for `count` chunks, one behind the other, each filled. They were counted when they were
 * full (log_count), not when they are written.
 */
enum log_result log_append_batch(const struct wire_block *first, unsigned count);
void log_count(uint64_t bytes);

/* Is the log so long that it is worth writing in batches? */
bool log_is_long(void);

/* Bytes appended so far by all threads. */
uint64_t log_bytes(void);

/* In a fork child: the parent's files are not ours. */
void log_forget(void);

#endif
