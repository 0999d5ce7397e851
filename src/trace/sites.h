/*
 * The addresses of sites in the recorded process. A controlled run names operations by the address
 * of their element in the module's table (event/control.h), or by a return address.
 */
#ifndef TRACE_SITES_H
#define TRACE_SITES_H

#include "trace/trace.h"

/* Returns the address that a controlled run of the same program uses; 0 if unknown. */
uint64_t trace_site_address(const struct trace *trace, const struct wire_element *site);
uint64_t trace_event_site(const struct trace *trace, const struct trace_event *event);

/* Returns the element at such an address, or NULL if there is none. */
const struct wire_element *trace_site_at(const struct trace *trace, uint64_t address);

/*
 * A key that is the same in each recording of one build of the program, wherever its modules were
 * loaded; two sites practically never have the same key.
 */
uint64_t trace_event_key(const struct trace *trace, const struct trace_event *event);
uint64_t trace_site_key(const struct trace *trace, uint64_t address);

/*
 * A key of the source line that an element of the tables stands for: a compiler makes several
 * elements of one access where it unrolls a loop. 0 if `site` is not the address of an element or
 * its line is unknown.
 */
uint64_t trace_site_line_key(const struct trace *trace, uint64_t site);

/* All sites in the tables of the recording, whether they were executed or not. */
size_t trace_site_count(const struct trace *trace);
const struct wire_element *trace_site_number(const struct trace *trace, size_t i);

/* Are the modules that both recordings have the same builds? If not, `*path` is one that is not. */
bool trace_same_builds(const struct trace *a, const struct trace *b, const char **path);

#endif
