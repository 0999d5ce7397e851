/* Texts about findings of properties: the message, the events, and the values of parameters. */
#ifndef REPORT_MATCHED_H
#define REPORT_MATCHED_H

#include "report/describe.h"

/* Returns "UnsafeIterator can be violated: create in T1, then update in T2, then next_ in T1". */
const char *matched_message(struct describe *describe, const struct finding *finding);

/* Returns the name that the property gives to an event. */
const char *matched_name(const struct finding *finding, const struct finding_event *event);

/* Returns the operation of an event, as in the JSON: "call", "request", "read". */
const char *matched_operation(struct describe *describe, const struct finding_event *event);

/* Returns the function of a point, and the object of any other event. */
const char *matched_subject(struct describe *describe, const struct finding_event *event);

/* Returns an event as text: "call use(0x10, 3)", "read of o->f". */
const char *matched_event(struct describe *describe, const struct finding_event *event);

/* Returns an event for a column of a witness: ">> use: call use". */
const char *matched_cell(struct describe *describe, const struct finding *finding,
			 const struct finding_event *event);

/* Returns the value of a parameter: "0x10", "5", "\"key\"". NULL: the parameter has no value. */
const char *matched_value(struct describe *describe, const struct finding *finding,
			  uint32_t parameter);

/* Returns the violated formula. */
const struct spec_formula *matched_formula(const struct finding *finding);

#endif
