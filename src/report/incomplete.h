/*
 * Why an analysis is not complete: what was not recorded, not analysed or not decided. A report
 * without such a reason covers the whole recorded run.
 */
#ifndef REPORT_INCOMPLETE_H
#define REPORT_INCOMPLETE_H

#include "report/report.h"

/* Adds the reasons that the reports give, one sentence each. */
void incomplete_reasons(const struct report *reports, size_t count, struct report_sentences *out);

/* Prints the last line of a report: "incomplete: REASON; REASON". Nothing if there is no reason. */
void incomplete_print(const struct report_sentences *reasons, FILE *out);

/* Sets "complete", and "incomplete", a list of the reasons. */
void incomplete_json(const struct report_sentences *reasons, json_t *all);

#endif
