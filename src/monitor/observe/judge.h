/* Presents violating runs to the checker: each as a schedule of the whole trace, with its word. */
#ifndef MONITOR_OBSERVE_JUDGE_H
#define MONITOR_OBSERVE_JUDGE_H

#include "check/formula.h"
#include "monitor/computation/computation.h"
#include "monitor/grammar/grammar_formulas.h"

struct judge;

/* The checker is opened when the first run is judged. */
struct judge *judge_open(const struct trace *trace, const struct property_set *set);
void judge_close(struct judge *judge);

/* A claim of the lattice: a run of a computation that violates a formula. */
struct judge_claim {
	const struct computation *computation;
	uint32_t property; /* index in the set */
	const struct spec_formula *formula;
	const uint32_t *columns; /* columns of the run's steps */
	size_t count;
	bool at_end;
	const struct grammar_formula *sentence; /* for a grammar; otherwise NULL */
	/* view thread: the thread of the word; otherwise UINT32_MAX */
	uint32_t stream;
};

/*
 * Makes the schedule, which is valid even if the claim is rejected, and lets the checker decide.
 * `messages`: the steps of the run that monitors see, as indices of messages.
 */
bool judge_accepts(struct judge *judge, const struct judge_claim *claim,
		   computation_schedule *schedule, computation_messages *messages, struct err *err);

void judge_make_steps(const computation_schedule *schedule, computation_steps *out);

/* A word of a grammar on a given schedule. */
struct judge_grammar_word {
	const struct grammar_formula *sentence;
	uint32_t stream;
	const uint32_t *binding; /* by parameter, for an object's word; otherwise NULL */
	const struct event_id *steps;
	size_t step_count;
	const struct checker_moment *moments; /* the moments at which its events happen */
	size_t moment_count;
	bool at_end;
};
bool judge_accepts_word(struct judge *judge, const struct judge_grammar_word *claim,
			struct err *err);

#endif
