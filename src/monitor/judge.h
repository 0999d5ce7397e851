/* Violating runs as the checker wants them: schedules of the whole trace, words of states. */
#ifndef MONITOR_JUDGE_H
#define MONITOR_JUDGE_H

#include "monitor/computation.h"

struct judge;

/* Opens the checker at the first run that it is asked about. */
struct judge *judge_open(const struct trace *trace, const struct property_set *set);
void judge_close(struct judge *judge);

/* A run of a computation that is said to violate a formula. */
struct judge_claim {
	const struct computation *computation;
	uint32_t property; /* number in the set */
	const struct spec_formula *formula;
	const uint32_t *columns; /* of its steps */
	size_t count;
	bool at_end;
};

/*
 * Makes the schedule, which is valid also where it is refused, and asks. `messages`: the steps of the
 * run that monitors see, as numbers of messages.
 */
typedef VEC(uint32_t) judge_messages;
bool judge_accepts(struct judge *judge, const struct judge_claim *claim,
		   computation_schedule *schedule, judge_messages *messages, struct err *err);

#endif
