/*
 * The regions that a program annotates: from SOOTH_ATOMIC_BEGIN(name) to SOOTH_ATOMIC_END(name) in
 * <sooth/annotate.h>, which are the probes sooth:atomic_begin and sooth:atomic_end.
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
	uint32_t stream;     /* its number */
	uint64_t begin, end; /* index of its probes; UINT64_MAX without an end */
	uint64_t site;	     /* of its begin */
	uint32_t name;	     /* in names */
};

struct regions {
	VEC(struct region) items; /* by stream, then by begin */
	struct intern names;
};

/* Reads the trace if it can have regions at all: a recording without such probes costs nothing. */
void regions_read(struct regions *regions, const struct trace *trace);
void regions_free(struct regions *regions);

/* The first region of a stream, and how many it has. */
const struct region *regions_of(const struct regions *regions, uint32_t stream, size_t *count);

#endif
