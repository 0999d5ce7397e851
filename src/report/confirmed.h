/* The result of replaying a finding as text and as JSON. */
#ifndef REPORT_CONFIRMED_H
#define REPORT_CONFIRMED_H

#include "explore/confirm/confirm.h"
#include "report/describe.h"

#include <jansson.h>

/*
 * Returns line `i` of the text, without indentation; NULL after the last line. The text is valid
 * until describe_close().
 */
const char *confirmed_line(struct describe *describe, const struct finding *finding,
			   const struct confirmation *confirmation, unsigned i);

/* Returns the value of "confirmation" in the JSON; null if no replay was tried. */
json_t *confirmed_json(const struct confirmation *confirmation);

#endif
