/* Converts the tool's messages of a case to a system, and lets the checker play their schedules. */
#ifndef MODEL_LATTICE_MESSAGES_H
#define MODEL_LATTICE_MESSAGES_H

#include "lattice_brute.h"
#include "monitor/computation/computation.h"

/* Returns the line of the case that belongs to an event of its trace; -1: none. */
int messages_line(const struct trace *trace, const struct lattice_case *c, struct event_id id);

/*
 * Makes the system. Returns false if two messages cannot be distinguished, or if there are too
 * many.
 */
bool messages_system(const struct trace *trace, const struct lattice_case *c,
		     const struct computation *computation, struct system *out);

/*
 * Plays random runs of the messages, complete or as far as they get. Returns NULL, or the checker's
 * error.
 */
const char *messages_play(const struct trace *trace, const struct computation *computation,
			  const struct system *s, uint64_t *random, int count);

#endif
