/*
 * Finds reads that contradict the value known before, in memory where no order of threads can
 * decide that: bytes that only one thread accesses, and bytes that no recorded access writes. It
 * reads the whole trace once.
 */
#ifndef ORDER_BASE_RUN_UNEXPLAINED_READS_H
#define ORDER_BASE_RUN_UNEXPLAINED_READS_H

#include "base/pages.h"
#include "trace/trace.h"

struct unexplained_reads {
	const struct trace *trace;
	const struct pages *granules; /* all that were accessed, except by whole pages */
	/* Should this granule (of SURVEY_GRANULE bytes) be looked at? */
	bool (*wants)(void *context, uint64_t granule);
	/* Called once for each granule with such a read. */
	void (*found)(void *context, uint64_t granule);
	void *context;
};

void unexplained_reads_find(const struct unexplained_reads *job);

#endif
