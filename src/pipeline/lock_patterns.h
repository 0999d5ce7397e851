/*
 * "new locking pattern" messages while a program is recorded with --patterns: the runtime appends
 * them to the trace's file `patterns` (runtime/sync/lock_pattern.h), here they are read, given names, and
 * printed to stderr.
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
	off_t offset;	       /* what was read of the file */
	VEC(char) line;	       /* of which the end is not there yet */
	uint64_t count;
	struct trace *trace; /* opened with the first message, for names */
	struct trace_symbols *symbols;
};

/* Prints what is new. `patterns` is a struct lock_patterns, so that others can call it now and then. */
void lock_patterns_look(void *patterns);

/* Waits for our child to end and looks meanwhile; what waitpid says, -1 for an error. */
pid_t lock_patterns_wait(struct lock_patterns *patterns, pid_t pid, int *status);

void lock_patterns_close(struct lock_patterns *patterns);

#endif
