/*
 * Prints messages "new locking pattern" while a program is recorded with --patterns. The runtime
 * appends patterns, as addresses, to the file `patterns` of the trace
 * (runtime/sync/lock_pattern.h). This module reads them, replaces addresses by names, and prints to
 * standard error.
 */
#ifndef PIPELINE_LOCK_PATTERNS_H
#define PIPELINE_LOCK_PATTERNS_H

#include "base/vec.h"

#include <stdint.h>
#include <sys/types.h>

struct trace;
struct trace_symbols;

struct lock_patterns {
	const char *directory; /* directory of the trace */
	off_t offset;	       /* number of bytes of the file that were read */
	VEC(char) line;	       /* the last line, as long as it is incomplete */
	uint64_t count;
	struct trace *trace; /* for names; opened for the first message */
	struct trace_symbols *symbols;
};

/*
 * Prints new patterns. `patterns` points to a struct lock_patterns; the type fits
 * hang_watch_options.look.
 */
void lock_patterns_look(void *patterns);

void lock_patterns_close(struct lock_patterns *patterns);

#endif
