/* What the tool makes of a case, as a system; and its schedules played by the checker. */
#ifndef MODEL_LATTICE_MESSAGES_H
#define MODEL_LATTICE_MESSAGES_H

#include "lattice_brute.h"
#include "monitor/computation/computation.h"

/* The line of the case that an event of its trace is; -1: none. */
int messages_line(const struct trace *trace, const struct lattice_case *c, struct event_id id);

/* False: a message cannot be told from another, or there are too many. */
bool messages_system(const struct trace *trace, const struct lattice_case *c,
		     const struct computation *computation, struct system *out);

/* Random runs of the messages, complete or as far as they get: NULL, or what the checker said. */
const char *messages_play(const struct trace *trace, const struct computation *computation,
			  const struct system *s, uint64_t *random, int count);

#endif
