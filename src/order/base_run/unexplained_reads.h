/*
 * Finds reads that contradict the value known from earlier accesses. Looks only at memory for which
 * the order of threads does not matter: bytes that only one thread accesses, and bytes that no
 * recorded access writes. Reads the whole trace once.
 */
#ifndef ORDER_BASE_RUN_UNEXPLAINED_READS_H
#define ORDER_BASE_RUN_UNEXPLAINED_READS_H

#include "base/pages.h"
#include "trace/trace.h"

/*
 * Sets the bits `mark` in each granule with such a read. `granules` has the users of all granules
 * (share_survey.h). Looks only at granules for which wants() returns true.
 */
void unexplained_reads_mark(const struct trace *trace, const struct pages *granules, uint32_t mark,
			    bool (*wants)(const void *context, uint64_t granule),
			    const void *context);

#endif
