/* The one-sentence message of a finding, and the terms that the parts of a report share. */
#ifndef REPORT_MESSAGE_H
#define REPORT_MESSAGE_H

#include "report/describe.h"

/* What an event does or waits to do, as in the JSON: "read", "acquire". */
const char *message_operation(uint8_t kind);

bool message_is_atomic(uint8_t kind);

/* "data race: write of x in T1 and read of x in T2 can happen at the same time" */
const char *message_make(struct describe *describe, const struct finding *finding);

/* The name of the object that an event of a finding is about. */
const char *message_subject(struct describe *describe, const struct finding_event *event);

/* Prints "atomic write of x". */
void message_print_access(struct describe *describe, const struct finding_event *event, FILE *out);

/* What a thread of a deadlock waits for: "m, which T2 holds" or "a signal on c". */
const char *message_wait(struct describe *describe, const struct finding *finding, size_t event);

/* The lock that an event of a lock order is about; of a wait, the mutex. */
const char *message_lock(struct describe *describe, const struct finding *finding, size_t event);

/* Do the threads hold a lock in common at these events? */
bool message_share_lock(const struct finding_event *a, const struct finding_event *b);

#endif
