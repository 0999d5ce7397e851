/*
 * The grammars of a set of properties: their tables, the recorded run's verdicts, and words of other
 * runs told to people.
 */
#ifndef MONITOR_GRAMMAR_GRAMMAR_CLAIMS_H
#define MONITOR_GRAMMAR_GRAMMAR_CLAIMS_H

#include "monitor/computation/computation.h"
#include "monitor/grammar/grammar_run.h"
#include "monitor/formula/machine.h"

struct observe_sentence;

/* A formula that is a grammar. */
struct sentence {
	uint32_t property; /* in the set */
	uint32_t number;   /* of the formula, from 1 */
	const struct spec_file *file;
	struct grammar *grammar;
	char *why; /* it is not judged, or not any further; NULL */
};

struct grammar_claims {
	const struct property_set *set;
	VEC(struct sentence) list;
	struct grammar_run_result run;
};

/* Makes the tables. What is wrong with a grammar is its `why`. */
void grammar_claims_open(struct grammar_claims *sentences, const struct property_set *set,
			 struct spec_file *const *files, size_t count);
void grammar_claims_close(struct grammar_claims *sentences);

/* The recorded run. False: the trace cannot be read. */
bool grammar_claims_judge_recorded(struct grammar_claims *sentences, const struct trace *trace,
				   struct spec_file *const *files, size_t count, bool ended,
				   struct err *err);

/* NULL: there is none. */
struct sentence *grammar_claims_find(struct grammar_claims *sentences, uint32_t property,
				     uint32_t number);

/* The machine for the lattice of a view. NULL: `err`. */
struct machine *grammar_claims_machine(const struct grammar_claims *sentences,
				       const struct sentence *sentence,
				       const struct computation *computation, struct err *err);

/* Takes over what an engine says is wrong, so that it outlives the tables. */
void grammar_claims_keep(struct observe_sentence *told, struct grammar_violation *violation);

/*
 * What is wrong with the word of a run: `messages` of the computation, as far as monitors see them. NULL:
 * nothing.
 */
struct observe_sentence *grammar_claims_tell(const struct grammar_claims *sentences,
					     const struct sentence *sentence,
					     const struct computation *computation,
					     const uint32_t *messages, size_t count, bool at_end);

#endif
