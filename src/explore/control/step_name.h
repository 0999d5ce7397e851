/*
 * Names for steps that survive a rebuild: operation, object, source line and function. The
 * occurrence says how often the thread has done such a step so far. Example: "read balance
 * bank.c:6:teller", occurrence 2.
 */
#ifndef EXPLORE_CONTROL_STEP_NAME_H
#define EXPLORE_CONTROL_STEP_NAME_H

#include "base/intern.h"
#include "base/map.h"
#include "trace/trace.h"

struct step_names {
	const struct trace *trace;
	struct intern texts;
	struct map sites; /* from site and event kind to 1 + the number of the name in `texts` */
};

void step_names_open(struct step_names *names, const struct trace *trace);
void step_names_close(struct step_names *names);

/* The text of the name with this number. A name has three words, without blanks in them. */
const char *step_names_text(const struct step_names *names, uint32_t name);

/* Iterates over the steps of a thread. */
struct step_cursor {
	struct step_names *names;
	struct trace_cursor *cursor; /* NULL: there is no such thread */
	struct map counts;	     /* from the number of a name to its occurrences so far */
	struct trace_event event;    /* the event of the current step */
	uint64_t step;
	uint32_t name;
	uint64_t occurrence; /* of this name in the thread so far, from 1 */
};
void step_cursor_open(struct step_cursor *walk, struct step_names *names, uint32_t thread);
bool step_cursor_next(struct step_cursor *walk);
void step_cursor_close(struct step_cursor *walk);

#endif
