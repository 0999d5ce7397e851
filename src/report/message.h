/* The one-sentence message of a finding, and the terms that the parts of a report share. */
#ifndef REPORT_MESSAGE_H
#define REPORT_MESSAGE_H

#include "report/describe.h"

/* Returns what an event does or waits to do, as in the JSON: "read", "acquire". */
const char *message_operation(uint8_t kind);

bool message_is_atomic(uint8_t kind);

/*
 * Returns the message: "data race: write of x in T1 and read of x in T2 can happen at the same
 * time".
 */
const char *message_make(struct describe *describe, const struct finding *finding);

/* Returns the name of the object of an event. */
const char *message_subject(struct describe *describe, const struct finding_event *event);

/* Prints an access: "atomic write of x". */
void message_print_access(struct describe *describe, const struct finding_event *event, FILE *out);

/* Returns what a thread of a deadlock waits for: "m, which T2 holds" or "a signal on c". */
const char *message_wait(struct describe *describe, const struct finding *finding, size_t event);

/* Returns the name of the lock of an event in a lock order; for a wait, its mutex. */
const char *message_lock(struct describe *describe, const struct finding *finding, size_t event);

/* Do both threads hold the same lock at these events? */
bool message_share_lock(const struct finding_event *a, const struct finding_event *b);

#endif
