/* Prints the lock trees of a recording, for `sooth trace locks`. */
#ifndef REPORT_LOCKS_H
#define REPORT_LOCKS_H

#include "base/err.h"
#include "trace/trace.h"

#include <stdio.h>

/*
 * Prints which locks each thread acquired while it held other locks, and then the conflicts that
 * the GoodLock algorithm finds in these trees. Nodes are numbered across all trees and indented by
 * depth. `path` is the trace as the user named it. Returns false if parts of the trace could not be
 * read; the rest is printed in any case.
 */
bool locks_print(const struct trace *trace, const char *path, FILE *out, struct err *err);

#endif
