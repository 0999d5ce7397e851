/* `sooth trace locks`: the lock trees of a recording, as text. */
#ifndef REPORT_LOCKS_H
#define REPORT_LOCKS_H

#include "base/err.h"
#include "trace/trace.h"

#include <stdio.h>

/*
 * Prints which locks each thread acquired while it held which others, then the conflicts that the
 * GoodLock algorithm finds in that. Nodes are numbered through all trees and indented by depth.
 * `path` is the trace as the user named it. Returns false, after printing the rest, if parts of the
 * trace could not be read.
 */
bool locks_print(const struct trace *trace, const char *path, FILE *out, struct err *err);

#endif
