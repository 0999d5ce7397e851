/*
 * Finds reads that contradict the value known before, in memory where no order of threads can
 * decide that: bytes that only one thread accesses, and bytes that no recorded access writes. It
 * reads the whole trace once.
 */
#ifndef ORDER_BASE_RUN_UNEXPLAINED_READS_H
#define ORDER_BASE_RUN_UNEXPLAINED_READS_H

#include "base/pages.h"
#include "trace/trace.h"

/*
 * Sets the bits `mark` in the granules with such a read. `granules` are the users of all granules
 * (share_survey.h); wants() says which of them are looked at.
 */
void unexplained_reads_mark(const struct trace *trace, const struct pages *granules, uint32_t mark,
			    bool (*wants)(const void *context, uint64_t granule),
			    const void *context);

#endif
