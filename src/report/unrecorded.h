/*
 * What a report says of code that was not recorded: which libraries took part, how often threads
 * came back from them, and how many suspicions depend on them.
 */
#ifndef REPORT_UNRECORDED_H
#define REPORT_UNRECORDED_H

#include "report/report.h"

/* Prints a line for the suspicions and one for the libraries, if there are any. */
void unrecorded_print(const struct report *reports, size_t count, FILE *out);

/* Adds to a finding's reason that it is a suspicion. */
void unrecorded_why(const struct report *report, const struct finding *finding, FILE *out);

/* Sets "suspicions", a number, and "unrecorded", a list of libraries, in the whole report. */
void unrecorded_json(const struct report *reports, size_t count, json_t *all);

#endif
