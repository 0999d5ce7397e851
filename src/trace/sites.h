/*
 * Where in the recorded process the sites of events were: a controlled run names operations by the
 * address of their element in the module's table (event/control.h), or by a return address.
 */
#ifndef TRACE_SITES_H
#define TRACE_SITES_H

#include "trace/trace.h"

/* As a controlled run of the same program has it; 0: not known. */
uint64_t trace_site_address(const struct trace *trace, const struct wire_element *site);
uint64_t trace_event_site(const struct trace *trace, const struct trace_event *event);

/* The element at such an address, or NULL: it is no element's. */
const struct wire_element *trace_site_at(const struct trace *trace, uint64_t address);

/*
 * The same in each recording of one build of the program, wherever its modules were loaded; as good
 * as never the same for two sites.
 */
uint64_t trace_event_key(const struct trace *trace, const struct trace_event *event);
uint64_t trace_site_key(const struct trace *trace, uint64_t address);

/*
 * A key of the place in the source that an element of the tables stands for: a compiler makes several
 * of one where it unrolls a loop. 0: `site` is no element's address, or the place is not known.
 */
uint64_t trace_site_place(const struct trace *trace, uint64_t site);

/* All sites that the tables of the recording have, whether they were passed or not. */
size_t trace_site_count(const struct trace *trace);
const struct wire_element *trace_site_number(const struct trace *trace, size_t i);

/*
 * Were the modules that both recordings have the same builds? False: the path of one that was not.
 */
bool trace_same_builds(const struct trace *a, const struct trace *b, const char **path);

#endif
