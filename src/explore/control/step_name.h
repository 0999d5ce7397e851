/*
 * Steps by names that survive a rebuild: what is done, to what, where in the source, and the how
 * manieth time the thread does that: "read balance bank.c:6:teller" for the 2nd time.
 */
#ifndef EXPLORE_CONTROL_STEP_NAME_H
#define EXPLORE_CONTROL_STEP_NAME_H

#include "base/intern.h"
#include "base/map.h"
#include "trace/trace.h"

struct step_names {
	const struct trace *trace;
	struct intern texts;
	struct map sites; /* site and kind: number of the text + 1 */
};

void step_names_open(struct step_names *names, const struct trace *trace);
void step_names_close(struct step_names *names);

/* The number of an event's name. Three words, none of which has a blank in it. */
uint32_t step_names_of(struct step_names *names, const struct trace_event *event);
const char *step_names_text(const struct step_names *names, uint32_t name);

/* The steps of a thread, one by one. */
struct step_walk {
	struct step_names *names;
	struct trace_cursor *cursor; /* NULL: there is no such thread */
	struct map counts;	     /* of each name */
	struct trace_event event;    /* the present one */
	uint64_t step;
	uint32_t name;
	uint64_t occurrence; /* from 1 */
};
void step_walk_open(struct step_walk *walk, struct step_names *names, uint32_t thread);
bool step_walk_next(struct step_walk *walk);
void step_walk_close(struct step_walk *walk);

#endif
