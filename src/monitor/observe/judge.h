/* Violating runs as the checker wants them: schedules of the whole trace, words of states. */
#ifndef MONITOR_OBSERVE_JUDGE_H
#define MONITOR_OBSERVE_JUDGE_H

#include "check/formula.h"
#include "monitor/computation/computation.h"
#include "monitor/grammar/grammar_claims.h"

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
	const struct sentence *sentence; /* of a grammar; NULL otherwise */
	uint32_t stream;		 /* view thread: whose word; UINT32_MAX otherwise */
};

/*
 * Makes the schedule, which is valid also where it is refused, and asks. `messages`: the steps of the
 * run that monitors see, as numbers of messages.
 */
typedef VEC(uint32_t) judge_messages;
bool judge_accepts(struct judge *judge, const struct judge_claim *claim,
		   computation_schedule *schedule, judge_messages *messages, struct err *err);

void judge_make_steps(const computation_schedule *schedule, computation_steps *out);

/* A word of a grammar on a schedule that somebody else made. */
struct judge_sentence {
	const struct sentence *sentence;
	uint32_t stream;
	const uint32_t *binding; /* by parameter, of an object's word; NULL otherwise */
	const struct event_id *steps;
	size_t step_count;
	const struct checker_moment *moments; /* at which its events happen */
	size_t moment_count;
	bool at_end;
};
bool judge_accepts_sentence(struct judge *judge, const struct judge_sentence *claim,
			    struct err *err);

#endif
