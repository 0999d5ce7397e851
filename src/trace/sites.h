/*
 * The addresses of sites in the recorded process. In a controlled run, the site of an operation is
 * the address of its element in the module's table (event/control.h), or a return address.
 */
#ifndef TRACE_SITES_H
#define TRACE_SITES_H

#include "trace/trace.h"

/* Returns the address that stands for the site in a controlled run, or 0 if it is unknown. */
uint64_t trace_site_address(const struct trace *trace, const struct wire_element *site);
uint64_t trace_event_site(const struct trace *trace, const struct trace_event *event);

/* Returns the site with such an address, or NULL if there is none. */
const struct wire_element *trace_site_at(const struct trace *trace, uint64_t address);

/*
 * Returns a key of a site. The key is the same in all recordings of one build of the program,
 * wherever its modules were loaded. Two sites practically never have the same key.
 */
uint64_t trace_event_key(const struct trace *trace, const struct trace_event *event);
uint64_t trace_site_key(const struct trace *trace, uint64_t address);

/*
 * Returns a key that is the same for all elements that stand for one access in the source. There
 * can be several: a compiler that unrolls a loop copies its accesses. `site` is the pointer to a
 * struct wire_element of this trace, as a number. Returns 0 if it is not, or its line is unknown.
 */
uint64_t trace_site_line_key(const struct trace *trace, uint64_t site);

/* All sites in the tables of the recording, whether they were executed or not. */
size_t trace_site_count(const struct trace *trace);
const struct wire_element *trace_site_number(const struct trace *trace, size_t i);

/* Are the modules in both recordings the same builds? If not, sets `*path` to one that differs. */
bool trace_same_builds(const struct trace *a, const struct trace *b, const char **path);

#endif
