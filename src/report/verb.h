/* Verbs for what a thread does to an object. */
#ifndef REPORT_VERB_H
#define REPORT_VERB_H

#include <stdint.h>

struct verb {
	const char *plain, *third; /* such as "lock" and "locks" */
};

/* Returns the verb for a kind of event, or "use" if there is no better one. */
struct verb verb_of(uint8_t kind);

#endif
