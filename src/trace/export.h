/* Writes a trace in its text form. */
#ifndef TRACE_EXPORT_H
#define TRACE_EXPORT_H

#include "trace/trace.h"

#include <stdio.h>

/* Returns false if a stream could not be read to its end; the lines before that are written. */
bool export_text(const struct trace *trace, FILE *out, struct err *err);

#endif
