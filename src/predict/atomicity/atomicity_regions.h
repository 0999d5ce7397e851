/*
 * Annotated regions: from SOOTH_ATOMIC_BEGIN(name) to SOOTH_ATOMIC_END(name) (<sooth/annotate.h>).
 * In a trace these macros are the probes sooth:atomic_begin and sooth:atomic_end.
 *
 * Nested regions are regions of their own. An end closes the latest open begin of the same name. A
 * region without an end lasts as long as its thread.
 */
#ifndef PREDICT_ATOMICITY_ATOMICITY_REGIONS_H
#define PREDICT_ATOMICITY_ATOMICITY_REGIONS_H

#include "base/intern.h"
#include "base/vec.h"
#include "trace/trace.h"

struct region {
	uint32_t stream;     /* number of the stream */
	uint64_t begin, end; /* indices of its probes; `end` is UINT64_MAX if there is none */
	uint64_t site;	     /* site of the begin */
	uint32_t name;	     /* in `names` */
};

struct regions {
	VEC(struct region) items; /* sorted by stream, then by begin */
	struct intern names;
};

/* Reads the trace. Does nothing for a recording without such probes. */
void regions_read(struct regions *regions, const struct trace *trace);
void regions_free(struct regions *regions);

/* Returns the first region of a stream, and sets *count to the number of its regions. */
const struct region *regions_of(const struct regions *regions, uint32_t stream, size_t *count);

#endif
