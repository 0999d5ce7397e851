/*
 * Names of steps that survive a rebuild: operation, object, source line and function, and how often
 * the thread has done that so far. Example: "read balance bank.c:6:teller", occurrence 2.
 */
#ifndef EXPLORE_CONTROL_STEP_NAME_H
#define EXPLORE_CONTROL_STEP_NAME_H

#include "base/intern.h"
#include "base/map.h"
#include "trace/trace.h"

struct step_names {
	const struct trace *trace;
	struct intern texts;
	struct map sites; /* from site and event kind to the number of the text + 1 */
};

void step_names_open(struct step_names *names, const struct trace *trace);
void step_names_close(struct step_names *names);

/* Returns the number of an event's name. The name is three words without blanks. */
uint32_t step_names_of(struct step_names *names, const struct trace_event *event);
const char *step_names_text(const struct step_names *names, uint32_t name);

/* Iterates over the steps of a thread. */
struct step_cursor {
	struct step_names *names;
	struct trace_cursor *cursor; /* NULL: there is no such thread */
	struct map counts;	     /* occurrences of each name so far */
	struct trace_event event;    /* the current one */
	uint64_t step;
	uint32_t name;
	uint64_t occurrence; /* from 1 */
};
void step_cursor_open(struct step_cursor *walk, struct step_names *names, uint32_t thread);
bool step_cursor_next(struct step_cursor *walk);
void step_cursor_close(struct step_cursor *walk);

#endif
