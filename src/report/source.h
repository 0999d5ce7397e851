/* Lines of the program's source, if the file was not changed after the recording. */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include "report/describe.h"

/* A line without blanks around it; lasts until describe_close(). NULL: not available. */
const char *source_line(struct describe *describe, const char *file, unsigned line);

#endif
