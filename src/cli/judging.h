/*
 * `sooth explore -p`: each execution is recorded and judged by the properties. One that violates a
 * property, or of which another order does, is a failure as a crash is: kept, repeated, told.
 */
#ifndef CLI_JUDGING_H
#define CLI_JUDGING_H

#include "cli/observing.h"
#include "explore/session.h"

/* Stands in front of an executor whose runs are recorded to `trace`. */
struct judging {
	struct executor executor; /* what the search is given */
	struct executor *behind;
	const struct properties *properties;
	const char *trace;
	uint64_t unknown; /* what was left undecided in all runs; not 0: silence proves nothing */
	/* of the first run: what of the properties can be seen at all */
	struct property_set first;
	struct observe_result first_observation;
	bool has_first;
};
/* What is left from an earlier call with the same struct, which starts as zeroes, is kept. */
void judging_open(struct judging *judging, struct executor *behind,
		  const struct properties *properties, const char *trace);

void judging_close(struct judging *judging);

/*
 * What one recording has of the properties: patterns that are predicted, other formulas on all its
 * runs.
 */
struct judging_look {
	struct property_set set;
	struct predict_result result;	   /* findings of both kinds */
	struct observe_result observation; /* has nothing without formulas for it */
};
/* False: it cannot be read. Freed by the caller in any case. */
bool judging_look(const struct properties *properties, const struct trace *trace,
		  struct judging_look *look, struct err *err);
void judging_look_free(struct judging_look *look);

#endif
