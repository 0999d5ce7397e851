/*
 * What threads did in a recording, by step: from the events that findings name to the steps that
 * plans name, and from the steps of a run back to the source.
 */
#ifndef EXPLORE_CONTROL_RECORDED_H
#define EXPLORE_CONTROL_RECORDED_H

#include "event/control.h"
#include "trace/trace.h"

struct recorded;

/* Reads the streams as far as `goals` say: for each stream, by position, an index. NULL: all. */
struct recorded *recorded_open(const struct trace *trace, const uint64_t *goals);
void recorded_close(struct recorded *recorded);

/* How many steps the stream has done before its event `index`; TRACE_NO_STEP: it has no steps. */
uint64_t recorded_steps_before(const struct recorded *recorded, uint32_t stream, uint64_t index);

/* The site of an event as a controlled run names it (trace/sites.h); 0: not known. */
uint64_t recorded_site(const struct trace *trace, uint32_t stream, uint64_t index);

#endif
