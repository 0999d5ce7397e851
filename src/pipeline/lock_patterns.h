/*
 * Messages "new locking pattern" while a program is recorded with --patterns. The runtime appends
 * patterns, as addresses, to the file `patterns` of the trace (runtime/sync/lock_pattern.h). This
 * code reads them, finds the names, and prints them to standard error.
 */
#ifndef PIPELINE_LOCK_PATTERNS_H
#define PIPELINE_LOCK_PATTERNS_H

#include "base/vec.h"

#include <stdint.h>
#include <sys/types.h>

struct trace;
struct trace_symbols;

struct lock_patterns {
	const char *directory; /* of the trace */
	off_t offset;	       /* how much of the file was read */
	VEC(char) line;	       /* the incomplete last line */
	uint64_t count;
	struct trace *trace; /* for names; opened with the first message */
	struct trace_symbols *symbols;
};

/* Prints new patterns. `patterns` is a struct lock_patterns: for hang_watch_options.look. */
void lock_patterns_look(void *patterns);

/* Waits for a child to end and prints new patterns meanwhile. Returns as waitpid does. */
pid_t lock_patterns_wait(struct lock_patterns *patterns, pid_t pid, int *status);

void lock_patterns_close(struct lock_patterns *patterns);

#endif
