/* Findings in a sentence, and the words that the parts of a report share. */
#ifndef REPORT_MESSAGE_H
#define REPORT_MESSAGE_H

#include "report/describe.h"

/* What an event does, or wants: "read", "acquire" … as in the JSON. */
const char *message_operation(uint8_t kind);

bool message_is_atomic(uint8_t kind);

/* What the finding says: "write of x in T1 and read of x in T2 can happen at the same time". */
const char *message_make(struct describe *describe, const struct finding *finding);

/* The object that an event of a finding is about, by its best name. */
const char *message_subject(struct describe *describe, const struct finding_event *event);

/*
 * Deadlocks: what a thread waits for, "m, which T2 holds" or "a signal on c". `finding` tells who
 * holds what.
 */
const char *message_wait(struct describe *describe, const struct finding *finding, size_t event);

/* The lock that an event of a lock order is about: of a wait its mutex. */
const char *message_lock(struct describe *describe, const struct finding *finding, size_t event);

#endif
