/* Reads lines of the program's source, if the file has not changed since the recording. */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include "report/describe.h"

/*
 * Returns a line without the blanks around it. The text is valid until describe_close(). NULL: the
 * line is not available.
 */
const char *source_line(struct describe *describe, const char *file, unsigned line);

#endif
