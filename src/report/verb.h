/* What a thread does to something, in words. */
#ifndef REPORT_VERB_H
#define REPORT_VERB_H

#include <stdint.h>

struct verb {
	const char *plain, *third; /* "lock", "locks" */
};

/* Of a kind of event; "use", "uses" where there is no better one. */
struct verb verb_of(uint8_t kind);

#endif
