/* The result of replaying a finding, as text and as JSON. */
#ifndef REPORT_CONFIRMED_H
#define REPORT_CONFIRMED_H

#include "explore/confirm/confirm.h"
#include "report/describe.h"

#include <jansson.h>

/* Line `i` of the text, without indent; NULL after the last line. Lasts until describe_close(). */
const char *confirmed_line(struct describe *describe, const struct finding *finding,
			   const struct confirmation *confirmation, unsigned i);

/* The value of "confirmation" in the JSON; null if no replay was tried. */
json_t *confirmed_json(const struct confirmation *confirmation);

#endif
