/* Lines of the program's source, where it can be read and is as old as the recording. */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H

#include "report/describe.h"

/* The text of a line without blanks around it, kept by the report; NULL: not to be had. */
const char *source_line(struct describe *describe, const char *file, unsigned line);

#endif
