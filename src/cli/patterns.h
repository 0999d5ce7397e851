/*
 * "new locking pattern" messages while a program is recorded with --patterns: the runtime appends
 * them to the trace's file `patterns` (runtime/pattern.h), here they are read, given names, and
 * printed to stderr.
 */
#ifndef CLI_PATTERNS_H
#define CLI_PATTERNS_H

#include "base/vec.h"

#include <stdint.h>
#include <sys/types.h>

struct trace;
struct trace_symbols;

struct patterns {
	const char *directory; /* of the trace */
	off_t offset;	       /* what was read of the file */
	VEC(char) line;	       /* of which the end is not there yet */
	uint64_t count;
	struct trace *trace; /* opened with the first message, for names */
	struct trace_symbols *symbols;
};

/* Prints what is new. `patterns` is a struct patterns, so that others can call it now and then. */
void patterns_look(void *patterns);

/* Waits for our child to end and looks meanwhile; what waitpid says, -1 for an error. */
pid_t patterns_wait(struct patterns *patterns, pid_t pid, int *status);

void patterns_close(struct patterns *patterns);

#endif
