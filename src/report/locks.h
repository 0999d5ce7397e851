/* The lock trees of a recording, as text: which locks each thread took inside which. */
#ifndef REPORT_LOCKS_H
#define REPORT_LOCKS_H

#include "base/err.h"
#include "trace/trace.h"

#include <stdio.h>

/*
 * Nodes are numbered through all trees and indented by their depth; behind them stand the conflicts
 * that GoodLock sees in them. `path` is the trace as the user named it. False, with the rest printed:
 * parts of the trace could not be read.
 */
bool locks_print(const struct trace *trace, const char *path, FILE *out, struct err *err);

#endif
