/*
 * Reads that find another value than was known, in memory where no order of threads decides that: bytes
 * that one thread alone accesses, and those that nobody is recorded to write. One look at all of the
 * trace.
 */
#ifndef ORDER_BASE_RUN_UNEXPLAINED_READS_H
#define ORDER_BASE_RUN_UNEXPLAINED_READS_H

#include "base/pages.h"
#include "trace/trace.h"

struct unexplained_reads {
	const struct trace *trace;
	const struct pages *granules; /* all that were accessed, but by whole pages */
	/* Is it such memory? By the number of a granule, SURVEY_GRANULE bytes. */
	bool (*looks_at)(void *context, uint64_t granule);
	/* There is such a read in it. */
	void (*found)(void *context, uint64_t granule);
	void *context;
};

void unexplained_reads_find(const struct unexplained_reads *odd);

#endif
