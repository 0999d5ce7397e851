/* What replaying a finding showed, in words and in JSON. */
#ifndef REPORT_CONFIRMED_H
#define REPORT_CONFIRMED_H

#include "explore/confirm/confirm.h"
#include "report/describe.h"

#include <jansson.h>

/*
 * Lines for people, each without an indent, one after the other by `i`; NULL behind the last. Good
 * until the report is closed.
 */
const char *confirmed_line(struct describe *describe, const struct finding *finding,
			   const struct confirmation *confirmation, unsigned i);

/* "confirmation" of a finding in the JSON; null when it was not tried. */
json_t *confirmed_json(const struct confirmation *confirmation);

#endif
