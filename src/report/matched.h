/* Texts about findings of properties: the message, the events, the values of parameters. */
#ifndef REPORT_MATCHED_H
#define REPORT_MATCHED_H

#include "report/describe.h"

/* "UnsafeIterator can be violated: create in T1, then update in T2, then next_ in T1" */
const char *matched_message(struct describe *describe, const struct finding *finding);

/* The name that the property has for an event. */
const char *matched_name(const struct finding *finding, const struct finding_event *event);

/* The operation of an event, as in the JSON: "call", "request", "read". */
const char *matched_operation(struct describe *describe, const struct finding_event *event);

/* The function of a point; of other events, the object. */
const char *matched_subject(struct describe *describe, const struct finding_event *event);

/* "call use(0x10, 3)", "read of o->f" */
const char *matched_event(struct describe *describe, const struct finding_event *event);

/* The same for a column of a witness: ">> use: call use" */
const char *matched_cell(struct describe *describe, const struct finding *finding,
			 const struct finding_event *event);

/* The value of a parameter: "0x10", "5", "\"key\""; NULL: it is not bound. */
const char *matched_value(struct describe *describe, const struct finding *finding,
			  uint32_t parameter);

/* The formula that is violated. */
const struct spec_formula *matched_formula(const struct finding *finding);

#endif
